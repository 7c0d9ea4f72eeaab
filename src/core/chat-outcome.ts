/** What people are told when a go at a prompt has ended. */
import type { ChatText } from "./chat-platform.ts";
import { ALREADY_ANSWERED, STOPPED, unreadText } from "./chat-progress.ts";
import type { ChatOutcome } from "./chat-state.ts";
import { ALREADY_WORKING, errorText } from "./chat-texts.ts";
import { oneLine } from "./text.ts";

/** In full; how an answer goes out is another matter. */
export function outcomeText(outcome: ChatOutcome): ChatText {
  switch (outcome.kind) {
    case "answer":
      return { text: outcome.text };
    case "error":
      return errorText(outcome.error);
    case "unread":
      return { text: unreadText(outcome) };
    case "too_late":
      return { text: outcome.isAnswered ? ALREADY_ANSWERED : ALREADY_WORKING };
    default:
      return { text: STOPPED };
  }
}

/** Files of an answer that could not be sent: where they stand. */
export function unsentText(names: readonly string[], threadId: string): string {
  const files = names.map((name) => oneLine(name, 80)).join(", ");
  return `${files} could not be sent here. All of it stands in .ai/threads/${oneLine(threadId, 160)}/transcript.jsonl.`;
}

/** A file of the agent's that could not be sent. */
export function standsAt({ name, path }: { readonly name: string; readonly path: string }): string {
  return `${oneLine(name, 80)} could not be sent here. It stands at ${oneLine(path, 200)} in the project.`;
}
