/** Log lines about a conversation that becomes shorter, or goes on in another thread. */
import type { Event } from "../../core/event.ts";
import { grouped, oneLine } from "../../core/text.ts";
import { type LogLine, say } from "./log-line.ts";

type ContextEvent = Event<"context_compaction_start" | "context_compaction_end" | "thread_continued">;

const WHY = {
  pressure: "the conversation is full",
  overflow: "the conversation did not fit",
  hook: "a hook wants it shorter",
  person: "a person wants it shorter",
} as const;

export function contextLine(event: ContextEvent): LogLine {
  switch (event.type) {
    case "context_compaction_start": {
      const part = event.window > 0 ? ` of ${count(event.window)}` : "";
      return say(undefined, "context", `${WHY[event.why]}: about ${count(event.tokens)}${part} tokens`);
    }
    case "context_compaction_end": {
      if (event.failed !== undefined)
        return say(undefined, "context", `stays as it is: ${oneLine(event.failed, 120)}`, "loud");
      const notes =
        event.without_notes === undefined ? "" : ` · without notes: ${oneLine(event.without_notes, 120)}`;
      return say(undefined, "context", `about ${count(event.tokens_after)} tokens from here on${notes}`);
    }
    case "thread_continued":
      return say(
        undefined,
        "continued",
        `in ${event.to}${event.why === "user" ? ` · ${oneLine(event.by ?? "a person", 30)} had more to say` : ""}`,
      );
  }
}

function count(tokens: number): string {
  return grouped(tokens);
}
