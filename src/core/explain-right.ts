/** Why a thread may do something or not, and who would have to write what for it (K4). A prefix means all of it. */
import { type Blamed, denialOf } from "./denial.ts";
import type { Revocation } from "./grant.ts";
import { meet, namesRight, type Rights } from "./rights.ts";

export interface Explanation {
  readonly right: string;
  readonly verdict: "allowed" | "asks" | "denied";
  /** Those whose directive says that it must be asked for, from the root down. */
  readonly asked_by: readonly Holder[];
  readonly revoked: readonly Revocation[];
  /** Those whose directive does not declare it, from the root down. */
  readonly missing: readonly Blamed[];
  /** Of a prefix, what it may do all the same. */
  readonly within: readonly string[];
}

interface Holder {
  /** Null for the thread itself. */
  readonly thread_id: string | null;
  readonly directive: string;
  /** Of the right, what it says so of. */
  readonly asks: readonly string[];
}

interface Asked {
  readonly directive: string;
  readonly rights: Rights;
}

export function explainRight({ directive, rights }: Asked, right: string): Explanation {
  const touches = (other: string) => meet([other], [right]).length > 0;
  const revoked = rights.revoked.filter((each) => touches(each.right));
  // As if nothing had been taken: what would have to be written stays the same.
  const missing = denialOf({ directive, rights: { ...rights, revoked: [] } }, right)?.by ?? [];
  const asked_by = [...rights.above, { thread_id: null, directive, ask: rights.ask }]
    .map(({ thread_id, directive, ask }) => ({ thread_id, directive, asks: meet(ask, [right]) }))
    .filter(({ asks }) => asks.length > 0);
  const isDenied = revoked.length > 0 || missing.length > 0;
  const taken = revoked.map((each) => each.right);
  return {
    right,
    verdict: isDenied ? "denied" : asked_by.length > 0 ? "asks" : "allowed",
    asked_by,
    revoked,
    missing,
    within: isDenied ? meet(rights.use, [right]).filter((part) => !namesRight(taken, part)) : [],
  };
}
