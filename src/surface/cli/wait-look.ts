/** One look at threads that somebody waits for: what each came to, and who of them cannot move without a person. */
import { headOf } from "../../core/chain-links.ts";
import type { Child } from "../../core/family.ts";
import type { Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import { foldThread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import { needsSomebody, standstill } from "./needs-you.ts";
import { type Sighting, surveyOne } from "./survey.ts";

export interface Waited {
  readonly sighting: Sighting;
  readonly child: Child;
  /** Threads without whom it does not move: itself, or some below it. */
  readonly needs: readonly Sighting[];
}

export async function lookAt(world: World, threadId: string): Promise<Waited> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  if (!row) throw new Error(`${threadId} is gone from the store`);
  const sighting = await surveyOne(world, await headOf(world.store, row));
  const needs = needsSomebody(sighting) ? [sighting] : await standstill(world, sighting.row);
  return { sighting, needs, child: await childOf(world, sighting, threadId) };
}

/** Named as it was asked for, whichever thread of its chain it is by now. */
async function childOf(world: World, { row, requests, damage }: Sighting, id: string): Promise<Child> {
  const cost = {
    turns: row.turns,
    tokens: row.input_tokens + row.output_tokens,
    spent: row.spent + row.below,
  };
  const status = damage && !isTerminal(row.status) ? "suspended" : statusOf(row, requests);
  return {
    id,
    directive: row.directive,
    status,
    cost,
    suspensions: 0,
    told: 0,
    ...(row.suspend_reason ? { reason: row.suspend_reason } : {}),
    ...(row.error === null ? {} : { error: row.error }),
    ...(isTerminal(row.status) ? await resultOf(world, row) : {}),
  };
}

/** One that is asked to start is as good as started. */
function statusOf({ status }: ThreadRow, requests: readonly Request[]): Child["status"] {
  // A head is never one that was continued, but for the moment between two looks.
  if (status === "continued") return "running";
  return status === "created" && requests.length > 0 ? "running" : status;
}

async function resultOf({ store }: World, row: ThreadRow): Promise<Partial<Child>> {
  const { events } = await store.load(row.thread_id);
  const { result, returned } = foldThread(row.thread_id, events);
  const end = events.findLast((event) => event.type === "thread_cancelled");
  return {
    ...(result === undefined ? {} : { text: result }),
    ...(returned ? { outputs: returned } : {}),
    ...(row.status === "cancelled" && end?.type === "thread_cancelled" ? { error: end.reason } : {}),
  };
}
