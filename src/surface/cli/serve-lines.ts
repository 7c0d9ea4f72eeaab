/** What a host tells while it stays: a line for each change of a thread's state, and what went wrong beside them. */
import type { Event } from "../../core/event.ts";
import { oneLine } from "../../core/text.ts";
import type { Notice } from "../../core/world.ts";
import { VIEWS, type View } from "./glyph.ts";
import { clockTime, shortTime } from "./moment.ts";
import type { Session } from "./session.ts";

/** The same word is not said again for this long: a full disk fails at every write. */
const AGAIN_AFTER_MS = 60_000;
const WIDTH = 100;

export class ServeLines {
  readonly #session: Session;
  #last = { text: "", at: Number.NEGATIVE_INFINITY };

  constructor(session: Session) {
    this.#session = session;
  }

  hear(notice: Notice): void {
    const { terminal } = this.#session;
    if (notice.type === "event" || notice.type === "live") {
      if (terminal.look.format === "jsonl") terminal.record(notice.event);
      else if (notice.type === "event") this.#event(notice.event);
      return;
    }
    const text = troubleText(notice);
    if (text !== undefined) this.trouble(text);
  }

  trouble(text: string): void {
    const now = performance.now();
    if (this.#last.text === text && now - this.#last.at < AGAIN_AFTER_MS) return;
    this.#last = { text, at: now };
    this.#session.terminal.say(`${this.#session.terminal.err.yellow("▲")} ${text}`);
  }

  say(text: string): void {
    if (!this.#session.flags.quiet) this.#session.terminal.print(text);
  }

  #event(event: Event): void {
    const change = stateChange(event, Date.parse(event.ts));
    if (!change) return;
    const { glyph, colour } = VIEWS[change.view];
    const { out } = this.#session.terminal;
    const more = change.text === "" ? "" : `: ${change.text}`;
    const time = out.dim(clockTime(event.ts));
    this.say(`${time} ${out[colour](glyph)} ${event.thread_id} ${change.word ?? change.view}${more}`);
  }
}

interface StateChange {
  readonly view: View;
  /** Where the view says too little. */
  readonly word?: string;
  readonly text: string;
}

/** Undefined: its state is what it was. */
export function stateChange(event: Event, now: number): StateChange | undefined {
  switch (event.type) {
    case "thread_started":
      return { view: "running", text: "" };
    case "thread_resumed":
      return { view: "running", word: "resumed", text: `by ${oneLine(event.by, 60)}` };
    case "crash_recovered":
      return { view: "running", word: "recovered", text: "" };
    case "auto_retry_start":
      return { view: "retrying", text: `attempt ${event.attempt} of ${event.maxAttempts}` };
    case "wait_started":
      return { view: "waiting", text: "" };
    case "thread_stopping":
      return { view: "stopping", text: "" };
    case "thread_suspended":
      return { view: "suspended", ...suspendedText(event, now) };
    case "approval_requested":
      return { view: "suspended", word: "asks", text: `selvage approve ${event.approval_id}` };
    case "thread_completed":
      return { view: "completed", text: oneLine(event.text, WIDTH) };
    case "thread_failed":
      return { view: "error", word: "failed", text: oneLine(event.message, WIDTH) };
    case "thread_cancelled":
      return { view: "cancelled", text: oneLine(event.reason, WIDTH) };
    case "thread_continued":
      return { view: "continued", text: `in ${event.to}` };
    default:
      return undefined;
  }
}

function suspendedText({ reason, message, waits_for }: Event<"thread_suspended">, now: number) {
  const until = waits_for.kind === "person" ? waits_for.until : undefined;
  const time = until === undefined ? "" : `until ${shortTime(until, now)} · `;
  return { text: `${time}${reason}: ${oneLine(message ?? "", WIDTH)}` };
}

function troubleText(notice: Exclude<Notice, { type: "event" | "live" }>): string | undefined {
  switch (notice.type) {
    case "storage":
      return `The store does not take writes: ${notice.message}. Nothing further is started until it does.`;
    case "damaged":
      return `${notice.threadId} is damaged after event ${notice.damage.last_good}: ${notice.damage.why}.`;
    case "fenced":
      return `${notice.threadId} was taken over by another process; it goes on there.`;
    case "process_reaped":
      return `${notice.handle} had been left behind by ${notice.threadId}, which is over: stopped.`;
    case "walk_failed":
      return `${notice.threadId} failed in a way of its own, and the others go on: ${oneLine(notice.message, 200)}`;
    case "watching":
      return "Another machine may host this project: watching whether it gives a sign of life.";
    default:
      return undefined;
  }
}
