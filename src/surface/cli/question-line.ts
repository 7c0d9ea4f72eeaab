/** Lines of a log about hooks, limits, questions and their answers. */
import type { Event } from "../../core/event.ts";
import { oneLine } from "../../core/text.ts";
import { asksText } from "./approval-object.ts";
import { limitKey, limitText } from "./limit-text.ts";
import { type LogLine, say } from "./log-line.ts";
import { duration } from "./moment.ts";

const WIDTH = 96;

type Told = "hook_matched" | "limit_escalation_requested" | "approval_requested" | "approval_decided";

export function questionLine(event: Event<Told>): LogLine {
  switch (event.type) {
    case "hook_matched":
      return hookLine(event);
    case "limit_escalation_requested": {
      const key = limitKey(event.limit_code);
      const used = `${key} ${limitText(key, event.current_value)} of ${limitText(key, event.current_max)}`;
      return say(undefined, "limit", oneLine(`${used} → ${event.approval_request_id}`, WIDTH), "loud");
    }
    case "approval_requested":
      return say(
        undefined,
        "asks",
        `selvage approve ${event.approval_id} · ${asksText({ approval: event })}`,
        "loud",
      );
    case "approval_decided": {
      const { approval_id, approved, by, via, message } = event;
      const said = message === undefined ? "" : ` · ${oneLine(message, WIDTH)}`;
      const text = `${approval_id} ${approved ? "approved" : "denied"} by ${oneLine(by, 60)} (${oneLine(via, 20)})${said}`;
      return say(undefined, "answer", text, approved ? "good" : "loud");
    }
  }
}

function hookLine({ hook, event, action, message, problem, duration_ms }: Event<"hook_matched">): LogLine {
  const said = problem ?? message;
  const text = `${oneLine(hook, 40)} on ${event} → ${action} ${duration(duration_ms)}`;
  const tone = problem === undefined ? (action === "continue" ? "plain" : "loud") : "bad";
  return say(undefined, "hook", said === undefined ? text : `${text} · ${oneLine(said, WIDTH)}`, tone);
}
