/**
 * A person waits for threads of any tree, hosted anywhere: the registry tells, nothing is asked of a model (O2, O5).
 * It ends when what was required is there, cannot come any more, or cannot come without somebody.
 */
import type { Wait } from "../../core/family.ts";
import type { Kin } from "../../core/known-below.ts";
import { type WaitEnd, waitEnd, waitResult } from "../../core/wait.ts";
import type { World } from "../../core/world.ts";
import type { Session } from "./session.ts";
import { lookAt, type Waited } from "./wait-look.ts";

const LOOK_EVERY_MS = 60;
/** Owners die without a word in the store. */
const LOOK_AGAIN_MS = 1_000;
/** Silence is a bug: somebody waits for a sign of life. */
const BEAT_MS = 60_000;
/** A host that was killed may be followed by another at once: only after this nobody hosts a thread. */
const ABANDONED_MS = 2_000;

export interface WaitAsk {
  readonly wait: Wait;
  readonly timeoutMs: number | undefined;
  readonly onChange: (waited: Waited, before: Waited | undefined) => void;
  /** Called when nothing has changed for a long time. */
  readonly onBeat: (threads: readonly Waited[]) => void;
}

export interface WaitedFor {
  readonly why: WaitEnd["why"] | "signal";
  readonly result: WaitEnd["result"];
  readonly cancels: WaitEnd["cancels"];
  readonly threads: readonly Waited[];
}

export async function waitFor(session: Session, world: World, ask: WaitAsk): Promise<WaitedFor> {
  const { clock, store } = world;
  const signal = AbortSignal.any([session.interruption().signal, session.terminal.gone]);
  const deadline = ask.timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + ask.timeoutMs;
  const known = new Map<string, Waited>();
  let stillSince: number | undefined;
  let told = clock.monotonic();
  for (;;) {
    const version = store.version();
    const threads: Waited[] = [];
    for (const id of ask.wait.ids) threads.push(await lookAt(world, id));
    const changes = threads.filter((one) => tellChange(ask, known, one)).length;
    if (changes > 0) told = clock.monotonic();
    else if (clock.monotonic() - told >= BEAT_MS) {
      told = clock.monotonic();
      ask.onBeat(threads);
    }
    const family: Kin = {
      children: Object.fromEntries(threads.map(({ child }) => [child.id, child])),
      further: {},
    };
    const now = clock.now();
    const end = waitEnd(family, ask.wait, now, clock.monotonic() >= deadline);
    if (end) return { ...end, threads };
    const over = (why: "suspended" | "signal") => {
      const result = waitResult(family, ask.wait, why === "signal" ? "interrupted" : why, now);
      return { why, result, cancels: [], threads };
    };
    if (signal.aborted) return over("signal");
    if (!isStill(threads)) stillSince = undefined;
    else stillSince ??= clock.monotonic();
    const isAbandoned = threads.some(({ needs }) => needs.some((each) => each.isAbandoned));
    const patience = isAbandoned ? ABANDONED_MS : 0;
    if (stillSince !== undefined && clock.monotonic() - stillSince >= patience) return over("suspended");
    const again = Math.min(deadline, clock.monotonic() + LOOK_AGAIN_MS);
    while (store.version() === version && clock.monotonic() < again && !signal.aborted) {
      await clock.sleep(Math.min(LOOK_EVERY_MS, Math.max(0, again - clock.monotonic())), signal);
    }
  }
}

function tellChange({ onChange }: WaitAsk, known: Map<string, Waited>, one: Waited): boolean {
  const { thread_id, status } = one.sighting.row;
  const before = known.get(thread_id);
  known.set(thread_id, one);
  const isSame =
    before?.sighting.row.status === status &&
    before.sighting.view === one.sighting.view &&
    before.needs.length === one.needs.length;
  if (!isSame) onChange(one, before);
  return !isSame;
}

const ENDED = ["completed", "error", "cancelled"];

/** Nothing that is still open moves without somebody. */
function isStill(threads: readonly Waited[]): boolean {
  const open = threads.filter(({ child }) => !ENDED.includes(child.status));
  return open.length > 0 && open.every(({ needs, child }) => needs.length > 0 || child.status === "created");
}
