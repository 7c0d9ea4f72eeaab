/** What a thread holds, as lists for people and programs (K4). Where one list names part of another, the narrower counts. */
import type { Revocation } from "./grant.ts";
import { droppedRights, meet, namesRight, type Rights } from "./rights.ts";

export interface Capabilities {
  /** May be used without asking. */
  readonly held: readonly string[];
  /** May be used, and a person is asked each time. */
  readonly asks: readonly string[];
  /** May be handed on, and not be used. */
  readonly hands_on: readonly string[];
  /** Declared, and not handed on whole by these threads above. */
  readonly dropped: readonly { readonly right: string; readonly by: readonly string[] }[];
  /** Taken away, by whom, and from which thread: this one, or one above. */
  readonly revoked: readonly Revocation[];
}

export function capabilitiesOf(rights: Rights): Capabilities {
  const { use, handOn, asked, revoked } = rights;
  const taken = revoked.map(({ right }) => right);
  const left = (list: readonly string[]) => list.filter((right) => !namesRight(taken, right));
  return {
    held: left(use).filter((right) => !namesRight(asked, right)),
    asks: left(meet(use, asked)),
    hands_on: left(handOn).filter((right) => !namesRight(use, right)),
    dropped: droppedRights(rights),
    revoked,
  };
}
