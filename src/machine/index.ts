/** This computer: who we are, who lives, how to be woken. */
import type { Machine } from "../core/world.ts";
import { listen, ring } from "./bell.ts";
import { ownerState, ownerText } from "./identity.ts";
import { realProcessTable } from "./process-table.ts";

export { randomBytes, sha256 } from "./chance.ts";
export { realClock } from "./clock.ts";

/** Who a process is, as text that `ownerState` reads. */
export function processIdentity(pid: number): string {
  return ownerText(realProcessTable(), pid);
}

/** A fact about the process, however many worlds it opens. */
const walking = new Set<string>();

export function realMachine(): Machine {
  const table = realProcessTable();
  return {
    owner: ownerText(table),
    walking,
    ownerState: (owner) => ownerState(owner, table),
    listen: () => listen(),
    ring,
  };
}
