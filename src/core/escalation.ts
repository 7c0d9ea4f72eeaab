/** What a person is asked when a limit is reached or a thread goes round in circles (L3, D8). */

import { costOf } from "./cost.ts";
import type { NewEvent } from "./event.ts";
import { type Breach, proposal } from "./limit.ts";
import { type AskingNeeds, suspend } from "./question.ts";
import type { Settings } from "./settings.ts";
import type { Thread } from "./thread.ts";

/** Suspended, asked and noted in one commit; or, where the policy asks nobody, ended with its work kept. */
export function escalate(
  thread: Thread,
  breach: Breach,
  policy: Settings["limits"]["escalation"],
  needs: AskingNeeds,
): NewEvent[] {
  const { code, current, max, key } = breach;
  const proposed = proposal(breach, policy);
  const reached = `${WORDS[key] ?? key} limit reached: ${shown(current)} of ${shown(max)}`;
  if (proposed === undefined) {
    const reason = `denied: ${reached}, and the settings allow no more`;
    return [{ type: "thread_cancelled", reason, by: "limits.escalation", report: [] }];
  }
  const message = limitPrompt(thread, breach, proposed);
  const limit = { limit_code: code, current, current_max: max, proposed_max: proposed };
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
      current_max: max,
      proposed_max: proposed,
      current_cost: { ...costOf(thread) },
      message,
      approval_request_id: asked.approval_id,
    },
    asked,
  ];
}

const WORDS: Partial<Record<Breach["key"], string>> = { turns: "Turn", tokens: "Token", duration: "Time" };

function limitPrompt(thread: Thread, { key, current, max }: Breach, proposed: number): string {
  const { turns, tokens, duration_seconds } = costOf(thread);
  const unit = key === "duration" ? " seconds" : "";
  return [
    `Thread '${thread.directive}' has reached its ${(WORDS[key] ?? key).toLowerCase()} limit.`,
    "",
    `Used: ${shown(current)} of ${shown(max)}${unit}`,
    `Turns: ${turns} · tokens: ${shown(tokens)} · at work: ${shown(duration_seconds)} s`,
    "",
    `Approve to raise it to ${shown(proposed)}${unit}? The conversation goes on where it stopped.`,
    "Deny ends the thread as cancelled; what it did so far is kept.",
  ].join("\n");
}

function shown(value: number): string {
  return value.toLocaleString("en-US");
}

export function askAboutLoop(thread: Thread, needs: AskingNeeds): NewEvent[] {
  const { tool = "", input = "", times = 0 } = thread.repeat ?? {};
  const message = `It made the same call ${times} times in a row with the same result: ${tool} ${input}`;
  const prompt = `Thread '${thread.directive}' may be going round in circles.\n\n${message}\n\nApprove to let it go on? Deny ends it as cancelled; what it did so far is kept.`;
  return suspend(
    thread,
    { reason: "approval", message, prompt, what: "somebody to say whether it may go on" },
    needs,
  );
}
