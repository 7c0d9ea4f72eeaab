import { expect, test } from "vitest";
import { broughtFor, type Having, isUsable, lackingOf } from "./brought.ts";
import type { Model } from "./model.ts";
import type { Tool } from "./tool.ts";

const having = (tools: readonly string[], models: Readonly<Record<string, Partial<Model>>> = {}): Having => ({
  tool: (name) => (tools.includes(name) ? ({ name } as Tool) : undefined),
  model: (name) => models[name] as Model | undefined,
});

test.each([
  [[], ["a"], "p/m", []],
  [["a", "b", "scripted/x"], ["a", "read"], "p/m", ["a"]],
  [["a", "b", "scripted/x"], ["a", "b"], "scripted/x", ["a", "b", "scripted/x"]],
])("of %j, a thread with the tools %j and the model %s lives from %j", (names, tools, model, brought) => {
  expect(broughtFor(names, { tools, model })).toEqual(brought);
});

test.each([
  [[], having([]), []],
  [["a"], having([]), ["a"]],
  [["a"], having(["a"]), []],
  [["a", "scripted/x"], having(["a"]), ["scripted/x"]],
  [["scripted/x"], having([], { "scripted/x": {} }), []],
  // A script that is not there is told as a model that cannot be used.
  [["scripted/x"], having([], { "scripted/x": { unusable: "no script" } }), ["scripted/x"]],
])("a thread with %j lacks, in a world, %3$j", (brought, world, lacks) => {
  expect(lackingOf({ brought }, world)).toEqual(lacks);
});

test("a model that answers every request with the same failure is of no use", () => {
  const { model } = having([], { "p/good": {}, "p/bad": { unusable: "no key" } });
  expect(["p/good", "p/bad", "p/none"].map((name) => isUsable(name, { model }))).toEqual([
    true,
    false,
    false,
  ]);
});
