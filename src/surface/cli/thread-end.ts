/** The last words when a second signal ends the process: the stream still gets its one final record. */
import { Problem } from "../../core/problem.ts";
import { errorEnvelope } from "./answer.ts";
import { problemData } from "./problem-text.ts";
import type { Session } from "./session.ts";

export function forcedEnd(session: Session, threadId: string, exit: number): void {
  const next = [{ cmd: `selvage recover ${threadId}`, why: "brings it back" }];
  const what = "Ended at once by a second signal. Everything finished is stored.";
  session.terminal.say(`\n${what}\n  next  ${next[0]?.cmd}`);
  if (session.terminal.isMachine) {
    const problem = new Problem("E_INTERNAL", { what, next, threadId });
    session.terminal.final(errorEnvelope(exit, problemData(problem)));
  }
}
