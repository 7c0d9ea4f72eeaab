import { expect, test } from "vitest";
import type { CallId } from "./id.ts";
import { countRepeat, type Repeat } from "./repeat.ts";

const call = (output: string, input: unknown = { a: 1, b: 2 }, status: "ok" | "error" = "ok") => ({
  tool: "t",
  input,
  result: { call_id: "c" as CallId, tool: "t", status, output },
});
const told = (calls: ReturnType<typeof call>[]) => {
  let repeat: Repeat | undefined;
  return calls.map((each) => {
    const counted = countRepeat(repeat, each);
    repeat = counted.repeat;
    return counted.result.output.includes("[Notice:");
  });
};

test.each([
  ["three alike", [call("x"), call("x"), call("x"), call("x")], [false, false, true, true]],
  [
    "the order of keys does not matter",
    [call("x"), call("x", { b: 2, a: 1 }), call("x")],
    [false, false, true],
  ],
  ["another result starts over", [call("x"), call("x"), call("y"), call("y")], [false, false, false, false]],
  [
    "another input starts over",
    [call("x"), call("x"), call("x", {}), call("x")],
    [false, false, false, false],
  ],
  [
    "another status starts over",
    [call("x"), call("x"), call("x", undefined, "error")],
    [false, false, false],
  ],
])("%s", (_, calls, expected) => {
  expect(told(calls)).toEqual(expected);
});

test("the notice says how often, and the result itself stays", () => {
  const { result } = countRepeat(
    { tool: "t", input: {}, status: "ok", output: "x", times: 4 },
    call("x", {}),
  );
  expect(result.output).toMatch(/^x\n\n\[Notice: .*5 times in a row/);
});
