import { describe, expect, test } from "vitest";
import type { Directive } from "./directive.ts";
import { forecast } from "./forecast.ts";

function directive(name: string, more: Partial<Directive> = {}): Directive {
  return {
    ...{ name, description: name, model: "scripted/x", limits: { spend: "0.50" }, inputs: {}, outputs: {} },
    ...{ permissions: [], ask: [], delegates: [], hooks: [], body: "" },
    ...more,
  };
}

const STARTS = ["selvage.execute.tool.thread_tool", "selvage.execute.directive.plan_*"];

function family(...members: Directive[]) {
  return {
    names: members.map(({ name }) => name),
    directive: (name: string) => {
      const found = members.find((each) => each.name === name);
      if (!found) throw new Error(`no ${name}`);
      return found;
    },
  };
}

describe("what a tree may come to", () => {
  const root = directive("build", { permissions: STARTS });

  test("names those that it has a right to start, with what each may spend", () => {
    const found = forecast(
      root,
      { spend: 3, spawns: 4 },
      family(root, directive("plan_a"), directive("other")),
    );
    expect(found).toMatchObject({ directive: "build", spend: "3.0000", spawns: 4, problem: null });
    expect(found.children).toEqual([
      { directive: "plan_a", spend: "0.5000", spawns: null, children: [], problem: null, again: false },
    ]);
  });

  test("a right to a directive alone starts nobody", () => {
    const alone = directive("build", { permissions: ["selvage.execute.directive.*"] });
    expect(forecast(alone, {}, family(directive("plan_a"))).children).toEqual([]);
  });

  test("a child without a limit of money, or that cannot be read, is named with the reason", () => {
    const { children } = forecast(
      root,
      {},
      {
        ...family(directive("plan_a", { limits: {} })),
        names: ["plan_a", "plan_b"],
      },
    );
    expect(children.map(({ problem }) => problem)).toEqual([
      expect.stringContaining("no spend limit"),
      "no plan_b",
    ]);
  });

  test("one that may start itself is named once more, and not followed", () => {
    const loop = directive("plan_a", { permissions: STARTS });
    const { children } = forecast(loop, {}, family(loop));
    expect(children).toMatchObject([{ directive: "plan_a", again: true, children: [] }]);
  });
});
