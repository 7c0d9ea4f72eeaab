/**
 * Hosting (R2): one process takes up what is claimable in its scope and walks it.
 *   H1. A root has at most one live host; a second one is refused and told who it is.
 *   H2. A host leaves only in a transaction that finds nothing to do in its scope, so nothing is left between two.
 *   H3. Signals (bell, park, timer) are hints to look; the look at the store decides.
 */
import { randomName } from "../core/id.ts";
import type { Enrolled, HostRow } from "../core/store.ts";
import type { World } from "../core/world.ts";
import { Hosting } from "./hosting.ts";
import { type ScopeRules, SILENT_MS } from "./scope.ts";
import { sweepProcesses } from "./sweep.ts";

export interface HostOptions extends ScopeRules {
  /** One root's id, or `*`. */
  readonly scope: string;
  /** How long a walk waits for a disk that does not take writes. */
  readonly patienceMs: number;
  /** Runs when the scope is ours and before the first look: a thread made here is never seen without its host. */
  readonly prepare?: () => Promise<void>;
  /** Ends hosting: effects stop, threads stay claimable. */
  readonly signal?: AbortSignal;
  /** It does not go when nothing is left to do: only when it is told to stop. */
  readonly stays?: boolean;
}

export type HostEnd = { readonly type: "idle" } | { readonly type: "refused"; readonly by: HostRow };

const WATCH_EVERY_MS = 5_000;

export async function host(world: World, options: HostOptions): Promise<HostEnd> {
  await world.ready?.();
  const bell = await world.machine.listen();
  const hosting = new Hosting(world, options);
  const host_id = randomName(world.random(16));
  const { scope, signal } = options;
  const row = { host_id, owner: world.machine.owner, socket: bell.socket, scope, beats: 0 };
  const stop = () => hosting.stop();
  try {
    const enrolled = await enroll(world, row, options);
    if (!enrolled.enrolled) return { type: "refused", by: enrolled.by };
    bell.onRing(() => hosting.ring());
    signal?.addEventListener("abort", stop);
    await prepared(world, options, host_id);
    const running = hosting.run(host_id);
    // Nobody waits for it: what was asked for is on its way first.
    const swept = Promise.race([hosting.rested, running]).then(() => sweepProcesses(world));
    await Promise.all([running, swept]);
    return { type: "idle" };
  } finally {
    signal?.removeEventListener("abort", stop);
    await bell.close();
  }
}

/** A host elsewhere may be gone without a trace: its beats are watched, and if they stand still its place is taken. */
async function enroll(world: World, row: HostRow, options: HostOptions): Promise<Enrolled> {
  const { store, clock, machine } = world;
  const answer = await store.enroll(row, options.mayTake ? "replace" : "join");
  if (answer.enrolled || machine.ownerState(answer.by.owner) !== "elsewhere") return answer;
  const { by } = answer;
  world.notify({ type: "watching", scope: row.scope, owner: by.owner, ms: SILENT_MS });
  const until = clock.monotonic() + SILENT_MS;
  while (clock.monotonic() <= until) {
    await clock.sleep(WATCH_EVERY_MS, options.signal);
    const now = (await store.hosts()).find(({ host_id }) => host_id === by.host_id);
    if (!now) return store.enroll(row, "join");
    if (now.beats !== by.beats || options.signal?.aborted) return { enrolled: false, by: now };
  }
  return store.enroll(row, "replace");
}

async function prepared(world: World, options: HostOptions, hostId: string): Promise<void> {
  try {
    await options.prepare?.();
  } catch (error) {
    await world.store.leave(hostId, () => true);
    throw error;
  }
}
