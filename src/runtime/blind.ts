/** What is done with a thread without loading it: its journal is damaged, or it takes its owners down. */
import { isCrashLoop } from "../core/claim.ts";
import type { Batch } from "../core/commit.ts";
import type { NewEvent } from "../core/event.ts";
import type { Damage, ThreadRow } from "../core/row.ts";
import type { World } from "../core/world.ts";
import { askingNeeds, publish } from "./active.ts";
import { endUnread } from "./end-processes.ts";
import type { Claimed } from "./opening.ts";
import { crashLoopEvents, type DeadOwner } from "./recovery.ts";
import { answerBlind, type BlindAnswer, noteBlind } from "./requests.ts";

/** The journal does not hold: the thread is set aside with its last good event, and nothing runs. */
export async function setAside(world: World, { lease }: Claimed, damage: Damage): Promise<void> {
  if (!(await world.store.markCorrupt(lease, damage))) return;
  world.notify({ type: "damaged", threadId: lease.threadId, damage });
}

/** Ending a damaged thread needs no load (F5). */
export async function endDamaged(world: World, claimed: Claimed): Promise<void> {
  const { row, open } = claimed;
  const told = open.filter(({ kind }) => kind === "outcome");
  const noted = noteBlind(row, told);
  const ending = answerBlind(row, open) ?? {
    events: row.stopping ? [row.stopping] : [],
    consumes: ids(open),
  };
  const events = [...noted.events, ...ending.events];
  await commitBlind(world, claimed, { events, consumes: [...noted.consumes, ...ending.consumes] });
}

export function diesTooOften({ clock }: World, { strikes }: Pick<ThreadRow, "strikes">): boolean {
  return isCrashLoop(strikes, clock.now());
}

/** The thread took its owners down again and again: it is parked, without being loaded; an end asked for wins. */
export async function breakLoop(
  world: World,
  claimed: Claimed,
  tookFrom: DeadOwner,
  why?: string,
): Promise<void> {
  const { row, open } = claimed;
  const ending = answerBlind(row, open);
  if (ending) return commitBlind(world, claimed, ending);
  const noted = noteBlind(row, open);
  const events = [...noted.events, ...crashLoopEvents(row, tookFrom, askingNeeds(world), why)];
  await commitBlind(world, claimed, { events, consumes: noted.consumes });
}

/** Whether all that is asked of a thread at rest is to take down what people were told: that needs nothing of it. */
export function areNotes(row: ThreadRow, open: Claimed["open"]): boolean {
  const rests = row.status === "suspended" || (row.status === "running" && row.waits_for !== null);
  return rests && open.length > 0 && open.every(({ kind }) => kind === "delivery");
}

/** What is left to be done after that: something else may have come meanwhile. */
export async function takeNotes(world: World, claimed: Claimed): Promise<Claimed | undefined> {
  const noted = noteBlind(claimed.row, claimed.open);
  const committed = await world.store.commit(claimed.lease, { ...noted, park: true });
  if ("refused" in committed) return undefined;
  // Its files are written on when it is loaded again: what they have by now is not known here.
  for (const event of committed.events) world.notify({ type: "event", event });
  return committed.parked ? undefined : { ...claimed, open: committed.open };
}

const ENDS: readonly string[] = ["thread_failed", "thread_cancelled", "thread_stopping"];

function ids(open: Claimed["open"]): string[] {
  return open.map((request) => request.request_id);
}

async function commitBlind(world: World, { lease, row }: Claimed, answer: BlindAnswer): Promise<void> {
  const batch = afterChildrenOf(row, answer);
  const stopped = batch.events.some(({ type }) => ENDS.includes(type)) ? await endUnread(world, row) : [];
  const events = [...stopped, ...batch.events];
  const committed = await world.store.commit(lease, { ...batch, events, release: true });
  if (!("refused" in committed)) publish(world, committed.events);
}

/** No thread ends over living children (T7): whoever is below is told to stop, and how it ends is written down. */
function afterChildrenOf(row: ThreadRow, { events, consumes }: BlindAnswer): Batch {
  const gone = events.filter(
    ({ type }) => type === "child_thread_completed" || type === "child_thread_failed",
  );
  const end = events.find(
    (event): event is NewEvent<"thread_failed" | "thread_cancelled"> =>
      event.type === "thread_failed" || event.type === "thread_cancelled",
  );
  if (!end || row.living <= gone.length) return { events, consumes };
  const before = events.filter((event) => event !== end);
  // Said once: when it is said already, everyone below knows.
  if (row.stopping) return { events: before, consumes };
  const reason = end.type === "thread_failed" ? "parent_failed" : end.reason;
  const stops = [{ thread_id: row.thread_id, reason, by: row.thread_id, onlyBelow: true as const }];
  return { events: [...before, { type: "thread_stopping", end }], consumes, stops };
}
