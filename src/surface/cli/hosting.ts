/**
 * Hosting in the foreground (R2): the command runs the threads it asked for until they end, wait for a person, or
 * it is told to stop. Stopping loses nothing: whatever is not finished stays claimable.
 */

import { StorageFailure } from "../../core/failure.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { HostRow } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { host } from "../../runtime/index.ts";
import { ownerName } from "./owner.ts";
import type { Session } from "./session.ts";

export interface HostAsk {
  readonly roots: readonly string[];
  readonly mayRecover: (row: ThreadRow) => boolean;
  readonly mayTake?: (row: ThreadRow) => boolean;
  readonly timeoutMs?: number | undefined;
  /** What is done for a root once it is ours and before it is looked at. */
  readonly prepare?: (root: string) => Promise<void>;
}

export type HostingEnd =
  | { readonly type: "settled"; readonly refused: ReadonlyMap<string, HostRow> }
  | { readonly type: "stopped"; readonly exit: number }
  | { readonly type: "timed_out" }
  /** It was followed, not hosted: it goes on without us. */
  | { readonly type: "detached"; readonly exit: number };

/** A disk may be full for a while; a person in front of a terminal does not wait much longer. */
export const PATIENCE_MS = 30_000;
/** Tools get their time to end; after this the process leaves anyway (correctness never depends on it). */
const STOP_MS = 5_000;
const AT_ONCE = 8;

export async function hostRoots(session: Session, world: World, ask: HostAsk): Promise<HostingEnd> {
  const interruption = session.interruption();
  const late = new AbortController();
  const over = new AbortController();
  if (ask.timeoutMs !== undefined) {
    world.clock.sleep(ask.timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) late.abort(new Error("the time is up"));
    });
  }
  const signal = AbortSignal.any([interruption.signal, late.signal, session.terminal.gone]);
  try {
    const refused = await Promise.race([hostAll(world, ask, signal), leaveAfter(world, signal, over.signal)]);
    if (interruption.exit !== undefined) return { type: "stopped", exit: interruption.exit };
    // The reader went away: nobody is left to whom anything else could be said.
    if (session.terminal.gone.aborted) return { type: "stopped", exit: 0 };
    return late.signal.aborted ? { type: "timed_out" } : { type: "settled", refused };
  } finally {
    over.abort();
  }
}

async function hostAll(world: World, ask: HostAsk, signal: AbortSignal): Promise<Map<string, HostRow>> {
  const refused = new Map<string, HostRow>();
  const waiting = [...ask.roots];
  const worker = async () => {
    for (let root = waiting.shift(); root !== undefined && !signal.aborted; root = waiting.shift()) {
      const by = await hostOne(world, root, ask, signal);
      if (by) refused.set(root, by);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return refused;
}

async function hostOne(
  world: World,
  scope: string,
  { mayRecover, mayTake, prepare }: HostAsk,
  signal: AbortSignal,
): Promise<HostRow | undefined> {
  try {
    const end = await host(world, {
      scope,
      mayRecover,
      patienceMs: PATIENCE_MS,
      signal,
      ...(mayTake ? { mayTake } : {}),
      ...(prepare ? { prepare: () => prepare(scope) } : {}),
    });
    return end.type === "refused" ? end.by : undefined;
  } catch (error) {
    // Once we asked it to stop, an activation that was cut off may say so by throwing.
    if (signal.aborted && !(error instanceof StorageFailure) && !(error instanceof Problem)) return undefined;
    throw error;
  }
}

async function leaveAfter(world: World, stop: AbortSignal, over: AbortSignal): Promise<Map<string, HostRow>> {
  if (!stop.aborted)
    await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
  await world.clock.sleep(STOP_MS, over);
  return new Map();
}

export function locked(threadId: string, by: string): Problem {
  return new Problem("E_LOCKED", {
    what: `${threadId} is run by another live process.`,
    why: `Its owner is ${ownerName(by)}, which is alive, so it was not touched.`,
    next: [
      { cmd: `selvage logs -f ${threadId}`, why: "watch it" },
      { cmd: `selvage cancel ${threadId}`, why: "stop it" },
      { cmd: `selvage recover --take ${threadId}`, why: "if that process is stuck" },
    ],
    threadId,
  });
}
