/** The children of a thread by the turn that started them, and when each of these waves was joined: from its journal. */
import type { Event } from "./event.ts";

export interface Wave {
  readonly turn: number;
  /** One child that the thread waited for in the call that started it: no wave, but a step of its own. */
  readonly isInline: boolean;
  readonly members: readonly string[];
  readonly startedAt: string;
  /** Once the thread has waited for all of them: in which turn (null: at its own end), and when. */
  readonly joined?: { readonly turn: number | null; readonly at: string };
}

export function wavesOf(events: readonly Event[]): Wave[] {
  const turns = new Map<string, number>();
  const waves = new Map<number, Wave>();
  const met = new Set<string>();
  let wait: Event<"wait_started"> | undefined;
  for (const event of events) {
    if (event.type === "tool_call_start") turns.set(event.call_id, event.turn);
    // A hook's is no wave of the thread's own.
    if (event.type === "child_thread_started" && event.call_id !== null) {
      const turn = turns.get(event.call_id) ?? 0;
      waves.set(turn, withMember(waves.get(turn), event, turn));
    }
    if (event.type === "wait_started") {
      wait = event;
      inline(waves, turns, event);
    }
    if (event.type === "wait_finished" && wait && event.why !== "interrupted") {
      for (const id of wait.thread_ids) met.add(id);
      join(waves, met, { turn: wait.call_id === null ? null : (turns.get(wait.call_id) ?? 0), at: event.ts });
    }
  }
  return [...waves.values()];
}

function withMember(wave: Wave | undefined, event: Event<"child_thread_started">, turn: number): Wave {
  const { child_id, ts } = event;
  if (!wave) return { turn, isInline: false, members: [child_id], startedAt: ts };
  return { ...wave, isInline: false, members: [...wave.members, child_id] };
}

/** The call that waits is the one that started: the turn of both has nobody else. */
function inline(waves: Map<number, Wave>, turns: Map<string, number>, event: Event<"wait_started">): void {
  const turn = event.call_id === null ? undefined : turns.get(event.call_id);
  const wave = turn === undefined ? undefined : waves.get(turn);
  const isAlone = wave?.members.length === 1 && event.thread_ids.length === 1;
  if (turn !== undefined && wave && isAlone && wave.members[0] === event.thread_ids[0])
    waves.set(turn, { ...wave, isInline: true });
}

function join(waves: Map<number, Wave>, met: ReadonlySet<string>, joined: NonNullable<Wave["joined"]>): void {
  for (const [turn, wave] of waves) {
    if (!wave.joined && wave.members.every((id) => met.has(id))) waves.set(turn, { ...wave, joined });
  }
}

/** Retries that were made: waits that ended in another request. */
export function retriesOf(events: readonly Event[]): number {
  return events.filter(({ type }) => type === "auto_retry_start").length;
}
