/** What an open project is made of, for surfaces that stand on it; programs do not see it. */
import type { Feed } from "./feed.ts";
import type { Premises } from "./premises.ts";

export interface Parts {
  readonly premises: Premises;
  readonly feed: Feed;
}

const PARTS = new WeakMap<object, Parts>();

export function keepParts(owner: object, parts: Parts): void {
  PARTS.set(owner, parts);
}

export function partsOf(owner: object): Parts {
  const parts = PARTS.get(owner);
  if (!parts) throw new TypeError("This is no open project.");
  return parts;
}
