import { expect, test } from "vitest";
import { denialOf, denialText } from "./denial.ts";
import { type Declared, mint } from "./grant.ts";
import { covers } from "./right.ts";
import {
  delegate,
  droppedRights,
  leaveFor,
  NO_RIGHTS,
  type Rights,
  rightsOf,
  withoutRights,
} from "./rights.ts";

const tool = (name: string) => `selvage.execute.tool.${name}`;
const declared = (some: Partial<Declared>): Declared => ({
  permissions: [],
  ask: [],
  delegates: [],
  ...some,
});
const root = (some: Partial<Declared>) => rightsOf(mint(declared(some)));
const child = (rights: Rights, some: Partial<Declared>, id = "boss-1", directive = "boss") =>
  rightsOf(delegate({ id, directive, rights }, declared(some)));

test("nothing granted is nothing allowed", () => {
  expect(leaveFor(NO_RIGHTS, tool("read"))).toBe("denied");
  expect(leaveFor(root({}), tool("read"))).toBe("denied");
  expect(leaveFor(root({ delegates: [tool("*")] }), tool("read"))).toBe("denied");
});

test.each([
  [["selvage.*"], "read", "free"],
  [[tool("*")], "read", "free"],
  [[tool("read")], "read", "free"],
  [[tool("re*")], "read", "free"],
  [[tool("read")], "reads", "denied"],
  [[tool("reads")], "read", "denied"],
  [["selvage.load.tool.*"], "read", "denied"],
  [["selvage.execute.directive.*"], "read", "denied"],
] as const)("%j: %s is %s", (permissions, name, leave) => {
  expect(leaveFor(root({ permissions }), tool(name))).toBe(leave);
});

test("an ask is a right, and asks whatever else is granted", () => {
  const rights = root({ permissions: [tool("*")], ask: [tool("ba*")] });
  expect(leaveFor(rights, tool("bash"))).toBe("ask");
  expect(leaveFor(rights, tool("read"))).toBe("free");
  expect(leaveFor(root({ ask: [tool("bash")] }), tool("bash"))).toBe("ask");
});

test("a child gets what is handed on and declared, and says what was dropped by whom", () => {
  const boss = root({ permissions: [tool("read"), tool("bash")], delegates: [tool("edit")] });
  const worker = child(boss, { permissions: [tool("*"), "selvage.load.directive.a"] });
  expect(worker.use).toEqual([tool("bash"), tool("edit"), tool("read")]);
  expect(droppedRights(worker)).toEqual([
    { right: tool("*"), by: ["boss-1"] },
    { right: "selvage.load.directive.a", by: ["boss-1"] },
  ]);
  expect(leaveFor(boss, tool("edit"))).toBe("denied");
  expect(leaveFor(worker, tool("edit"))).toBe("free");
});

test("what must be asked for stays so below, whatever a child declares", () => {
  const boss = root({ permissions: [tool("*")], ask: [tool("bash")] });
  expect(leaveFor(child(boss, { permissions: [tool("*")] }), tool("bash"))).toBe("ask");
});

test("a denial names the right, and whose it is to give", () => {
  const boss = root({ permissions: [tool("read")] });
  const middle = child(boss, { permissions: [tool("*")] }, "boss-1", "boss");
  const worker = child(middle, { permissions: [tool("bash")] }, "middle-1", "middle");
  const words = (rights: Rights, name: string) => {
    const denial = denialOf({ directive: "work", rights }, tool(name));
    return denial && denialText(denial);
  };
  expect(words(boss, "read")).toBeUndefined();
  expect(words(boss, "bash")).toBe("its directive work does not grant the right execute.tool.bash");
  expect(words(worker, "bash")).toBe("the right execute.tool.bash is not handed on by boss-1 (boss)");
  expect(words(worker, "edit")).toBe(
    "the right execute.tool.edit is not handed on by boss-1 (boss), nor granted by its directive work",
  );
  const taken = withoutRights(boss, [{ right: tool("*"), by: "ada", from: "work-1" }]);
  expect(words(taken, "read")).toBe("the right execute.tool.read was taken away by ada");
  expect(denialOf({ directive: "work", rights: worker }, tool("edit"))).toEqual({
    right: tool("edit"),
    why: "dropped",
    by: [
      { thread_id: "boss-1", directive: "boss", list: "delegates" },
      { thread_id: null, directive: "work", list: "permissions" },
    ],
  });
});

// Everything there is to name, and every way to name it: small enough to be compared one by one.
const NAMES = ["a", "b", "aa", "ab", "ba", "a.a", "a.b", "ab.a", "b.a.b"];
const ALL = NAMES.map(tool);
const PATTERNS = [
  ...ALL,
  ...[...new Set(NAMES.flatMap((name) => [...name].map((_, at) => name.slice(0, at))))].map((start) =>
    tool(`${start}*`),
  ),
  "selvage.*",
  "selvage.load.*",
];

interface Modelled {
  readonly id: string;
  readonly parent: number | null;
  rights: Rights;
  /** The same as plain sets: a bit for each right there is. */
  use: number;
  handOn: number;
  readonly ask: number;
}

/** Every right that a pattern names, found by comparing letters, once. */
const NAMED = new Map(
  PATTERNS.map((pattern) => {
    const matches = (right: string) =>
      pattern.at(-1) === "*"
        ? [...pattern.slice(0, -1)].every((letter, at) => right[at] === letter)
        : pattern === right;
    return [pattern, ALL.reduce((bits, right, at) => bits | (matches(right) ? 1 << at : 0), 0)];
  }),
);

function setOf(patterns: readonly string[]): number {
  return patterns.reduce((bits, pattern) => bits | (NAMED.get(pattern) ?? 0), 0);
}

type Move =
  | { readonly move: "spawn"; readonly at: number; readonly declared: Declared }
  | { readonly move: "revoke"; readonly at: number; readonly right: string };

function spawn(tree: Modelled[], at: number, said: Declared): void {
  const index = tree.length === 0 ? null : at % tree.length;
  const above = index === null ? undefined : tree[index];
  const grant = above ? delegate({ ...above, directive: "d" }, said) : mint(said);
  const within = above?.handOn ?? -1;
  const use = setOf(said.permissions) | setOf(said.ask);
  tree.push({
    ...{ id: `t${tree.length}`, parent: index, rights: rightsOf(grant) },
    ...{ use: use & within, handOn: (use | setOf(said.delegates)) & within },
    ask: setOf(said.ask) | (above?.ask ?? 0),
  });
}

/** From a thread and from all below it. */
function revoke(tree: Modelled[], at: number, right: string): void {
  const first = at % tree.length;
  const isBelow = (index: number): boolean => {
    const parent = tree[index]?.parent ?? null;
    return index === first || (parent !== null && isBelow(parent));
  };
  for (const [index, each] of tree.entries()) {
    if (!isBelow(index)) continue;
    each.rights = withoutRights(each.rights, [{ right, by: "x", from: `t${first}` }]);
    each.use &= ~setOf([right]);
    each.handOn &= ~setOf([right]);
  }
}

function play(moves: readonly Move[], explains: boolean): void {
  const tree: Modelled[] = [];
  spawn(tree, 0, declared({ permissions: [tool("*")], delegates: ["selvage.*"] }));
  for (const move of moves) {
    if (move.move === "spawn") spawn(tree, move.at, move.declared);
    else revoke(tree, move.at, move.right);
  }
  for (const { rights, parent, use, ask } of tree) {
    const above = parent === null ? -1 : (tree[parent]?.handOn ?? 0);
    for (const [at, right] of ALL.entries()) {
      const bit = 1 << at;
      const leave = leaveFor(rights, right);
      const wanted = use & bit ? (ask & bit ? "ask" : "free") : "denied";
      if (leave !== wanted) throw new Error(`${right} is ${leave}, not ${wanted}`);
      if (leave !== "denied" && !(above & bit)) throw new Error(`${right} is wider`);
      if (explains && (denialOf({ directive: "d", rights }, right) === undefined) !== (leave !== "denied"))
        throw new Error(`${right} is ${leave}, and is explained otherwise`);
    }
  }
}

const programs = process.env["SELVAGE_CAMPAIGN"] === "1" ? 10_000_000 : 100_000;

/** Numbers below a bound, one after the other from a seed. */
function dice(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function program(roll: (below: number) => number): Move[] {
  const one = () => PATTERNS[roll(PATTERNS.length)] ?? "";
  const some = (most: number) => Array.from({ length: roll(most + 1) }, one);
  return Array.from({ length: 1 + roll(6) }, (): Move => {
    if (roll(4) === 0) return { move: "revoke", at: roll(10), right: one() };
    return {
      move: "spawn",
      at: roll(10),
      declared: { permissions: some(3), ask: some(1), delegates: some(2) },
    };
  });
}

test(`${programs} random programs of delegation: exactly what plain sets say, and never wider`, () => {
  // By hand: so many small programs are made faster than fast-check could shrink one of them.
  const seed = Number(process.env["SELVAGE_SEED"]) || 1;
  for (let at = 0; at < programs; at += 1) {
    const moves = program(dice(seed + at));
    try {
      play(moves, at % 20 === 0);
    } catch (cause) {
      throw new Error(`program ${seed + at}: ${JSON.stringify(moves)}`, { cause });
    }
  }
}, 3_600_000);

test("covering is what looking at each right says", () => {
  for (const left of PATTERNS) {
    for (const right of ALL)
      expect(covers(left, right), `${left} ${right}`).toBe((setOf([left]) & (1 << ALL.indexOf(right))) !== 0);
  }
});
