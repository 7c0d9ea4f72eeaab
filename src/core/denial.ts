/** Why something may not be done, in data and in words (K4). */
import { covers, shortRight } from "./right.ts";
import { leaveFor, namesRight, type Rights } from "./rights.ts";

/** Why something may not be done, and what would have to be written where (K4). */
export interface Denial {
  readonly right: string;
  readonly why: "revoked" | "undeclared" | "dropped";
  /** Those who would have to declare it, from the root down; for a revocation, whom it was taken from. */
  readonly by: readonly Blamed[];
  /** Who took it away. */
  readonly person?: string;
}

export interface Blamed {
  /** Null for the thread itself. */
  readonly thread_id: string | null;
  readonly directive: string;
  /** Where in the directive it belongs. */
  readonly list: "permissions" | "delegates";
}

/** Undefined when it may be done. */
export function denialOf(
  { directive, rights }: { readonly directive: string; readonly rights: Rights },
  right: string,
): Denial | undefined {
  if (leaveFor(rights, right) !== "denied") return undefined;
  const taken = rights.revoked.find((each) => covers(each.right, right));
  if (taken) {
    const holder = rights.above.find(({ thread_id }) => thread_id === taken.from);
    const list = "permissions";
    const from = { thread_id: holder ? taken.from : null, directive: holder?.directive ?? directive, list };
    return { right, why: "revoked", by: [from as Blamed], person: taken.by };
  }
  const droppers = rights.above
    .filter(({ hands_on }) => !namesRight(hands_on, right))
    .map((each): Blamed => ({ thread_id: each.thread_id, directive: each.directive, list: "delegates" }));
  const declares = namesRight([...rights.permissions, ...rights.ask], right);
  const own: Blamed[] = declares ? [] : [{ thread_id: null, directive, list: "permissions" }];
  return { right, why: droppers.length > 0 ? "dropped" : "undeclared", by: [...droppers, ...own] };
}

/** What the model is told instead of a result. */
export function deniedCall(tool: string, denial: Denial): string {
  return `Not allowed to call ${tool}: ${denialText(denial)}.`;
}

/** For the model and for people: the missing right, and whose it is to give. */
export function denialText({ right, why, by, person }: Denial): string {
  const name = shortRight(right);
  const who = by.map(({ thread_id, directive }) =>
    thread_id === null ? `its directive ${directive}` : `${thread_id} (${directive})`,
  );
  switch (why) {
    case "revoked": {
      const above = by.some(({ thread_id }) => thread_id !== null) ? `, from ${who.join(", ")}` : "";
      return `the right ${name} was taken away${person === undefined ? "" : ` by ${person}`}${above}`;
    }
    case "undeclared":
      return `${who.join(", ")} does not grant the right ${name}`;
    case "dropped":
      return `the right ${name} is not handed on by ${who.join(", nor granted by ")}`;
  }
}
