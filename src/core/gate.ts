/**
 * One gate per provider key (E10), as a value: how many requests may be under way, and until when none may start.
 *   G1. A rate limit holds every next request until the reset that the provider named.
 *   G2. After it they come through spread: one first, then more with every answer, fewer with every further refusal.
 *   G3. Refusals of one burst count once: they say the same thing. Answers to it say nothing of what came after.
 */
export interface Gate {
  /** Requests that may be under way at once. */
  readonly limit: number;
  /** From here on the limit grows slowly: above it was refused before. */
  readonly threshold: number;
  readonly underWay: number;
  /** No request starts before this moment, by a clock that does not jump. */
  readonly heldUntil: number;
}

export const openGate: Gate = {
  limit: Number.POSITIVE_INFINITY,
  threshold: Number.POSITIVE_INFINITY,
  underWay: 0,
  heldUntil: Number.NEGATIVE_INFINITY,
};

/** How long until a request may start: 0 now, infinity when another must end first. */
export function gateWait(gate: Gate, now: number): number {
  if (now < gate.heldUntil) return gate.heldUntil - now;
  return gate.underWay < Math.max(1, Math.floor(gate.limit)) ? 0 : Number.POSITIVE_INFINITY;
}

export function entered(gate: Gate): Gate {
  return { ...gate, underWay: gate.underWay + 1 };
}

/** Whether a request that began at this moment knew of the last refusal. */
function isOfNow(gate: Gate, enteredAt: number): boolean {
  return enteredAt >= gate.heldUntil;
}

/** A request ended without a word about limits. */
export function answered(gate: Gate, enteredAt: number): Gate {
  const growth = gate.limit < gate.threshold ? 0.5 : 1 / gate.limit;
  const limit = isOfNow(gate, enteredAt) ? gate.limit + growth : gate.limit;
  return { ...gate, underWay: gate.underWay - 1, limit };
}

/** It failed in another way: that says nothing about limits. */
export function left(gate: Gate): Gate {
  return { ...gate, underWay: gate.underWay - 1 };
}

export function refused(
  gate: Gate,
  { enteredAt, now, holdMs }: { readonly enteredAt: number; readonly now: number; readonly holdMs: number },
): Gate {
  const underWay = gate.underWay - 1;
  const heldUntil = Math.max(gate.heldUntil, now + holdMs);
  if (!isOfNow(gate, enteredAt)) return { ...gate, underWay, heldUntil };
  const isFirst = gate.limit === Number.POSITIVE_INFINITY;
  const limit = isFirst ? 1 : Math.max(1, gate.limit / 2);
  return { limit, threshold: isFirst ? Number.POSITIVE_INFINITY : limit, underWay, heldUntil };
}
