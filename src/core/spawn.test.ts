import { describe, expect, test } from "vitest";
import { mint } from "./grant.ts";
import type { Limits } from "./limit.ts";
import { delegate, leaveFor, rightsOf } from "./rights.ts";
import { type Prepared, planSpawn, type Startable, spawnBreach } from "./spawn.ts";
import { newThread, type Thread } from "./thread.ts";

const rights = rightsOf(mint({ permissions: ["selvage.execute.*"], ask: [], delegates: [] }));
const parent: Thread = {
  ...newThread("boss-1-aaaaaa"),
  ...{
    directive: "boss",
    chainRootId: "boss-1-aaaaaa",
    rootId: "top-1-aaaaaa",
    rights,
    limits: { depth: 3 },
  },
};
const startable: Startable = {
  ...{
    name: "work",
    description: "",
    model: "scripted/work",
    limits: { spend: "0.50" },
    body: "Do {input:what}.",
  },
  ...{ permissions: ["selvage.*"], ask: [], delegates: [] },
};
const prepared = (more: Partial<Startable> = {}): Prepared => ({
  ...{ directive: { ...startable, ...more }, system: "s", inputs: { what: "it" }, tools: ["bash", "read"] },
});
const defaults: Limits = { turns: 25, spend: "9.00", depth: 5 };
const needs = { childId: "work-1-bbbbbb", callId: "call_1", nonce: "n", defaults, maxChildren: 2 };
const ask = { directive: "work", wait: false, start: true };

function plan(more: { from?: Partial<Thread>; ask?: object; of?: Partial<Startable> } = {}) {
  return planSpawn({ ...parent, ...more.from }, { ...ask, ...more.ask }, prepared(more.of), needs);
}
function born(more: Parameters<typeof plan>[0] = {}) {
  const planned = plan(more);
  if ("refused" in planned) throw new Error(planned.refused);
  const [created] = planned.birth.events;
  if (created?.type !== "thread_created") throw new Error("not created");
  return { ...planned, created };
}
const refused = (more: Parameters<typeof plan>[0]) => {
  const planned = plan(more);
  return "refused" in planned ? planned.refused : undefined;
};

describe("a child out of what its parent has", () => {
  test("is linked to it, has its prompt, and is asked to start, all in one", () => {
    const { birth, started, created } = born();
    expect(created).toMatchObject({
      ...{
        directive: "work",
        chain_root_id: "work-1-bbbbbb",
        parent_id: "boss-1-aaaaaa",
        root_id: "top-1-aaaaaa",
      },
      ...{ run: 1, nonce: "n", inputs: { what: "it" } },
    });
    expect(birth.events[1]).toEqual({ type: "cognition_in", source: "directive", text: "Do it." });
    expect(birth.requests).toMatchObject([
      { kind: "start", request_id: "start_work-1-bbbbbb", by: "boss-1-aaaaaa" },
    ]);
    expect(started).toMatchObject({ call_id: "call_1", child_id: "work-1-bbbbbb", start: true });
  });

  test("that is only registered is not asked to start", () => {
    const { birth, started } = born({ ask: { start: false } });
    expect(birth.requests).toEqual([]);
    expect(started.start).toBe(false);
  });

  test.each<[string, object, Limits, Limits]>([
    ["its directive's over the defaults", {}, { spend: "0.50" }, { turns: 25, spend: "0.50", depth: 2 }],
    [
      "what is asked over both",
      { turns: 3, spend: 0.2 },
      { spend: "1", turns: 9 },
      { turns: 3, spend: 0.2, depth: 2 },
    ],
    ["shared by the call", { spend: "shared" }, { spend: "0.50" }, { turns: 25, depth: 2 }],
    ["shared by the directive", {}, { spend: "shared" }, { turns: 25, depth: 2 }],
    ["less depth than there is left", { depth: 1 }, { spend: "1" }, { turns: 25, spend: "1", depth: 1 }],
    // A person wrote the directive's: they stand, but no more generations follow than are left.
    [
      "more than the parent's, by the directive",
      {},
      { spend: "1", turns: 999, depth: 99 },
      { turns: 999, spend: "1", depth: 2 },
    ],
  ])("has limits: %s", (_, limits, declared, expected) => {
    const { created } = born({ ask: { limits }, of: { limits: declared } });
    expect(created.limits).toEqual(expected);
  });

  test("has no number for a depth that nobody limits", () => {
    const { depth, ...others } = defaults;
    const limits = plan({ from: { limits: {} } });
    const planned = planSpawn({ ...parent, limits: {} }, ask, prepared(), { ...needs, defaults: others });
    const [created] = "birth" in planned ? planned.birth.events : [];
    expect(created).toMatchObject({ limits: { turns: 25, spend: "0.50" } });
    expect(JSON.parse(JSON.stringify(created))).toEqual(created);
    expect("birth" in limits && limits.birth.events[0]).toMatchObject({ limits: { depth } });
  });

  test("may do no more than is handed on, and is offered no tool that it may not use", () => {
    const few = rightsOf(mint({ permissions: ["selvage.execute.tool.read"], ask: [], delegates: [] }));
    const { created } = born({ from: { rights: few } });
    expect(created.tools).toEqual(["read"]);
    const own = rightsOf(created.rights ?? mint({ permissions: [], ask: [], delegates: [] }));
    expect(leaveFor(own, "selvage.execute.tool.read")).toBe("free");
    expect(leaveFor(own, "selvage.execute.tool.bash")).toBe("denied");
    const grand = rightsOf(delegate({ id: "c", directive: "work", rights: own }, startable));
    expect(leaveFor(grand, "selvage.execute.tool.bash")).toBe("denied");
  });
});

describe("no child", () => {
  const living = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => {
        const child = { id: `c${at}`, directive: "d", status: "suspended" as const, suspensions: 0, told: 0 };
        return [child.id, child];
      }),
    );

  test.each<[string, Parameters<typeof plan>[0], string | undefined]>([
    ["no generation is left", { from: { limits: { depth: 0 } } }, "depth_exceeded"],
    ["the last generation", { from: { limits: { depth: 1 } } }, undefined],
    ["too many live", { from: { children: living(2) } }, "too many children: 2 live already"],
    ["one fewer lives", { from: { children: living(1) } }, undefined],
    ["no money is named", { of: { limits: { turns: 3 } } }, 'Add limits: { spend: "0.50" }'],
    ["money that is none", { ask: { limits: { spend: "much" } } }, "limits: spend needs an amount"],
    ["no money at all", { ask: { limits: { spend: "0" } } }, "limits: spend needs an amount"],
    ["a limit that there is not", { ask: { limits: { turnz: 1 } } }, "did you mean turns"],
    [
      "turns that are no number",
      { ask: { limits: { turns: "many" } } },
      "limits: turns needs a whole number",
    ],
    ["more depth than is left", { ask: { limits: { depth: 99 } } }, "limits: depth 99 is too much"],
    [
      "more turns than the parent has",
      { from: { limits: { turns: 5, depth: 3 } }, ask: { limits: { turns: 6, spend: "1" } } },
      "limits: turns 6 is too much: this thread's own is 5",
    ],
    ["a depth below nothing", { ask: { limits: { depth: -1 } } }, "limits: depth needs a whole number"],
  ])("where %s", (_, more, said) => {
    if (said === undefined) expect(refused(more)).toBeUndefined();
    else expect(refused(more)).toContain(said);
  });

  test("without an input that its prompt uses", () => {
    const missing = { ...prepared(), inputs: {} };
    expect(() => planSpawn(parent, ask, missing, needs)).toThrow('work needs the input "what"');
  });
});

test.each([
  [0, undefined, undefined],
  [5, undefined, undefined],
  [1, 2, undefined],
  [2, 2, { code: "spawns_exceeded", key: "spawns", current: 2, max: 2, needs: 3 }],
  [3, 2, { code: "spawns_exceeded", key: "spawns", current: 3, max: 2, needs: 4 }],
])("%s children of at most %s", (spawns, max, breach) => {
  expect(spawnBreach({ spawns, limits: max === undefined ? {} : { spawns: max } })).toEqual(breach);
});
