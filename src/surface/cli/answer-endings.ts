/** How threads ended that were hosted because somebody answered a question of theirs. */
import { EXIT } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { Answer } from "./answer.ts";
import type { Given } from "./answering.ts";
import type { HostingEnd } from "./hosting.ts";
import type { OpenProject } from "./house.ts";
import { endText } from "./recovery-run.ts";
import { threadAnswer } from "./result.ts";
import { requireSeen, type ThreadObject, threadObject } from "./thread-object.ts";

export type Ending = Pick<Answer, "exit" | "text" | "hint">;

export async function endingOf(
  project: OpenProject,
  row: ThreadRow,
  thread: ThreadObject,
  end: HostingEnd,
): Promise<Ending> {
  if (end.type === "settled" && end.refused.has(row.root_id)) {
    return { exit: EXIT.ok, text: `${row.thread_id} is taken up by another process` };
  }
  const { exit, hint = "" } = await threadAnswer(project, row.thread_id, end);
  return { exit, hint, text: hint === "" ? endText(thread) : "" };
}

/** Roots that went on because of a question further down. One that still waits for who asked has nothing to say. */
export async function rootEndings(
  project: OpenProject,
  given: readonly Given[],
  end: HostingEnd,
): Promise<Ending[]> {
  const { world } = project;
  const roots = new Set<string>();
  for (const { target, fate } of given) {
    const { thread_id: threadId, root_id, parent_id } = target.row;
    const [row] = await world.store.find({ threadId, limit: 1 });
    if (fate.type === "here" && parent_id !== null && row && isTerminal(row.status)) roots.add(root_id);
  }
  const endings: Ending[] = [];
  for (const root of roots) {
    const seen = await requireSeen(world, root);
    endings.push(await endingOf(project, seen.sighting.row, threadObject(seen), end));
  }
  return endings;
}
