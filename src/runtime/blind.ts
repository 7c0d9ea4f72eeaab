/** What is done with a thread without loading it: its journal is damaged, or it takes its owners down. */
import type { Damage } from "../core/row.ts";
import type { World } from "../core/world.ts";
import type { Claimed } from "./activation.ts";
import { askingNeeds, publish } from "./active.ts";
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
  await commitBlind(world, claimed, answerBlind(row, open) ?? { events: [], consumes: ids(open) });
}

/** The thread took its owners down again and again: it is parked, without being loaded; an end asked for wins. */
export async function breakLoop(world: World, claimed: Claimed, tookFrom: DeadOwner): Promise<void> {
  const { row, open } = claimed;
  const ending = answerBlind(row, open);
  if (ending) return commitBlind(world, claimed, ending);
  const noted = noteBlind(row, open);
  const events = [...noted.events, ...crashLoopEvents(row, tookFrom, askingNeeds(world))];
  await commitBlind(world, claimed, { events, consumes: noted.consumes });
}

function ids(open: Claimed["open"]): string[] {
  return open.map((request) => request.request_id);
}

async function commitBlind(world: World, { lease }: Claimed, answer: BlindAnswer): Promise<void> {
  const committed = await world.store.commit(lease, { ...answer, release: true });
  if (!("refused" in committed)) publish(world, committed.events);
}
