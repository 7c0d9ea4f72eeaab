/** What a person is asked when a thread cannot go on by itself. */
import type { Shortage } from "../core/commit.ts";
import type { Action } from "../core/decide.ts";
import {
  askAboutCall,
  askAboutLoop,
  askAboutOverrun,
  askAboutPrice,
  askAboutShortage,
  escalate,
} from "../core/escalation.ts";
import type { NewEvent } from "../core/event.ts";
import { type Active, askingNeeds, record } from "./active.ts";
import { targetOf } from "./target.ts";

type Asking = Extract<
  Action,
  {
    type: "escalate" | "ask_about_call" | "ask_about_overrun" | "ask_about_price" | "ask_about_loop";
  }
>;

export function questionOf(active: Active, action: Asking): NewEvent[] {
  const { thread, world } = active;
  const needs = askingNeeds(world);
  switch (action.type) {
    case "escalate":
      return escalate(thread, action.breach, world.settings.limits.escalation, needs);
    case "ask_about_call":
      return askAboutCall(thread, action.call, needs);
    case "ask_about_overrun":
      return askAboutOverrun(thread, needs);
    case "ask_about_price":
      return askAboutPrice(thread, targetOf(active).model, needs);
    case "ask_about_loop":
      return askAboutLoop(thread, needs);
  }
}

/** Trying again would ask the same account for the same money, for ever. */
export async function askForMoney(active: Active, shortage: Shortage): Promise<void> {
  const needs = askingNeeds(active.world);
  const events = shortage.isUnpriced
    ? askAboutPrice(active.thread, targetOf(active).model, needs)
    : askAboutShortage(active.thread, shortage, needs);
  await record(active, { events });
}
