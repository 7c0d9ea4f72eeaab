/** Threads that live from what their program brought along: no command runs them without it. */
import { lackingOf } from "../../core/brought.ts";
import type { World } from "../../core/world.ts";
import type { Sighting } from "./survey.ts";

export interface LeftToProgram {
  readonly thread_id: string;
  /** Tools and models that are not here. */
  readonly lacks: readonly string[];
}

/** The others may be taken up. */
export async function sortOut(
  world: World,
  sightings: readonly Sighting[],
): Promise<{ readonly here: Sighting[]; readonly left: LeftToProgram[] }> {
  // The tools of a project take a moment to be known.
  await world.ready?.();
  const here: Sighting[] = [];
  const left: LeftToProgram[] = [];
  for (const sighting of sightings) {
    const lacks = lackingOf(sighting.row, world);
    if (lacks.length === 0) here.push(sighting);
    else left.push({ thread_id: sighting.row.thread_id, lacks });
  }
  return { here, left };
}

export function leftLines(left: readonly LeftToProgram[]): string[] {
  return left.flatMap(({ thread_id, lacks }) => [
    `! ${thread_id}   not taken up: it needs ${lacks.join(", ")}, which its program brings`,
    `     run that program again: it brings the thread back; selvage cancel ${thread_id} ends it`,
  ]);
}
