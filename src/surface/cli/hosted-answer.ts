/**
 * Who reads the stream of a thread that is hosted looks for one last record of one kind, whichever command hosts it
 * (UX a.3). As one document (--json) the answer of a command keeps the shape of its own.
 */
import type { Answer } from "./answer.ts";
import type { Session } from "./session.ts";
import type { ThreadObject } from "./thread-object.ts";

export function hostedAnswer({ terminal }: Session, answer: Answer, thread: ThreadObject): Answer {
  if (terminal.look.format !== "jsonl") return answer;
  return { ...answer, kind: "thread.result", data: { ...thread, answer: answer.data } };
}
