/** A thread as somebody else reads it: what happened, in order, with every word that was said. */
import type { Event } from "../../../core/event.ts";
import { stripControls } from "../../../core/text.ts";
import { LogLines } from "../event-line.ts";
import type { LogLine } from "../log-line.ts";

export interface Entry extends LogLine {
  readonly ts: string;
  /** In full, where the line is not all of it. */
  readonly body?: { readonly kind: "said" | "data"; readonly text: string } | undefined;
}

export interface Account {
  readonly threadId: string;
  readonly directive: string;
  readonly model: string;
  readonly status: string;
  readonly from: string;
  readonly until: string;
  readonly turns: number;
  readonly tokens: number;
  readonly spend: string | null;
  /** Where its journal is damaged, what could be read of it stands here. */
  readonly damage: string | null;
  readonly entries: readonly Entry[];
}

export function entriesOf(events: readonly Event[]): Entry[] {
  const lines = new LogLines();
  return events.flatMap((event) => {
    const line = lines.line(event);
    if (!line) return [];
    const body = bodyOf(event);
    return [{ ...line, ts: event.ts, ...(body ? { body } : {}) }];
  });
}

function bodyOf(event: Event): Entry["body"] {
  switch (event.type) {
    case "cognition_in":
    case "message_received":
      return said(event.text);
    case "cognition_out":
      return said(event.content.flatMap(textIn).join("\n\n"));
    case "tool_call_start":
      return { kind: "data", text: JSON.stringify(event.input, null, 2) ?? "" };
    case "tool_call_result":
      return { kind: "data", text: stripControls(event.output) };
    case "thread_completed":
      return said(event.text);
    default:
      return undefined;
  }
}

function textIn(block: Event<"cognition_out">["content"][number]): string[] {
  return block.type === "text" ? [block.text] : [];
}

function said(text: string): Entry["body"] {
  const clean = stripControls(text).trim();
  return clean === "" ? undefined : { kind: "said", text: clean };
}
