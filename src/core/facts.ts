/** What hooks are told of a thread (§10): plain values, of exactly the shape that `hook-facts.ts` declares. */

import type { Pressure } from "./context.ts";
import { costOf } from "./cost.ts";
import type { Classified, Failure } from "./failure.ts";
import type { Facts } from "./hook.ts";
import type { Breach } from "./limit.ts";
import type { OpenCall, Thread } from "./thread.ts";

/** Always there. A price that nobody knows counts as 0, as does a limit that is not set. */
export function threadFacts(thread: Thread): Facts {
  const cost = costOf(thread);
  const limit = (key: string) => Number(thread.limits[key] ?? 0);
  return {
    thread_id: thread.id,
    directive: thread.directive,
    turn: thread.step?.turn ?? thread.turns,
    cost: { ...cost, spend: cost.spend ?? 0 },
    limits: {
      turns: limit("turns"),
      tokens: limit("tokens"),
      spend: limit("spend"),
      spawns: limit("spawns"),
      duration: limit("duration"),
      depth: limit("depth"),
    },
  };
}

export function limitFacts(thread: Thread, { code, current, max }: Breach): Facts {
  return { ...threadFacts(thread), code, current, max, remaining: Math.max(0, max - current) };
}

export function errorFacts(thread: Thread, failure: Failure, { category, rule }: Classified): Facts {
  return {
    ...threadFacts(thread),
    error_category: category,
    rule,
    status: failure.status ?? 0,
    attempt: thread.step?.attempt ?? 1,
    message: failure.message,
  };
}

export function pressureFacts(thread: Thread, { tokens, window, ratio }: Pressure): Facts {
  return { ...threadFacts(thread), tokens_used: tokens, max_tokens: window, pressure_ratio: ratio };
}

export function beforeToolFacts(thread: Thread, { tool, input }: Pick<OpenCall, "tool" | "input">): Facts {
  return { ...threadFacts(thread), tool, input };
}

export function afterToolFacts(thread: Thread, call: OpenCall): Facts {
  return { ...beforeToolFacts(thread, call), result: call.result?.output ?? "" };
}
