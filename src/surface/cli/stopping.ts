/** Stopping threads: who is meant, what is asked, and until when it is watched. Nothing is written for who has ended. */
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { applyToTree, newRequestId, postRequest } from "../../runtime/index.ts";
import { PATIENCE_MS } from "./hosting.ts";
import { livingBelow } from "./needs-you.ts";
import { person } from "./person.ts";
import { resolveHeads } from "./resolve.ts";
import { surveyOne } from "./survey.ts";

export interface StopChoice {
  readonly tree?: boolean;
  readonly siblings?: boolean;
}

/** The threads that are asked to stop. */
export async function chooseToStop(
  world: World,
  ids: readonly string[],
  { tree, siblings }: StopChoice,
): Promise<ThreadRow[]> {
  const named = await resolveHeads(world.store, ids);
  if (siblings) return siblingsOf(world, named);
  const rows = tree
    ? await resolveHeads(
        world.store,
        named.map(({ root_id }) => root_id),
      )
    : named;
  const over = rows.find(({ status }) => isTerminal(status));
  if (over) throw ended(over, `it is ${over.status}`);
  return rows;
}

/** The other children of their parents, as far as they live. */
async function siblingsOf({ store }: World, rows: readonly ThreadRow[]): Promise<ThreadRow[]> {
  const found = new Map<string, ThreadRow>();
  for (const { parent_id, root_id, thread_id } of rows) {
    if (parent_id === null) throw alone(thread_id, "it was started by a person");
    const others = (await store.find({ rootId: root_id, onlyHeads: true })).filter(
      (row) => row.parent_id === parent_id,
    );
    for (const row of others) if (!isTerminal(row.status)) found.set(row.thread_id, row);
  }
  for (const { thread_id } of rows) found.delete(thread_id);
  const [first] = rows;
  if (found.size === 0 && first) throw alone(first.thread_id, "no other child of its parent is alive");
  return [...found.values()];
}

function alone(threadId: string, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} has no siblings that could be stopped: ${why}.`,
    why: "Nothing was written.",
    next: [{ cmd: `selvage tree ${threadId}`, why: "what is there" }],
    threadId,
  });
}

function ended(row: ThreadRow, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} cannot be cancelled: ${why}.`,
    why: `It is ${row.status} since ${row.updated_at}. Nothing was written.`,
    next: [{ cmd: `selvage show ${row.thread_id}`, why: "how it ended" }],
    threadId: row.thread_id,
  });
}

/** Everyone who is to stop: those below first, each once. */
export async function everyoneMeant(world: World, rows: readonly ThreadRow[]): Promise<ThreadRow[]> {
  const all = new Map<string, ThreadRow>();
  for (const row of rows) {
    for (const { row: below } of (await livingBelow(world, row)).toReversed())
      all.set(below.thread_id, below);
  }
  for (const row of rows) all.set(row.thread_id, row);
  return [...all.values()];
}

export interface StopAsk {
  readonly reason: string;
  readonly afterTool?: boolean | undefined;
}

/** True when a live host does the rest. */
export async function askToStop(
  world: World,
  row: ThreadRow,
  { reason, afterTool }: StopAsk,
): Promise<boolean> {
  const asked = { request_id: newRequestId(world), thread_id: row.thread_id, by: person() };
  const how = afterTool ? { after_tool: true as const } : {};
  const posted = await postRequest(world, { ...asked, kind: "cancel", reason, nonce: row.nonce, ...how });
  if (!posted.accepted) throw ended(row, posted.why);
  return posted.host !== undefined;
}

/** Tools get 3 s between TERM and KILL: longer than this a command does not wait for a host elsewhere. */
const WAIT_MS = 6_000;
const LOOK_EVERY_MS = 50;
const QUIET_LOOK_MS = 1_000;

/** Until they have ended, or it was long enough. Should nobody host them any more, what was asked is applied here. */
export async function watchEnd(
  world: World,
  rows: readonly ThreadRow[],
  { isPatient, signal }: { readonly isPatient: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, store } = world;
  const deadline = isPatient ? Number.POSITIVE_INFINITY : clock.monotonic() + WAIT_MS;
  let nextLook = clock.monotonic() + QUIET_LOOK_MS;
  while (clock.monotonic() < deadline && !signal.aborted) {
    const open: ThreadRow[] = [];
    for (const { thread_id: threadId } of rows) {
      const [row] = await store.find({ threadId, limit: 1 });
      if (row && !isTerminal(row.status)) open.push(row);
    }
    if (open.length === 0) return;
    if (clock.monotonic() >= nextLook) {
      nextLook = clock.monotonic() + QUIET_LOOK_MS;
      for (const row of open) if (!(await surveyOne(world, row)).host) await applyHere(world, row);
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

export function applyHere(world: World, { thread_id: threadId }: ThreadRow): Promise<void> {
  return applyToTree(world, threadId, PATIENCE_MS);
}
