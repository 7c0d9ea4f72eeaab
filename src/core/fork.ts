/**
 * Forks (X5): a new thread begins with the conversation that another had after one of its turns.
 *   F1. It is cut where a turn ended: every call of it has its result. What was said later does not come along.
 *   F2. It is a root with an account of its own, and no child, process, request or spending of the other's.
 *   F3. It may do no more than the other may now: what was taken since the turn stays taken.
 *   F4. Nothing is written to the other. What can be read of it is enough, so a damaged one can be forked too.
 */
import { createdAgain } from "./chain.ts";
import type { Event, NewEvent } from "./event.ts";
import type { Revocation } from "./grant.ts";
import type { Limits } from "./limit.ts";
import { toArray } from "./log.ts";
import { noUsage } from "./message.ts";
import { withoutRights } from "./rights.ts";
import type { Birth } from "./store.ts";
import { newThread, reduce, type Thread } from "./thread.ts";

/** A thread of a chain, as far as its journal can be read. */
export interface Readable {
  readonly threadId: string;
  readonly events: readonly Event[];
}

export interface ForkPoint {
  readonly turn: number;
  /** The last event that counts. */
  readonly seq: number;
  /** As it was then. */
  readonly thread: Thread;
  /** The chain as it is now, as far as it can be read: its limits, and what was taken from it. */
  readonly now: Thread;
}

/** Where a chain can be forked, from its beginning to its last finished turn. The later thread that tells of a turn wins. */
export function forkPoints(chain: readonly Readable[]): ForkPoint[] {
  const readable = chain.filter(({ events }) => events.length > 0);
  const points = new Map<number, Omit<ForkPoint, "now">>();
  let now: Thread | undefined;
  for (const [at, { threadId, events }] of readable.entries()) {
    const begun = events.findIndex(({ type }) => type === "step_start");
    const first = begun < 0 ? events.length : begun;
    now = newThread(threadId);
    for (const [index, event] of events.entries()) {
      now = reduce(now, event);
      // What a later thread of the chain begins with is told, in full, by the one before it.
      const begins = at === 0 && index === first - 1;
      const ends = event.type === "step_finish" && event.turn === now.turns;
      if (begins || ends) points.set(now.turns, { turn: now.turns, seq: event.seq, thread: now });
    }
  }
  const last = now;
  return last ? [...points.values()].map((point) => ({ ...point, now: last })) : [];
}

export interface Fork {
  readonly id: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly by: string;
  readonly message?: string | undefined;
  /** Over those of the original. */
  readonly limits: Limits;
  /** What was taken from it, and it has not taken note of. */
  readonly revoked: readonly Revocation[];
}

/** The new thread, with the wish to start it. */
export function forkOf({ turn, seq, thread, now }: ForkPoint, fork: Fork): Birth {
  const { id, nonce, requestId, by, message, revoked } = fork;
  const rights = withoutRights(now.rights, revoked);
  const { measure } = thread;
  const {
    continuation_of: _link,
    hook: _hook,
    ...created
  } = createdAgain(
    { ...thread, rights, limits: fork.limits },
    {
      ...{ system: thread.system, conversation: toArray(thread.messages), run: 1, nonce },
      ...{ chain_root_id: id, root_id: id, parent_id: null },
      carried: { ...NOTHING_SPENT, turns: thread.turns, ...(measure ? { measure } : {}) },
    },
  );
  const begun: NewEvent = { ...created, forked_from: { thread_id: thread.id, turn, seq } };
  const said: NewEvent[] = message === undefined ? [] : [{ type: "cognition_in", source: by, text: message }];
  return {
    threadId: id,
    events: [begun, ...said],
    requests: [{ kind: "start", request_id: requestId, thread_id: id, by }],
  };
}

/** Turns are counted on, for they name places in the conversation; everything that costs something begins at 0. */
const NOTHING_SPENT = {
  ...{ usage: noUsage, spent: 0, active_ms: 0, recoveries: 0, spawns: 0 },
  ...{ children: {}, processes: {}, unbilled: [], earlier: { attempts: 0, holds: 0 } },
};
