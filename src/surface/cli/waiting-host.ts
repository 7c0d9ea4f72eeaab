/** While a host stays for an answer or a time that is near, it says so and who can end the wait: silence looks like work. */
import type { Event } from "../../core/event.ts";
import type { WaitsFor } from "../../core/suspension.ts";
import { clockTime } from "./moment.ts";
import { answerSteps } from "./question-first.ts";
import { stepLines } from "./step-lines.ts";

export class WaitingHost {
  readonly #waits = new Map<string, WaitsFor & { kind: "person" }>();
  readonly #longestMs: number;

  /** No host stays longer than this for a time. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** What is to be told after this event. The question comes after the suspension, and the commands after both. */
  note(event: Event, now: number): string | undefined {
    const { thread_id: id } = event;
    if (event.type === "thread_suspended" && event.waits_for.kind === "person") {
      this.#waits.set(id, event.waits_for);
      return event.waits_for.approval_id === undefined ? this.#text(id, now) : undefined;
    }
    return event.type === "approval_requested" ? this.#text(id, now) : undefined;
  }

  #text(threadId: string, now: number): string | undefined {
    const waits = this.#waits.get(threadId);
    this.#waits.delete(threadId);
    if (waits?.until === undefined || Date.parse(waits.until) - now > this.#longestMs) return undefined;
    const { approval_id: question, follows, until } = waits;
    const time = clockTime(until);
    const head =
      follows === "deny"
        ? `  waits until ${time} for an answer; none counts as a no`
        : `  waits until ${time}, then it goes on by itself`;
    return [head, ...(question === undefined ? [] : stepLines(answerSteps(question)))].join("\n");
  }
}
