/** What a thread knows of those below it: of its children, and of those further down that a wait has named. */
import type { Child, Family } from "./family.ts";
import { isTerminal } from "./status.ts";

export type Kin = Pick<Family, "children" | "further">;

export function knownBelow({ children, further }: Kin, id: string): Child | undefined {
  if (Object.hasOwn(children, id)) return children[id];
  return Object.hasOwn(further, id) ? further[id] : undefined;
}

/** Of these, who has not ended as far as is known. */
export function livingOf(kin: Kin, ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const known = knownBelow(kin, id);
    return known !== undefined && !isTerminal(known.status);
  });
}
