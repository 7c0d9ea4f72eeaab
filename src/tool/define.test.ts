import { getEventListeners } from "node:events";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import * as classic from "zod";
import * as mini from "zod/mini";
import type { CallId } from "../core/id.ts";
import { lanesOf, type ToolContext } from "../core/tool.ts";
import { defineTool } from "./define.ts";
import { supervised } from "./supervise.ts";

const json = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "array", items: { type: "integer", minimum: 1 } },
  },
  required: ["city"],
  additionalProperties: false,
} as const;
const schemas = {
  classic: classic.strictObject({
    city: classic.string(),
    days: classic.array(classic.int().min(1)).optional(),
  }),
  mini: mini.strictObject({
    city: mini.string(),
    days: mini.optional(mini.array(mini.int().check(mini.minimum(1)))),
  }),
  json,
};

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(schemas))("with a schema of %s", (_, input) => {
  const tool = defineTool({
    name: "weather",
    description: "d",
    input: input as typeof json,
    run: (given: Record<string, unknown>) => given,
  });

  test("the model is shown a JSON Schema", () => {
    expect(tool.input).toMatchObject({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    expect(tool.input).not.toHaveProperty("$schema");
  });

  test.each([
    [{ city: "Oslo" }, undefined],
    [{ city: "Oslo", days: [1, 2] }, undefined],
    [{}, /city/],
    [{ city: 7 }, /^city: .*string/],
    [{ city: "Oslo", days: [1, "x"] }, /^days\[1\]: /],
    [{ city: "Oslo", days: [0] }, /^days\[0\]: /],
    [{ city: "Oslo", extra: 1 }, /extra/],
    [{ city: "Oslo", _thread: "x" }, /^_thread: .*reserved/],
    [JSON.parse('{"city": "Oslo", "__proto__": {}}'), /^__proto__: .*reserved/],
    ["Oslo", /object/],
    [null, /object/],
    [[], /object/],
  ])("%j is judged", async (given, complaint) => {
    if (!complaint) return expect(tool.complaint?.(given)).toBeUndefined();
    expect(tool.complaint?.(given)).toMatch(complaint);
    expect(await tool.run(given, context())).toEqual({
      status: "error",
      output: expect.stringMatching(complaint),
    });
  });
});

describe("what it returns", () => {
  test.each([
    ["text", "text"],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [7, "7"],
    [null, "null"],
    [undefined, ""],
    ["a\ud800b", "a\ufffdb"],
  ])("%j is told as %j", async (value, output) => {
    expect(await defined(() => value).run({}, context())).toEqual({ status: "ok", output });
  });

  test.each([
    ["an error", () => Promise.reject(new Error("no city")), "no city"],
    [
      "something thrown at once",
      () => {
        throw "text";
      },
      "text",
    ],
    ["a value without JSON", () => 1n, expect.stringContaining("BigInt")],
  ])("%s is an error outcome", async (_, run, output) => {
    expect(await defined(run).run({}, context())).toEqual({ status: "error", output });
  });
});

describe("time", () => {
  test("a time-out aborts the signal and is an error, though the tool never comes back", async () => {
    vi.useFakeTimers();
    let seen: AbortSignal | undefined;
    const { signal } = new AbortController();
    const tool = defined((_, { signal }) => {
      seen = signal;
      return new Promise(() => {});
    }, 5);
    const outcome = tool.run({}, context({ signal }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toMatchObject({
      status: "error",
      output: expect.stringContaining("Timed out after 5 s"),
    });
    expect(seen?.aborted).toBe(true);
    expect(signal.aborted).toBe(false);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("an abort reaches the tool, and its complaint is then no error", async () => {
    const controller = new AbortController();
    const tool = defined(async (_, { signal }) => {
      controller.abort();
      signal.throwIfAborted();
    });
    expect(await tool.run({}, context({ signal: controller.signal }))).toMatchObject({ status: "stopped" });
  });

  test.each([
    [
      "one without a time of its own by whoever runs it",
      supervised(
        defined(() => new Promise(() => {})),
        { timeoutSeconds: 0 },
      ),
    ],
    ["one with a time of its own by itself", defined(() => new Promise(() => {}), 60)],
  ])("a tool that goes on after an abort is left behind, its outcome unknown: %s", async (_, tool) => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const outcome = tool.run({}, context({ signal: controller.signal }));
    controller.abort();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await outcome).toMatchObject({ status: "unknown" });
  });

  test("after an abort it is not run at all", async () => {
    const run = vi.fn();
    expect(await defined(run).run({}, context({ signal: AbortSignal.abort() }))).toMatchObject({
      status: "stopped",
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe("the definition", () => {
  test("values are parsed: defaults are filled in, and typed", async () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      input: mini.object({ n: mini._default(mini.int(), 3) }),
      lanes: ({ n }) => [`n:${n}`],
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ n: number }>();
        return input.n;
      },
    });
    expect(await tool.run({}, context())).toEqual({ status: "ok", output: "3" });
    expect(lanesOf(tool, {})).toEqual(["n:3"]);
    expect(lanesOf(tool, { n: "x" })).toEqual([]);
  });

  test("the JSON Schema is made only when asked for", () => {
    const shape = vi.fn(() => mini.string());
    const tool = defineTool({
      name: "t",
      description: "d",
      input: mini.object({ a: mini.lazy(shape) }),
      run: () => "",
    });
    expect(shape).not.toHaveBeenCalled();
    expect(tool.input).toMatchObject({ required: ["a"] });
    expect(shape).toHaveBeenCalled();
  });

  test("nothing said means manual, one call after the other", () => {
    expect([
      defined(() => "").effect,
      lanesOf(
        defined(() => ""),
        {},
      ),
    ]).toEqual(["manual", ["tool:t"]]);
  });

  test("lanes that throw fall back to one call after the other", () => {
    const lanes = () => {
      throw new Error("broken");
    };
    expect(lanesOf(defineTool({ name: "t", description: "d", input: {}, lanes, run: () => "" }), {})).toEqual(
      ["tool:t"],
    );
  });

  test("a probe is asked with checked input; when it fails, nothing is known", async () => {
    const probe = vi.fn().mockReturnValueOnce({ type: "not_done" }).mockRejectedValueOnce(new Error("x"));
    const tool = defineTool({
      name: "t",
      description: "d",
      input: json,
      effect: "probe",
      probe,
      run: () => "",
    });
    expect(await tool.probe?.({ city: "Oslo" }, context())).toEqual({ type: "not_done" });
    expect(await tool.probe?.({ city: "Oslo" }, context())).toEqual({ type: "cannot_tell" });
    expect(await tool.probe?.({}, context())).toEqual({ type: "cannot_tell" });
    expect(probe).toHaveBeenCalledTimes(2);
  });

  test("a check that throws, or waits, is a complaint and no crash", () => {
    const throwing = classic.object({}).refine(() => {
      throw new Error("broken");
    });
    const waiting = classic.object({}).refine(async () => true);
    for (const input of [throwing, waiting])
      expect(defineTool({ name: "t", description: "d", input, run: () => "" }).complaint?.({})).toMatch(
        /could not be checked/,
      );
    const broken = defineTool({ name: "t", description: "d", input: { $ref: "#/nowhere" }, run: () => "" });
    expect(broken.complaint?.({})).toMatch(/could not be checked/);
  });

  test("mistakes are refused when the tool is defined", () => {
    const good = { name: "t", description: "d", input: {}, run: () => "" };
    expect(() => defineTool({ ...good, name: "my tool" })).toThrow(/no tool name/);
    expect(() => defineTool({ ...good, effect: "probe" })).toThrow(/no probe/);
    expect(() => defineTool({ ...good, input: { _def: {} } })).toThrow(/zod 3/);
  });
});

function defined(run: (input: Record<string, unknown>, context: ToolContext) => unknown, timeoutSeconds = 0) {
  return defineTool({ name: "t", description: "d", input: { type: "object" }, timeoutSeconds, run });
}

function context(over: Partial<ToolContext> = {}): ToolContext {
  return {
    ...{ threadId: "a-1-aaaaaa", chainRootId: "a-1-aaaaaa", turn: 1, callKey: "call_test" as CallId },
    ...{ signal: new AbortController().signal, progress: () => {} },
    ...over,
  };
}
