// Who owns a lease, and does that process still live (R1)? Decided without any clock.
//   I1. A pid is no identity: start time, boot and pid namespace belong to it, or a stranger would be taken for us.
//   I2. `dead` is said only of what this computer can see for itself; every doubt is `alive` or `elsewhere`.
//   I3. Stopped is not dead: the owner may be continued and goes on writing.
import type { OwnerState } from "../core/claim.ts";
import type { ProcessTable } from "./process-table.ts";

interface Identity {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly start: string;
}

const UNKNOWN_BOOT = "-";
const OWNER = /^([^:\s]+):([^:\s]+):([^:\s]+):([1-9]\d{0,9}):([^:\s]+)$/;

/** Compact text, compared as a whole by the store: `machine:boot:namespace:pid:start`. */
export function ownerText(table: ProcessTable, pid: number = process.pid): string {
  const sighting = table.look(pid);
  const start = typeof sighting === "string" ? "?" : sighting.start;
  return [table.machine, table.boot ?? UNKNOWN_BOOT, table.pidNamespace, pid, start].join(":");
}

export function ownerState(owner: string, table: ProcessTable): OwnerState {
  const identity = parseOwner(owner);
  if (!identity || identity.machine !== table.machine) return "elsewhere";
  if (identity.boot === UNKNOWN_BOOT || table.boot === undefined) return "elsewhere"; // I2
  if (identity.boot !== table.boot) return "dead";
  if (identity.pidNamespace !== table.pidNamespace) return "elsewhere";
  return isAlive(identity, table) ? "alive" : "dead";
}

function isAlive(identity: Identity, table: ProcessTable): boolean {
  const sighting = table.look(identity.pid);
  if (sighting === "gone") return false;
  if (sighting === "hidden") return true; // I2
  const hasEnded = sighting.state === "Z" || sighting.state === "X" || sighting.state === "x";
  return !hasEnded && (sighting.start === identity.start || identity.start === "?"); // I1, I3
}

function parseOwner(owner: string): Identity | undefined {
  const [, machine, boot, pidNamespace, pid, start] = OWNER.exec(owner) ?? [];
  if (!machine || !boot || !pidNamespace || !pid || !start) return undefined;
  return { machine, boot, pidNamespace, pid: Number(pid), start };
}
