/** What a store needs from outside: time, hashing, names, and who is alive. */
import type { OwnerState } from "../../core/claim.ts";

export interface StoreNeeds {
  readonly now: () => number;
  readonly sha256: (text: string) => string;
  readonly newId: () => string;
  readonly ownerState: (owner: string) => OwnerState;
}
