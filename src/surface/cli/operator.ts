/** An agent cannot approve itself (L5): what only a person may say is refused to a process that a tool started. */
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { person } from "./person.ts";

export function requirePerson(command: string, environment: NodeJS.ProcessEnv = process.env): void {
  const thread = environment["SELVAGE_THREAD"];
  if (thread === undefined || thread === "") return;
  throw new Problem("E_AGENT", {
    what: `selvage ${command} was asked for by a tool of ${oneLine(thread, 170)}, not by a person.`,
    why: "SELVAGE_THREAD is set, as it is for everything a tool starts. Whether a thread may go on, what it may do and whether a project is trusted is for people to say. This is a guard rail: it keeps an agent from answering by mistake, not one that is determined to.",
    next: [{ cmd: "selvage approvals", why: "what is open, for a person in a terminal of their own" }],
  });
}

/** Who says something: a message of a tool is never taken for a person's. */
export function sender(environment: NodeJS.ProcessEnv = process.env): string {
  const thread = environment["SELVAGE_THREAD"];
  return thread === undefined || thread === "" ? person() : `a tool of ${oneLine(thread, 170)}`;
}

/** A tool may speak to whom its thread may: those below it, and the one that started it (D2). */
export async function requireRelative(
  { store }: World,
  row: ThreadRow,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const threadId = environment["SELVAGE_THREAD"];
  if (threadId === undefined || threadId === "") return;
  const family = await store.find({ rootId: row.root_id });
  const parents = new Map(family.map(({ chain_root_id, parent_id }) => [chain_root_id, parent_id]));
  if (parents.get(threadId) === row.chain_root_id) return;
  for (let above = row.parent_id; above !== null; above = parents.get(above) ?? null) {
    if (above === threadId) return;
  }
  throw new Problem("E_AGENT", {
    what: `A tool of ${oneLine(threadId, 170)} may not speak to ${row.thread_id}.`,
    why: "A thread speaks to those below it and to the one that started it. SELVAGE_THREAD is set, as it is for everything a tool starts.",
    next: [{ cmd: `selvage tree ${row.root_id}`, why: "who belongs to whom" }],
  });
}
