/** The events that a chat is made of. */
import type { Event, LiveEvent } from "./event.ts";
import type { Delivery } from "./said-event.ts";

/** What was posted where. `intended` is durable before a post, `posted` after it; `for` is a go, an approval or a notice. */
export type Note = Delivery;
/** A thread that was stopped with these words was not to go on: what comes next begins a new one. */
export const BEGIN_ANEW = "a new conversation was begun";
export type Noted = Event<"delivery_noted">;
export type ChatEvent = Event | LiveEvent;
