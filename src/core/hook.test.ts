import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { beforeToolFacts, errorFacts, limitFacts, pressureFacts, threadFacts } from "./facts.ts";
import { type Facts, HOOK_ACTIONS, HOOK_EVENTS, type Hook, type HookEvent, type LocalHook } from "./hook.ts";
import { completeFacts, factsOf } from "./hook-facts.ts";
import { hookInputs, inputFault } from "./hook-inputs.ts";
import { hooksFelt, matchHooks } from "./hook-match.ts";
import { parseHookResult } from "./hook-result.ts";
import { newThread } from "./thread.ts";

const hook = (id: string, more: Partial<LocalHook> = {}): LocalHook => ({
  ...{ id, event: "limit", layer: "project", where: "hooks.yaml:1", inputs: {}, timeoutSeconds: 30 },
  run: { command: "true" },
  ...more,
});
const when = (answer: boolean | { error: string }): Pick<Required<Hook>, "when"> => ({
  when: { source: "…", test: () => answer },
});
const ids = (hooks: readonly Hook[]) => hooks.map(({ id }) => id);

test("hooks run by layer, and in a layer as they stand in the file", () => {
  const hooks = [
    hook("system", { layer: "system" }),
    hook("user", { layer: "user" }),
    hook("second", when(true)),
    hook("third"),
    hook("first", { layer: "directive" }),
    hook("other", { event: "error" }),
    hook("not now", when(false)),
  ];
  expect(ids(matchHooks(hooks, "limit", {}).matched)).toEqual(["first", "second", "third", "user", "system"]);
});

test("a hook whose condition cannot be told does not match, and says so", () => {
  const odd = hook("odd", when({ error: "why" }));
  expect(matchHooks([odd], "limit", {})).toEqual({ matched: [], broken: [{ hook: odd, why: "why" }] });
});

test("below a hook no hook is felt but what stands before a tool on the spot", () => {
  const directive: Hook = { ...hook("directive", { event: "before_tool" }), run: { directive: "guard" } };
  const hooks = [hook("limit"), hook("guard", { event: "before_tool" }), directive];
  expect(ids(hooksFelt(hooks, {}))).toEqual(["limit", "guard", "directive"]);
  expect(ids(hooksFelt(hooks, { forHook: "guard" }))).toEqual(["guard"]);
});

describe("what a hook answers", () => {
  test.each([
    [{ action: "retry" }],
    [{ action: "fail", message: "too dear" }],
    [{ action: "continue", context: { message: "be brief" } }],
  ])("%j is a result", (value) => {
    expect(parseHookResult(value)).toEqual(value);
  });

  test("a patch of the context needs no action", () => {
    const context = { message: "be brief" };
    expect(parseHookResult({ context })).toEqual({ action: "continue", context });
  });

  test.each([
    [undefined, "it answered nothing, not a JSON object"],
    [null, "it answered null, not a JSON object"],
    ["retry", "it answered text, not a JSON object"],
    [[], "it answered a list, not a JSON object"],
    [{}, "its answer has no action; there are retry, fail, abort, continue, suspend, escalate"],
    [{ action: "retyr" }, 'it answered an unknown action "retyr"; did it mean "retry"?'],
    [{ action: "RETRY" }, 'it answered an unknown action "RETRY"; did it mean "retry"?'],
    [{ action: "toString" }, expect.stringContaining('unknown action "toString"; there are')],
    [{ action: 1 }, expect.stringContaining("its action must be one of")],
    [{ action: "retry", mesage: "x" }, 'it answered an unknown key "mesage"; did it mean "message"?'],
    [{ action: "retry", message: 1 }, expect.stringContaining("its message must be text")],
    [{ action: "retry", context: "x" }, expect.stringContaining("its context must be")],
    [{ action: "retry", context: { message: "x", more: 1 } }, expect.stringContaining("its context must be")],
    [{ action: "retry", message: "x".repeat(65_537) }, expect.stringContaining("its message must be text")],
  ])("%j is a problem", (value, problem) => {
    expect(parseHookResult(value)).toEqual({ problem });
  });

  test("whatever it is, it is a result or a problem", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const read = parseHookResult(value);
        if ("problem" in read) expect(read.problem).not.toBe("");
        else expect(HOOK_ACTIONS).toContain(read.action);
      }),
    );
  });
});

describe("placeholders", () => {
  const facts = { turn: 3, cost: { spend: 2.5 }, input: { list: [1], text: "{turn}" }, tool: "a$&b" };

  test("are filled with facts; other braces stay", () => {
    const inputs = {
      a: "{turn} of {cost.spend}",
      b: "{input.list}{input.none}",
      c: '{"x": {}} {input:x}',
      d: 1,
      e: true,
    };
    expect(hookInputs({ inputs }, facts)).toEqual({
      ...{ a: "3 of 2.5", b: "[1]", c: '{"x": {}} {input:x}', d: 1, e: true },
    });
  });

  test("what a fact holds is not filled again, and no name reaches a prototype", () => {
    expect(
      hookInputs({ inputs: { a: "{tool} {input.text} {input.constructor}{__proto__}" } }, facts),
    ).toEqual({
      a: "a$&b {turn} ",
    });
  });

  test.each([
    ["{cost.spnd}", 'there is no "cost.spnd"; did you mean "cost.spend"?'],
    ["{result}", '"result" is known at after_tool, not at before_tool'],
    ["{cost}", expect.stringContaining('there is no "cost"')],
  ])("%s is a fault", (text, message) => {
    expect(inputFault({ ok: "{input.any.thing} {tool}", bad: text }, "before_tool")).toMatchObject({
      ...{ name: "bad", message },
    });
  });
});

describe("facts", () => {
  test("every event declares its facts, each once, with groups of one level", () => {
    for (const event of HOOK_EVENTS) {
      const names = factsOf(event).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
      for (const name of names) expect(names.filter((other) => other.startsWith(`${name}.`))).toEqual([]);
      // Beside the facts, a command is told these.
      for (const taken of ["hook", "event", "inputs"]) expect(names).not.toContain(taken);
    }
  });

  test("the runtime hands over facts as they are declared, and all of those that every event has", () => {
    const thread = newThread("t");
    const failure = { kind: "http", message: "no", status: 500 } as const;
    const given: [HookEvent, Facts][] = [
      ["before_step", threadFacts(thread)],
      ["limit", limitFacts(thread, { code: "turns_exceeded", key: "turns", current: 3, max: 3, needs: 4 })],
      ["error", errorFacts(thread, failure, { category: "transient", rule: "r", policy: undefined })],
      ["before_tool", beforeToolFacts(thread, { tool: "bash", input: { command: "ls" } })],
      ["context_window_pressure", pressureFacts(thread, { tokens: 900, window: 1_000, ratio: 0.9 })],
    ];
    for (const [event, facts] of given) expect(completeFacts(event, facts)).toEqual({ facts });
  });

  test("what is not given is 0 or empty, and later ones win", () => {
    const complete = completeFacts("limit", { turn: 1, cost: { spend: 1 } }, { turn: 2, cost: { turns: 4 } });
    expect(complete).toMatchObject({
      facts: {
        thread_id: "",
        turn: 2,
        code: "",
        cost: { spend: 1, turns: 4, tokens: 0 },
        limits: { spend: 0 },
      },
    });
  });

  test.each([
    [{ trun: 1 }, 'there is no "trun"; did you mean "turn"?'],
    [{ cost: { spnd: 1 } }, 'there is no "cost.spnd"; did you mean "cost.spend"?'],
    [{ turn: "1" }, '"turn" must be a number'],
    [{ code: 1 }, '"code" must be text'],
    [{ cost: 1 }, expect.stringContaining('there is no "cost"')],
    [{ tool: "x" }, expect.stringContaining('"tool" is known at before_tool, not at limit')],
  ])("%j does not fit", (given, problem) => {
    expect(completeFacts("limit", given)).toMatchObject({ problem });
  });
});
