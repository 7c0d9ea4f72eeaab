/**
 * `log.jsonl`: what was said in a chat, one line for each message that came in and each that went out. It is made from the journal
 * and never read back, but for its last line: that says how far it got.
 */
import { attachedIn } from "./chat-attached.ts";
import { messageOf } from "./chat-intake.ts";
import { outcomeText } from "./chat-outcome.ts";
import type { ChatState } from "./chat-state.ts";
import type { Event } from "./event.ts";

/** Where in the journal a line comes from. */
export interface LogPlace {
  readonly thread_id: string;
  readonly seq: number;
}

export interface ChatLogLine extends LogPlace {
  readonly ts: string;
  readonly way: "in" | "out";
  readonly text: string;
  /** What the platform calls it, where it has a name there. */
  readonly message_id?: string | undefined;
  readonly by?: string;
  readonly attachments?: readonly string[];
  /** Of what goes out: what it answers, or asks; and that it did not arrive. */
  readonly for?: string;
  readonly undelivered?: true;
}

export interface ChatLog {
  /** Of the last whole line. */
  last(chainRootId: string): LogPlace | undefined;
  /** After the last whole line; what is there already is not written again. */
  append(chainRootId: string, line: ChatLogLine): void;
}

/** `state`: as it was before the event. Of threads below, nothing is logged. */
export function chatLogLine(state: ChatState, event: Event): ChatLogLine | undefined {
  const { thread_id, seq, ts } = event;
  if (!state.threads.includes(thread_id)) return undefined;
  const place = { ts, thread_id, seq };
  if (event.type === "message_received") {
    const { words, files } = attachedIn(event.text);
    const names = files.map(({ path }) => path);
    return {
      ...{ ...place, way: "in", by: event.by, text: words, message_id: messageOf(event.request_id)?.id },
      ...(names.length > 0 ? { attachments: names } : {}),
    };
  }
  if (event.type !== "delivery_noted" || event.state === "intended") return undefined;
  const text = saidIn(state, event);
  if (text === undefined) return undefined;
  const lost = event.state === "given_up" ? { undelivered: true as const } : {};
  return { ...place, way: "out", text, message_id: event.message_id, for: event.for, ...lost };
}

function saidIn({ works, questions, files }: ChatState, event: Event<"delivery_noted">): string | undefined {
  switch (event.what) {
    case "answer": {
      const outcome = works.find(({ key }) => key === event.for)?.outcome;
      return outcome && outcomeText(outcome).text;
    }
    case "file":
      return files.find(({ callId }) => callId === event.for)?.path;
    case "card":
      return questions.find(({ approval }) => approval.approval_id === event.for)?.approval.prompt;
    default:
      return undefined;
  }
}
