/** A live host does what was asked for: we watch until the thread ends or needs somebody, as its client (R2). */
import { headOf } from "../../core/chain-links.ts";
import type { Event } from "../../core/event.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { LogLines } from "./event-line.ts";
import { follow } from "./follow.ts";
import type { HostingEnd } from "./hosting.ts";
import { logText } from "./log-text.ts";
import type { Session } from "./session.ts";
import { surveyOne } from "./survey.ts";

const LOOK_EVERY_MS = 50;
const QUIET_LOOK_MS = 1_000;

/** `before`: the thread as it was when it was asked to go on, which it may not have noticed yet. */
export async function followElsewhere(
  session: Session,
  world: World,
  before: ThreadRow,
  timeoutMs: number | undefined,
): Promise<HostingEnd> {
  const { clock, store } = world;
  const { thread_id: threadId } = before;
  const interruption = session.interruption();
  const late = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  if (timeoutMs !== undefined) clock.sleep(timeoutMs, over.signal).then(() => late.abort());
  const signal = AbortSignal.any([interruption.signal, session.terminal.gone, late.signal, lost.signal]);
  const onQuiet = lossWatch(world, before, () => lost.abort());
  try {
    while (!signal.aborted && !(await hasNoticed(world, before))) {
      await onQuiet();
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
    const onEvent = teller(session, before.seq);
    const cursor = await store.feedEnd();
    const { events } = await store.load(threadId);
    for (const event of events) onEvent(event);
    const known = new Map([[threadId, events.at(-1)?.seq ?? 0]]);
    await follow(world, { threadId, cursor, known, signal, onEvent, onQuiet });
    if (interruption.exit !== undefined) return { type: "detached", exit: interruption.exit };
    return late.signal.aborted ? { type: "timed_out" } : { type: "settled", refused: new Map() };
  } finally {
    over.abort();
  }
}

async function hasNoticed(world: World, { thread_id: threadId, nonce }: ThreadRow): Promise<boolean> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  return !row || row.nonce !== nonce || row.status !== "suspended";
}

/** Its host may die while we wait for it. */
function lossWatch(
  world: World,
  { thread_id: threadId }: ThreadRow,
  onLoss: () => void,
): () => Promise<void> {
  let nextLook = world.clock.monotonic() + QUIET_LOOK_MS;
  return async () => {
    if (world.clock.monotonic() < nextLook) return;
    nextLook = world.clock.monotonic() + QUIET_LOOK_MS;
    const [row] = await world.store.find({ threadId, limit: 1 });
    if (!row || (await surveyOne(world, await headOf(world.store, row))).isAbandoned) onLoss();
  };
}

/** Also what was before is heard, and not told: a result is named after its call. */
function teller({ terminal, flags }: Session, toldSeq: number): (event: Event) => void {
  const lines = new LogLines();
  return (event) => {
    const line = lines.line(event);
    if (event.seq <= toldSeq) return;
    if (terminal.look.format === "jsonl") return terminal.record(event);
    if (line && !flags.quiet) terminal.say(logText(event.ts, line, { colours: terminal.err }));
  };
}
