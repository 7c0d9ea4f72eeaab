/** A live host does what was asked for: we watch until the threads end or need somebody, as its client (R2). */
import { headOf } from "../../core/chain-links.ts";
import type { Event } from "../../core/event.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { projectHost } from "../host/project-host.ts";
import { follow } from "./follow.ts";
import type { HostingEnd } from "./hosting.ts";
import { duration } from "./moment.ts";
import { Narrator } from "./narrator.ts";
import type { Session } from "./session.ts";
import { surveyOne } from "./survey.ts";

const LOOK_EVERY_MS = 50;
const QUIET_LOOK_MS = 1_000;
/** Who hosts everything is started again when it dies, by systemd or by hand: that takes a moment. */
const NEXT_HOST_MS = 15_000;

/**
 * `before`: the threads as they were when they were asked to go on, which they may not have noticed yet. What happens
 * in their trees from then on is told as if they were hosted here.
 */
export async function followElsewhere(
  session: Session,
  world: World,
  before: readonly ThreadRow[],
  timeoutMs: number | undefined,
): Promise<HostingEnd> {
  const { clock, store } = world;
  const interruption = session.interruption();
  const late = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  if (timeoutMs !== undefined)
    clock.sleep(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) late.abort();
    });
  const signal = AbortSignal.any([interruption.signal, session.terminal.gone, late.signal, lost.signal]);
  const roots = [...new Set(before.map(({ root_id }) => root_id))];
  const narrator = new Narrator(session, world, roots, "client");
  const patienceMs = (await projectHost(world)) ? NEXT_HOST_MS : 0;
  const onQuiet = lossWatch(world, before, { patienceMs, narrator, onLoss: () => lost.abort() });
  try {
    while (!signal.aborted && !(await haveNoticed(world, before))) {
      await onQuiet();
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
    const cursor = await store.feedEnd();
    const known = new Map<string, number>();
    for (const root of roots)
      for (const [id, seq] of await narrator.prime(root, toldOf(before))) known.set(id, seq);
    const onEvent = (event: Event) => {
      if (event.type === "child_thread_started" && !known.has(event.child_id)) known.set(event.child_id, 0);
      narrator.show(event);
    };
    const threadIds = before.map(({ thread_id }) => thread_id);
    await follow(world, { threadIds, cursor, known, signal, onEvent, onQuiet });
    if (interruption.exit !== undefined) return { type: "detached", exit: interruption.exit };
    // The reader went away: nobody is left to whom anything else could be said.
    if (session.terminal.gone.aborted) return { type: "detached", exit: 0 };
    return late.signal.aborted ? { type: "timed_out" } : { type: "settled", refused: new Map() };
  } finally {
    over.abort();
    narrator.end();
  }
}

/** Also what was before is heard, and not told. Whoever was born since then is told from the beginning. */
function toldOf(before: readonly ThreadRow[]): (row: ThreadRow) => number {
  const told = new Map(before.map(({ thread_id, seq }) => [thread_id, seq]));
  const since = before.map(({ updated_at }) => updated_at).sort()[0] ?? "";
  return ({ thread_id, created_at }) =>
    told.get(thread_id) ?? (created_at >= since ? 0 : Number.POSITIVE_INFINITY);
}

async function haveNoticed({ store }: World, before: readonly ThreadRow[]): Promise<boolean> {
  for (const { thread_id: threadId, nonce } of before) {
    const [row] = await store.find({ threadId, limit: 1 });
    if (row?.nonce !== nonce || row.status !== "suspended") continue;
    const isOpen = row.owner !== null || (await store.openRequests(row.chain_root_id)).length > 0;
    if (isOpen) return false;
  }
  return true;
}

interface LossWatch {
  /** How long nobody may host them before we give up. */
  readonly patienceMs: number;
  readonly narrator: Narrator;
  readonly onLoss: () => void;
}

/** Their host may die while we wait for it. */
function lossWatch(
  world: World,
  before: readonly ThreadRow[],
  { patienceMs, narrator, onLoss }: LossWatch,
): () => Promise<void> {
  const { clock } = world;
  let nextLook = clock.monotonic() + QUIET_LOOK_MS;
  let since: number | undefined;
  return async () => {
    const now = clock.monotonic();
    if (now < nextLook) return;
    nextLook = now + QUIET_LOOK_MS;
    if (!(await areAbandoned(world, before))) {
      since = undefined;
      return;
    }
    if (since === undefined && patienceMs > 0)
      narrator.tell(`Its host is gone: waiting ${duration(patienceMs)} for the next one.`);
    since ??= now;
    if (now - since >= patienceMs) onLoss();
  };
}

async function areAbandoned(world: World, before: readonly ThreadRow[]): Promise<boolean> {
  for (const { thread_id: threadId } of before) {
    const [row] = await world.store.find({ threadId, limit: 1 });
    if (!row || (await surveyOne(world, await headOf(world.store, row))).isAbandoned) return true;
  }
  return false;
}
