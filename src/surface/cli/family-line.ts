/** Lines of a log about children: started, waited for, ended; and a thread that ends once they have. */
import type { Event } from "../../core/event.ts";
import { showDollars } from "../../core/money.ts";
import { oneLine } from "../../core/text.ts";
import { type LogLine, say } from "./log-line.ts";
import { clockTime, counted } from "./moment.ts";
import { shortId, shortIds } from "./short-id.ts";

const WIDTH = 96;

type Told =
  | "child_thread_started"
  | "child_thread_completed"
  | "child_thread_failed"
  | "child_thread_suspended"
  | "child_thread_resumed"
  | "descendant_reported"
  | "wait_started"
  | "wait_finished"
  | "thread_stopping";

export function familyLine(event: Event<Told>): LogLine | undefined {
  switch (event.type) {
    case "child_thread_started":
      return say(undefined, "child", `${shortId(event.child_id)} ${howStarted(event)}`);
    case "child_thread_completed":
      return say(undefined, "child", `${shortId(event.child_id)} ✓ ${costOf(event)}`, "good");
    case "child_thread_failed": {
      const sign = event.status === "error" ? "✗" : "⊘";
      const text = `${shortId(event.child_id)} ${sign} ${event.status}: ${oneLine(event.error, WIDTH)} (${costOf(event)})`;
      return say(undefined, "child", text, "bad");
    }
    case "child_thread_suspended":
      return say(
        undefined,
        "child",
        `${shortId(event.child_id)} ‖ ${event.reason}: ${oneLine(event.message, WIDTH)}`,
        "loud",
      );
    case "child_thread_resumed":
      return say(undefined, "child", `${shortId(event.child_id)} goes on`);
    case "descendant_reported":
      return reportLine(event);
    case "wait_started":
      return waitLine(event);
    case "wait_finished":
      return say(undefined, "waited", ENDS[event.why]);
    case "thread_stopping":
      return say(undefined, "stopping", "ends as soon as its children have", "loud");
  }
}

function howStarted({ start, hook }: Event<"child_thread_started">): string {
  if (hook) return `started for the hook ${oneLine(hook.id, 40)} on ${hook.event}`;
  return start ? "started" : "registered, not started";
}

const ENDS: Record<Event<"wait_finished">["why"], string> = {
  met: "all that was waited for is there",
  failed: "not all completed",
  suspended: "one of them needs money: it is told",
  timeout: "its time is up; they go on",
  interrupted: "something else came in between",
  turn: "it is its turn",
  news: "something new was posted",
  alone: "nobody else is in the channel any more",
};

/** Of one further down: who started it has its own line about it. */
function reportLine(event: Event<"descendant_reported">): LogLine | undefined {
  const { descendant_id, status, error = "" } = event;
  if (status === "created" || status === "running") return undefined;
  const why = status === "completed" ? "" : `: ${oneLine(error, WIDTH)}`;
  return say(undefined, "below", `${shortId(descendant_id)} ${status}${why}`);
}

/** Said again after an interruption, it is the same wait. */
function waitLine(event: Event<"wait_started">): LogLine | undefined {
  const { thread_ids: ids, require, until, since, call_id, hook, channel } = event;
  if (since !== undefined) return undefined;
  const some = require < ids.length ? `${require} of ` : "";
  const end = call_id === null && hook === undefined ? "at its end " : "";
  const limit = until === undefined ? "" : `, until ${clockTime(until)}`;
  if (channel !== undefined) return say(undefined, "waits", `in the channel ${channel}${limit}`);
  return say(undefined, "waits", `${end}for ${some}${shortIds(ids, 4)}${limit}`);
}

function costOf({ cost }: Event<"child_thread_completed" | "child_thread_failed">): string {
  return `${counted(cost.turns, "turn")}, $${showDollars(cost.spent)}`;
}
