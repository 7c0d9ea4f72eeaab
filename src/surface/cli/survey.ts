/**
 * What is known of threads from outside: row, open requests, owner, host, and how it looks (UX 0.1). A look changes
 * nothing; whatever it says may be old a moment later, and every command that acts asks the store again.
 */
import { claimReason, isOrphaned, type OwnerState } from "../../core/claim.ts";
import type { Request } from "../../core/request.ts";
import type { Damage, ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import type { View } from "./glyph.ts";

export interface Sighting {
  readonly row: ThreadRow;
  readonly requests: readonly Request[];
  readonly timerDue: number | undefined;
  readonly owner: OwnerState;
  /** A live process that hosts its root. */
  readonly host: HostRow | undefined;
  readonly damage: Damage | null;
  readonly view: View;
  /** It could move, or will, and nobody is there to move it: `recover` takes it up. */
  readonly isAbandoned: boolean;
}

/** Every thread that has not ended, newest first. */
export async function surveyLive(world: World): Promise<Sighting[]> {
  const candidates = await world.store.candidates("*");
  const look = await looker(world);
  return candidates
    .map(({ row, requests, timerDue }) => look(row, requests, timerDue))
    .sort((left, right) => (left.row.created_at < right.row.created_at ? 1 : -1));
}

export async function surveyOne(world: World, row: ThreadRow): Promise<Sighting> {
  const look = await looker(world);
  const candidates = isTerminal(row.status) ? [] : await world.store.candidates(row.root_id);
  const found = candidates.find((candidate) => candidate.row.thread_id === row.thread_id);
  return look(found?.row ?? row, found?.requests ?? [], found?.timerDue);
}

export async function looker(world: World) {
  const hosts = await world.store.hosts();
  const states = new Map<string, OwnerState>();
  const stateOf = (owner: string): OwnerState => {
    const known = states.get(owner) ?? world.machine.ownerState(owner);
    states.set(owner, known);
    return known;
  };
  const now = world.clock.now();
  return (row: ThreadRow, requests: readonly Request[] = [], timerDue?: number): Sighting => {
    const owner = row.owner === null ? "none" : stateOf(row.owner);
    const hostOf = (covered: string) =>
      hosts.find(({ scope, owner: by }) => scope === covered && stateOf(by) !== "dead");
    const host = hostOf(row.root_id) ?? hostOf("*");
    const candidate = { row, requests, timerDue };
    const isClaimable = claimReason(candidate, owner, now) !== undefined;
    const isAbandoned = isOrphaned(candidate, owner, host !== undefined, now);
    const facts = { row, requests, timerDue, owner, host, damage: row.corrupt };
    // Who hosts everything may have been told to leave what another owner left behind.
    const isUncared = isClaimable && (!host || owner === "dead");
    return { ...facts, isAbandoned, view: viewOf(facts, isUncared) };
  };
}

/** A damaged journal found while loading counts like one that was marked before. */
export function withDamage(sighting: Sighting, damage: Damage | undefined): Sighting {
  if (!damage || isTerminal(sighting.row.status)) return sighting;
  return { ...sighting, damage, view: "suspended" };
}

function viewOf(facts: Omit<Sighting, "view" | "isAbandoned">, isUncared: boolean): View {
  const { row, requests } = facts;
  if (isTerminal(row.status)) return row.status;
  if (isUncared) return "orphaned";
  if (facts.damage || row.status === "suspended") return "suspended";
  if (row.stopping || requests.some(({ kind }) => kind === "cancel")) return "stopping";
  if (row.waits_for?.kind === "timer") return "retrying";
  if (row.waits_for) return "waiting";
  return row.status;
}

/** Why a thread that could move does not. Only the first is anybody's death. */
export function uncaredText({ row, owner, requests }: Sighting): string {
  if (row.brought.length > 0) return `nobody runs it but its program, which has ${row.brought.join(", ")}`;
  if (owner === "dead") return "its process is gone";
  if (requests.some(({ kind }) => kind === "decide")) return "answered, and nobody hosts it";
  if (requests.length > 0) return "asked to move, and nobody hosts it";
  return row.status === "suspended" ? "its time has come, and nobody hosts it" : "nobody runs it";
}
