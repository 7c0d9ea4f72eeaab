/** Rights over items, and whether anything of a kind may be done at all (K1). */
import { covers } from "./right.ts";
import { meet, type Rights } from "./rights.ts";

/** What doing something with an item needs; without a type, of all types. An id's `/` is written `.`. */
export function itemRight(verb: "load" | "search" | "sign", type: string | undefined, id: string): string {
  const kind = type === undefined ? "" : `${type}.`;
  return `selvage.${verb}.${kind}${id.replaceAll("/", ".")}`;
}

/** Whether anything that a prefix names may be done. */
export function anyOf({ use, revoked }: Rights, prefix: string): boolean {
  return meet(use, [prefix]).some((right) => !revoked.some((each) => covers(each.right, right)));
}
