/** An agent cannot approve itself (L5): what only a person may say is refused to a process that a tool started. */
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";

export function requirePerson(command: string, environment: NodeJS.ProcessEnv = process.env): void {
  const thread = environment["SELVAGE_THREAD"];
  if (thread === undefined || thread === "") return;
  throw new Problem("E_AGENT", {
    what: `selvage ${command} was asked for by a tool of ${oneLine(thread, 170)}, not by a person.`,
    why: "SELVAGE_THREAD is set, as it is for everything a tool starts. Whether a thread may go on, what it may do and whether a project is trusted is for people to say. This is a guard rail: it keeps an agent from answering by mistake, not one that is determined to.",
    next: [{ cmd: "selvage approvals", why: "what is open, for a person in a terminal of their own" }],
  });
}
