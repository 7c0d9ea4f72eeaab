/**
 * What a thread may do (K1–K4), as values.
 *   R1. Nothing granted is nothing allowed. Only a person's start mints; everything else narrows.
 *   R2. A child may use what its directive permits and everyone above it may hand on. Nobody gets more by declaring more.
 *   R3. What must be asked for stays so all the way down. What was taken from one is taken from all below it.
 *   R4. Everything that is needed to say why stands in the thread itself: who is above it, and what they hand on.
 */
import type { Declared, Grant, Revocation } from "./grant.ts";
import { covers, NETWORK_RIGHT } from "./right.ts";

/** A grant and what follows from it. */
export interface Rights extends Grant {
  readonly use: readonly string[];
  readonly handOn: readonly string[];
  readonly asked: readonly string[];
}

type Leave = "free" | "ask" | "denied";

export const NO_RIGHTS: Rights = rightsOf({
  permissions: [],
  ask: [],
  delegates: [],
  above: [],
  revoked: [],
});

/** What a child is started with. It can only be less than what its parent hands on, whatever it declares (R2, R3). */
export function delegate(
  parent: { readonly id: string; readonly directive: string; readonly rights: Rights },
  { permissions, ask, delegates }: Declared,
): Grant {
  const { id: thread_id, directive, rights } = parent;
  const link = { thread_id, directive, hands_on: declaredToHandOn(rights), ask: rights.ask };
  const { revoked } = rights;
  return { permissions, ask, delegates, above: [...rights.above, link], revoked };
}

export function rightsOf(grant: Grant): Rights {
  const { permissions, ask, above } = grant;
  const lines = above.map(({ hands_on }) => hands_on);
  return {
    ...grant,
    use: lines.reduce(meet, normal([...permissions, ...ask])),
    handOn: lines.reduce(meet, normal(declaredToHandOn(grant))),
    asked: normal([...ask, ...above.flatMap((each) => each.ask)]),
  };
}

export function withoutRights(rights: Rights, taken: readonly Revocation[]): Rights {
  return { ...rights, revoked: [...rights.revoked, ...taken] };
}

/** Whether something may be done; `right` is what doing it needs, in full. */
export function leaveFor({ use, asked, revoked }: Rights, right: string): Leave {
  if (revoked.some((each) => covers(each.right, right)) || !namesRight(use, right)) return "denied";
  return namesRight(asked, right) ? "ask" : "free";
}

/** For processes of its tools and hooks; nobody could be asked in the middle of a command. */
export function mayReachNetwork({ rights }: { readonly rights: Rights }): boolean {
  return leaveFor(rights, NETWORK_RIGHT) === "free";
}

/** Rights that were declared and did not come through whole, with those above who do not hand them on. */
export function droppedRights({ permissions, ask, delegates, above }: Grant): {
  readonly right: string;
  readonly by: readonly string[];
}[] {
  return normal([...permissions, ...ask, ...delegates]).flatMap((right) => {
    const by = above.filter(({ hands_on }) => !namesRight(hands_on, right)).map(({ thread_id }) => thread_id);
    return by.length > 0 ? [{ right, by }] : [];
  });
}

function declaredToHandOn({ permissions, ask, delegates }: Declared): string[] {
  return [...permissions, ...ask, ...delegates];
}

/** Whether one of these covers it. */
export function namesRight(patterns: readonly string[], right: string): boolean {
  return patterns.some((pattern) => covers(pattern, right));
}

/** Both of two lists. Prefixes lie in one another or apart, so of each pair the narrower one is what they share. */
export function meet(left: readonly string[], right: readonly string[]): string[] {
  return normal(
    left.flatMap((one) =>
      right.flatMap((other) => (covers(one, other) ? [other] : covers(other, one) ? [one] : [])),
    ),
  );
}

/** Sorted, without what another one covers. */
function normal(patterns: readonly string[]): string[] {
  const unique = [...new Set(patterns)];
  return unique.filter((right) => !unique.some((other) => other !== right && covers(other, right))).sort();
}
