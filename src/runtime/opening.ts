/** What an activation begins with: the thread as the store has it, or as this process knows it, and its hooks. */
import type { HandOver } from "../core/claim.ts";
import type { Problem } from "../core/problem.ts";
import type { Damage } from "../core/row.ts";
import type { ClaimAnswer } from "../core/store.ts";
import { foldThread, type Thread, workedMs } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { type Active, withPatience } from "./active.ts";
import { newEffects } from "./interrupting.ts";
import { readHooks } from "./unread-hooks.ts";

export interface ActivationOptions {
  readonly timerFired: boolean;
  readonly patienceMs: number;
  /** Requests are answered, and nothing else happens: no model, no tool, no hook (R2). */
  readonly onlyRequests?: boolean;
  /** The thread as it is, where this process knows it: it is not read. */
  readonly known?: Thread | undefined;
  /** Its walks failed again and again, and this is why: it is parked for a person instead of walked. */
  readonly hopeless?: string | undefined;
  readonly onActive?: (active: Active) => void;
  /** Called when others in the scope have something to do. */
  readonly look?: (() => void) | undefined;
  /** Takes up whom one of its commits woke. */
  readonly handOver?: HandOver | undefined;
}

/** How far it is walked. With hooks that cannot be read nothing runs. */
export type Extent = "all" | "requests" | { readonly problem: Problem };

export type Claimed = Exclude<ClaimAnswer, { refused: unknown }>;

export async function openThread(
  world: World,
  { lease, open }: Claimed,
  { known, onlyRequests, patienceMs, timerFired, look, handOver }: ActivationOptions,
): Promise<{ readonly active: Active; readonly extent: Extent } | { readonly damage: Damage }> {
  const read = known ?? (await readThread({ world, lease, patienceMs }));
  if ("damage" in read) return read;
  const found = onlyRequests ? { hooks: [] } : await readHooks(world, read);
  const active: Active = {
    ...{ world, lease, patienceMs, look, handOver, open, timerFired, thread: read, parked: false },
    ...{ effects: newEffects(), tools: newEffects() },
    ...{ given: new Map(), stops: new Map(), taken: new Set(), interruptions: new Set() },
    hooks: "hooks" in found ? found.hooks : [],
    work: { carriedMs: workedMs(read, read.updatedAt), since: world.clock.monotonic() },
  };
  return { active, extent: onlyRequests ? "requests" : "problem" in found ? found : "all" };
}

/** With its files beside it mended. */
async function readThread(
  place: Pick<Active, "world" | "lease" | "patienceMs">,
): Promise<Thread | { readonly damage: Damage }> {
  const { store, exports } = place.world;
  const { threadId } = place.lease;
  const loaded = await withPatience(place, () => store.load(threadId));
  const damage = loaded.damage ?? exports.reconcile(threadId, loaded.events);
  return damage ? { damage } : foldThread(threadId, loaded.events);
}
