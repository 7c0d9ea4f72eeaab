/** What a person is asked when a limit is reached or a thread goes round in circles (L3, D8). */

import { callQuestion } from "./call-question.ts";
import { askedRight } from "./call-rights.ts";
import { priceLine } from "./catalogue.ts";
import { closing } from "./closing.ts";
import type { Shortage } from "./commit.ts";
import { costOf } from "./cost.ts";
import type { NewEvent } from "./event.ts";
import { canonical } from "./id.ts";
import { type Breach, proposal } from "./limit.ts";
import { showDollars } from "./money.ts";
import { type AskingNeeds, suspend } from "./question.ts";
import { shortRight, toolRight } from "./right.ts";
import type { Settings } from "./settings.ts";
import { SIGN_TOOL } from "./signing.ts";
import { grouped } from "./text.ts";
import type { OpenCall, Thread } from "./thread.ts";

/** Suspended, asked and noted in one commit; or, where the policy asks nobody, ended with its work kept. */
export function escalate(
  thread: Thread,
  breach: Breach,
  policy: Settings["limits"]["escalation"],
  needs: AskingNeeds,
): NewEvent[] {
  const { code, current, max, key } = breach;
  const proposed = proposal(breach, policy);
  const used = `${shown(current, key)} of ${shown(max, key)}`;
  // Nothing may be spent yet: then it is the next turn that would not fit.
  const reached =
    current < max
      ? `${WORDS[key] ?? key} limit: ${used} used, and the next turn needs up to ${shown(breach.needs, key)} in all`
      : `${WORDS[key] ?? key} limit reached: ${used}`;
  if (proposed === undefined) {
    const reason = `denied: ${reached}, and the settings allow no more`;
    return [...closing(thread), { type: "thread_cancelled", reason, by: "limits.escalation", report: [] }];
  }
  const message = limitPrompt(thread, breach, proposed);
  const value = (amount: number) => (key === "spend" ? showDollars(Math.round(amount * 1e9)) : amount);
  const limit = { limit_code: code, current, current_max: value(max), proposed_max: value(proposed) };
  const [suspended, asked] = suspend(
    thread,
    { reason: "limit", message: `${reached}.`, prompt: message, what: `a higher ${key} limit`, limit },
    needs,
  );
  return [
    suspended,
    {
      type: "limit_escalation_requested",
      directive: thread.directive,
      limit_code: code,
      current_value: current,
      current_max: limit.current_max,
      proposed_max: limit.proposed_max,
      current_cost: { ...costOf(thread) },
      message,
      approval_request_id: asked.approval_id,
    },
    asked,
  ];
}

const WORDS: Partial<Record<Breach["key"], string>> = {
  turns: "Turn",
  tokens: "Token",
  duration: "Time",
  spend: "Spend",
};

function limitPrompt(thread: Thread, { key, current, max }: Breach, proposed: number): string {
  const { turns, tokens, duration_seconds } = costOf(thread);
  const unit = key === "duration" ? " seconds" : "";
  return [
    `Thread '${thread.directive}' has reached its ${(WORDS[key] ?? key).toLowerCase()} limit.`,
    "",
    `Used: ${shown(current, key)} of ${shown(max, key)}${unit}`,
    `Turns: ${turns} · tokens: ${shown(tokens)} · at work: ${shown(duration_seconds)} s`,
    "",
    `Approve to raise it to ${shown(proposed, key)}${unit}? The conversation goes on where it stopped.`,
    "Deny ends the thread as cancelled; what it did so far is kept.",
  ].join("\n");
}

function shown(value: number, key?: Breach["key"]): string {
  return key === "spend" ? `$${showDollars(Math.round(value * 1e9))}` : grouped(value);
}

/** More was billed than had been held: the truth is stored, and a person says whether that may go on (B2). */
export function askAboutOverrun(thread: Thread, needs: AskingNeeds): NewEvent[] {
  const message = `More was billed for its last request than had been held for it; $${showDollars(thread.spent)} are spent so far.`;
  return suspend(thread, { reason: "budget", message, what: "somebody to look at the bill" }, needs);
}

/** First after this time, then after twice as long; five times, and then a person is needed. */
const LOOK_AGAIN_MS = 15_000;
const MOST_LOOKS = 5;

/** The account that pays has less than the thread counted on: what was asked and what is free, before anything is sent. */
export function askAboutShortage(
  thread: Thread,
  { at, asked, free, held }: Shortage,
  needs: AskingNeeds,
): NewEvent[] {
  const short = `Its next request needs $${showDollars(asked)}, and ${at} has $${showDollars(free)} free.`;
  // What others hold may be free in a moment: nobody has to be there for that.
  const mayCome = free + held >= asked && thread.looks < MOST_LOOKS;
  const message = mayCome
    ? `${short} Others hold $${showDollars(held)} there; it looks again by itself.`
    : short;
  const resumesAt = mayCome
    ? new Date(needs.now + LOOK_AGAIN_MS * 2 ** thread.looks).toISOString()
    : undefined;
  const what = "money on the account that pays";
  return suspend(thread, { reason: "budget", message, what, resumesAt }, needs);
}

/** A cap is worth nothing beside a price that nobody knows. */
export function askAboutPrice(thread: Thread, model: string, needs: AskingNeeds): NewEvent[] {
  const message = `Nobody knows what ${model} costs, so its spend limit cannot be kept. Add it to models.yaml: ${priceLine(model)}`;
  return suspend(thread, { reason: "budget", message, what: "the price of its model" }, needs);
}

export function askAboutLoop(thread: Thread, needs: AskingNeeds): NewEvent[] {
  const { tool = "", input, times = 0 } = thread.repeat ?? {};
  const message = `It made the same call ${times} times in a row with the same result: ${tool} ${canonical(input)}`;
  const prompt = `Thread '${thread.directive}' may be going round in circles.\n\n${message}\n\nApprove to let it go on? Deny ends it as cancelled; what it did so far is kept.`;
  return suspend(
    thread,
    { reason: "approval", message, prompt, what: "somebody to say whether it may go on" },
    needs,
  );
}

/** Its right is one that must be asked for. */
export function askAboutCall(thread: Thread, call: OpenCall, needs: AskingNeeds): NewEvent[] {
  const right = shortRight(askedRight(thread.rights, call) ?? toolRight(call.tool));
  const why =
    call.tool === SIGN_TOOL
      ? "it would sign with your key, and vouch for these bytes in your name"
      : `the right ${right} must be asked for each time`;
  return suspend(thread, callQuestion(thread, call, why), needs);
}
