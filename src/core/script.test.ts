import { expect, test } from "vitest";
import { filledStep, type ScriptStep, scriptStep } from "./script.ts";

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

test("ids that tools told of stand in for their places; what was not told stays", () => {
  const told = [
    '{"thread_id":"a-1","status":"running"}',
    "no json",
    "[1]",
    '{"thread_id":"b-2"}',
    '{"handle_id":"h"}',
  ];
  const step = {
    calls: [
      {
        tool: "wait_threads",
        input: {
          thread_ids: ["{thread_id:1}", "{thread_id:2}", "{thread_id:3}"],
          note: "{thread_id:1} is first",
        },
      },
      { tool: "p", input: { handle_id: "{handle_id:1}", n: 3, x: null } },
    ],
  };
  expect(filledStep(step, () => told).calls).toEqual([
    {
      tool: "wait_threads",
      input: { thread_ids: ["a-1", "b-2", "{thread_id:3}"], note: "{thread_id:1} is first" },
    },
    { tool: "p", input: { handle_id: "h", n: 3, x: null } },
  ]);
  const plain = { says: "x", calls: [{ tool: "a", input: { b: 1 } }] };
  const untouched = filledStep(plain, () => {
    throw new Error("nobody needs to look");
  });
  expect(untouched).toBe(plain);
});
