/** Where a thread is forked, and with what limits; whatever does not fit is told before anything is written. */
import type { ForkPoint } from "../../core/fork.ts";
import { findBreach, type Limits } from "../../core/limit.ts";
import { type NextStep, Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { readForkPoints } from "../../runtime/index.ts";

export interface ForkChoice {
  readonly turn?: number | undefined;
  readonly message?: string | undefined;
}

export async function chooseForkPoint(world: World, row: ThreadRow, choice: ForkChoice): Promise<ForkPoint> {
  const { points, damage } = await readForkPoints(world, row);
  const last = points.at(-1);
  const point = choice.turn === undefined ? last : points.find(({ turn }) => turn === choice.turn);
  const { thread_id: threadId } = row;
  if (!last) {
    throw new Problem("E_CORRUPT", {
      what: `${threadId} cannot be forked: nothing of it can be read.`,
      why: `${damage?.damage.why ?? "its journal is empty"}.`,
      next: [{ cmd: "selvage verify", why: "what is damaged" }],
      threadId,
    });
  }
  if (!point) {
    throw new Problem("E_WRONG_STATE", {
      what: `${threadId} has no turn ${choice.turn} that could be forked.`,
      why: `${turnsText(points)}${damage ? ` Of ${damage.threadId} nothing can be read after event ${damage.damage.last_good}: ${damage.damage.why}.` : ""} Nothing was written.`,
      next: [{ cmd: `selvage fork ${threadId} --turn ${last.turn}`, why: "the last one that can be" }],
      threadId,
    });
  }
  requireSomethingToDo(point, threadId, choice.message);
  return point;
}

function turnsText(points: readonly ForkPoint[]): string {
  const turns = points.map(({ turn }) => turn).sort((left, right) => left - right);
  const [first, last] = [turns.at(0), turns.at(-1)];
  return first === last ? `There is turn ${first}.` : `There are the turns from ${first} to ${last}.`;
}

/** After its last word nobody has anything to say: a model that is asked again would be asked for nothing. */
function requireSomethingToDo({ turn, thread }: ForkPoint, threadId: string, message?: string): void {
  if (thread.wantsMore || message !== undefined) return;
  const earlier: NextStep[] =
    turn > 0 ? [{ cmd: `selvage fork ${threadId} --turn ${turn - 1}`, why: "asks for that turn again" }] : [];
  throw new Problem("E_WRONG_STATE", {
    what: `After turn ${turn} ${threadId} had nothing more to do.`,
    why: "Its work was done then, so a fork needs something to do. Nothing was written.",
    next: [{ cmd: `selvage fork ${threadId} --turn ${turn} -m "…"`, why: "says what" }, ...earlier],
    threadId,
  });
}

/** The original's as they are now, under what is given. */
export function forkLimits(point: ForkPoint, given: Limits, defaults: Limits): Limits {
  const { now, thread } = point;
  const limits = { ...defaults, ...now.limits, ...given };
  const { id: threadId } = thread;
  if (now.parentId !== null && limits["spend"] === undefined) {
    throw new Problem("E_WRONG_STATE", {
      what: `${threadId} has no money of its own: it drew on its parent's.`,
      why: "A fork stands alone and pays for itself. Nothing was written.",
      next: [{ cmd: `selvage fork ${threadId} --set spend=0.50`, why: "says how much it may spend" }],
      threadId,
    });
  }
  const { turns, contextTokens } = thread;
  const unused = { usage: { input: 0, cache_read: 0, cache_write: 0, output: 0 }, spent: 0, spawns: 0 };
  const breach = findBreach({ ...unused, turns, contextTokens, activeMs: 0, limits });
  if (!breach) return limits;
  throw new Problem("E_WRONG_STATE", {
    what: `A fork of ${threadId} after turn ${turns} would stop at its ${breach.key} limit at once.`,
    why: `It allows ${breach.max}, and the next turn needs ${breach.needs}; turns count from the beginning of the conversation. Nothing was written.`,
    next: [{ cmd: `selvage fork ${threadId} --set ${breach.key}=…`, why: "allows more" }],
    threadId,
  });
}
