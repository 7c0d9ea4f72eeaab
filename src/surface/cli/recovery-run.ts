/** Carries a recovery plan out: posts what has to be asked, then hosts the threads. */
import { Problem } from "../../core/problem.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { HostRow } from "../../core/store.ts";
import { stripControls } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { applyToTree, newRequestId, postRequest } from "../../runtime/index.ts";
import { askProjectHost, projectHost } from "../host/project-host.ts";
import { carryOn } from "./carry-on.ts";
import { followElsewhere } from "./follow-elsewhere.ts";
import { VIEWS } from "./glyph.ts";
import { type HostingEnd, locked, PATIENCE_MS } from "./hosting.ts";
import type { OpenProject } from "./house.ts";
import { person } from "./person.ts";
import type { Choice } from "./recovery-choice.ts";
import type { Planned } from "./recovery-plan.ts";
import { exitOfTree, needsBelow } from "./result.ts";
import type { Session } from "./session.ts";
import type { Sighting } from "./survey.ts";
import { seeById, type ThreadObject, threadObject } from "./thread-object.ts";

export interface Recovered {
  readonly thread: ThreadObject;
  readonly exit: number;
  /** False when another process was faster. */
  readonly isOurs: boolean;
  readonly signal: number | undefined;
  readonly text: string;
}

export async function takeUp(
  session: Session,
  { world, root }: OpenProject,
  plan: readonly Planned[],
  choice: Choice,
): Promise<Recovered[]> {
  const rows = plan.map(({ sighting }) => sighting.row);
  const isEnded = choice.markError || choice.markCancelled;
  const isTaken = choice.take !== undefined;
  const served = isEnded || isTaken ? undefined : await projectHost(world);
  // Before anything is posted: who cannot take them up is not asked to let them go on.
  if (served) await handOver(root, served, rows);
  for (const { sighting } of plan) await postFor(world, sighting, choice);
  const end = isEnded
    ? await endHere(world, rows)
    : served
      ? await followElsewhere(session, world, rows, undefined)
      : await carryOn(session, world, rows, { isTaken });
  return Promise.all(rows.map((row) => recovered(world, row, { end, choice })));
}

const MOST_AT_ONCE = 200;

/** Who hosts everything takes them up (R2). Should it die before it does, they are as they were. */
async function handOver(root: string, served: HostRow, rows: readonly ThreadRow[]): Promise<void> {
  const threads = [...new Set(rows.map(({ chain_root_id }) => chain_root_id))];
  const [first] = rows;
  // A line has its bounds, and so has what is asked in it.
  for (let at = 0; at < threads.length; at += MOST_AT_ONCE) {
    const some = threads.slice(at, at + MOST_AT_ONCE);
    const said = await askProjectHost(root, served, { type: "recover", threads: some });
    if (!said?.success && first) throw locked(first.thread_id, served.owner);
  }
}

/** To end a thread needs neither model nor tool: nobody else of its tree goes on because of it. */
async function endHere(world: World, rows: readonly ThreadRow[]): Promise<HostingEnd> {
  for (const { thread_id } of rows) await applyToTree(world, thread_id, PATIENCE_MS);
  return { type: "settled", refused: new Map() };
}

/** A dead owner needs no request: the claim is enough. */
async function postFor(world: World, sighting: Sighting, choice: Choice): Promise<void> {
  const { row } = sighting;
  const asked = { request_id: newRequestId(world), thread_id: row.thread_id, by: person() };
  const request = requestFor(asked, sighting, choice);
  if (!request) return;
  const posted = await postRequest(world, request);
  if (posted.accepted) return;
  throw new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} cannot be asked that.`,
    why: `${posted.why}. Nothing was written.`,
    next: [{ cmd: `selvage show ${row.thread_id}`, why: "its state" }],
    threadId: row.thread_id,
  });
}

function requestFor(
  asked: { request_id: string; thread_id: string; by: string },
  { row, isAbandoned }: Sighting,
  { markError, markCancelled }: Choice,
): Request | undefined {
  if (markError) return { ...asked, kind: "mark_error", reason: "Marked as failed by a person." };
  if (markCancelled)
    return { ...asked, kind: "cancel", reason: "Marked as cancelled by a person.", nonce: row.nonce };
  // Its time has come, or an answer waits for it: that decides, and nothing has to be asked again.
  if (row.status !== "suspended" || isAbandoned) return undefined;
  return { ...asked, kind: "resume", nonce: row.nonce };
}

async function recovered(
  world: World,
  row: ThreadRow,
  { end, choice }: { end: HostingEnd; choice: Choice },
): Promise<Recovered> {
  const by = end.type === "settled" ? end.refused.get(row.root_id) : undefined;
  const seen = await seeById(world, row.thread_id);
  if (!seen) throw new Error(`${row.thread_id} is gone from the store`);
  if (by && choice.take !== undefined) throw locked(row.thread_id, by.owner);
  const thread = threadObject(seen);
  const wanted = choice.markError ? "error" : choice.markCancelled ? "cancelled" : undefined;
  // Another process took it up: what was asked for happens, there.
  const exit = by || thread.status === wanted ? 0 : exitOfTree(thread, await needsBelow(world, seen));
  const text = by ? `${thread.thread_id} is taken up by another process` : endText(thread);
  return { thread, exit, isOurs: !by, signal: "exit" in end ? end.exit : undefined, text };
}

export function endText(thread: ThreadObject): string {
  const head = `${VIEWS[thread.view].glyph} ${thread.thread_id} ${thread.view}`;
  if (thread.result) return `${head}: ${stripControls(thread.result.text)}`;
  if (thread.damage) return `${head}: ${stripControls(thread.now.doing)}`;
  if (thread.error && (thread.status === "error" || thread.status === "suspended"))
    return `${head}: ${stripControls(thread.error.message)}`;
  return head;
}
