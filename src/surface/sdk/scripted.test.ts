import { expect, test } from "vitest";
import { defineTool } from "../../tool/define.ts";
import { isScripted, type Line, scripted } from "./scripted.ts";

const weather = defineTool({
  name: "weather",
  description: "Temperature in a city",
  input: { type: "object" },
  run: () => "21",
});

test("texts, calls, several calls and steps are steps", () => {
  const call = { tool: "weather", input: { city: "Oslo" } };
  const script = scripted([
    "Hello.",
    weather({ city: "Oslo" }),
    [weather({ city: "Oslo" }), weather({ city: "Oslo" })],
    { fails: { status: 429, retry_after_ms: 1 } },
  ]);
  expect(isScripted(script)).toBe(true);
  expect(script.steps).toEqual([
    { says: "Hello." },
    { calls: [call] },
    { calls: [call, call] },
    { fails: { status: 429, retry_after_ms: 1 } },
  ]);
});

test.each([
  [[weather], "Line 1 of the script is a tool; call it: weather({ … })."],
  [["x", 5], "Line 2 of the script is no text, call or step."],
  [[null], "Line 1 of the script is no text, call or step."],
  [[{ say: "x" }], "Line 1 of the script is no step: it has say."],
  [[{}], "Line 1 of the script is no step: it has nothing."],
  [[["x"]], "Line 1 of the script has something that is no call"],
  ["x", "scripted() takes a list of texts, calls and steps."],
])("%j is refused, and the line is named", (lines, message) => {
  expect(() => scripted(lines as unknown as Line[])).toThrow(message);
});

test.each([undefined, "fast", { steps: [] }, null])("%j is no script", (value) => {
  expect(isScripted(value)).toBe(false);
});
