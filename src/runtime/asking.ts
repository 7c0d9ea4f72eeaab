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
import { planHold, stepStart } from "../core/spending.ts";
import { type Active, askingNeeds, record } from "./active.ts";
import { requestCost } from "./request-cost.ts";
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

/**
 * The account that pays has less than the thread counted on: children of it hold the rest, or it shares with others.
 * What can be had is asked for; and when that is not worth a request, a person, before anything is sent (B2).
 */
export async function askForMoney(active: Active, short: Shortage): Promise<void> {
  const { world, thread } = active;
  const lowered = short.isUnpriced ? undefined : smallerStep(active, short.free);
  const answer = lowered && (await record(active, { events: [], tail: [lowered] }));
  const shortage = answer ? answer.shortage : short;
  if (!shortage) return;
  const needs = askingNeeds(world);
  const events = shortage.isUnpriced
    ? askAboutPrice(thread, targetOf(active).model, needs)
    : askAboutShortage(thread, shortage, needs);
  await record(active, { events });
}

function smallerStep(active: Active, free: number): NewEvent | undefined {
  const { world, thread } = active;
  const turn = thread.step && !thread.step.answer ? thread.step.turn : thread.turns + 1;
  const planned = planHold(thread, turn, { ...requestCost(world, thread, targetOf(active)), free });
  const { model_output_chars: resultChars } = world.settings.tool;
  return "hold" in planned && planned.hold ? stepStart(turn, planned.hold, resultChars) : undefined;
}
