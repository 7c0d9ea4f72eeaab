/**
 * A thread that waits for its children stands still when one of them waits for a person (R2, exit 3): those below it
 * without whom nothing moves. Whoever goes on by itself one day is none of them.
 */
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { resumesAt } from "./approval-object.ts";
import { looker, type Sighting } from "./survey.ts";

/** Everyone below a thread who has not ended. Whoever stands between them has not ended either (T7). */
export async function livingBelow(world: World, { root_id, chain_root_id }: ThreadRow): Promise<Sighting[]> {
  const look = await looker(world);
  const live = await world.store.candidates(root_id);
  const parents = new Map(live.map(({ row }) => [row.chain_root_id, row.parent_id]));
  const isBelow = (id: string) => {
    let above = parents.get(id) ?? null;
    while (above !== null && above !== chain_root_id) above = parents.get(above) ?? null;
    return above !== null;
  };
  return live
    .filter(({ row }) => isBelow(row.chain_root_id))
    .map(({ row, requests, timerDue }) => look(row, requests, timerDue));
}

export function needsSomebody({ row, view, isAbandoned, requests }: Sighting): boolean {
  if (isAbandoned) return true;
  return view === "suspended" && requests.length === 0 && resumesAt(row) === null;
}

/** Nobody below it moves, and these need somebody. Empty while anybody does. */
export async function standstill(world: World, row: ThreadRow): Promise<Sighting[]> {
  if (row.status !== "running" || row.waits_for?.kind !== "children") return [];
  const below = await livingBelow(world, row);
  const isMoving = below.some((sighting) => MOVES.has(sighting.view) && !sighting.isAbandoned);
  return isMoving ? [] : below.filter(needsSomebody);
}

const MOVES: ReadonlySet<Sighting["view"]> = new Set(["running", "created", "retrying", "stopping"]);
