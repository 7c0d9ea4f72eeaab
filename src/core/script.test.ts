import { expect, test } from "vitest";
import { type ScriptStep, scriptStep } from "./script.ts";

const steps: ScriptStep[] = [
  { fails: { status: 503 } },
  { fails: { status: 529 } },
  { says: "one" },
  { calls: [{ tool: "a", input: {} }], fails: {} },
  { says: "three" },
];

test.each([
  [0, 1, steps[0]],
  [0, 2, steps[1]],
  [0, 3, steps[2]],
  [0, 9, steps[2]],
  [1, 1, steps[3]],
  [2, 1, steps[4]],
  [3, 1, undefined],
])("after %i answers, request %i", (answers, attempt, expected) => {
  expect(scriptStep(steps, answers, attempt)).toBe(expected);
});

test("a script that only fails goes on failing", () => {
  const failing: ScriptStep[] = [{ fails: { status: 500 } }];
  expect(scriptStep(failing, 0, 7)).toBe(failing[0]);
});
