// Hooks that make a full conversation shorter, from a folder with files: a command, and a directive.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./cli.ts";
import { effects, idOf, threads } from "./family.ts";

let place: Place;
beforeEach(async () => {
  place = new Place();
  await place.ok("init");
});
afterEach(() => place.remove());

const events = async (id: string) =>
  (await place.ok("logs", id, "--jsonl"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const usage = (input: number) => `usage: { input: ${input}, output: 10 }`;
const step = (at: number, input: number) =>
  `- { calls: [{ tool: bash, input: { command: "echo ${at} >> effects; seq 700" } }], ${usage(input)} }\n`;

/** A window of 10,000 tokens, of which the third answer fills more than 0.8. */
const filling = (hook: string) => ({
  ".ai/config/models.yaml": "models:\n  scripted/work: { window: 10000 }\n",
  ".ai/config/hooks.yaml": `hooks:\n  - { id: shorter, event: context_window_pressure, when: pressure_ratio >= 0.8, ${hook} }\n`,
  ".ai/directives/work.md":
    "---\ndescription: work\nmodel: { id: scripted/work }\nlimits: { turns: 9 }\npermissions: [execute.tool.bash]\n---\nKeep the blue door closed.\n",
  ".ai/scripts/work.yaml": `${step(1, 1_000)}${step(2, 4_000)}${step(3, 7_000)}- { says: done, ${usage(3_000)} }\n`,
});

async function shortened(by: Record<string, unknown>) {
  const { code, stderr } = await place.run(["run", "work"]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(effects(place)).toEqual(["1", "2", "3"]);
  const id = await idOf(place, "work");
  const told = await events(id);
  expect(told.filter(({ type }) => type === "hook_matched")).toMatchObject([
    { hook: "shorter", event: "context_window_pressure", action: "continue", ...by },
  ]);
  const [start, end] = told.filter(({ type }) => `${type}`.startsWith("context_compaction"));
  expect(start).toMatchObject({ why: "hook", window: 10_000 });
  expect(end).toMatchObject({ summary: "one and two are done", prune_before_turn: 3 });
  expect(end.tokens_after).toBeLessThan(end.tokens_before - 2_000);
  return id;
}

test("a command is told how full it is, and its notes take the place of what came before", async () => {
  place.write(filling("command: sh shorter.sh"));
  place.write({
    "shorter.sh":
      'cat > told.json\necho \'{"compaction": {"summary": "one and two are done", "prune_before_turn": 3}}\'\n',
  });
  await shortened({});
  const told = JSON.parse(readFileSync(join(place.root, "told.json"), "utf8"));
  expect(told).toMatchObject({ event: "context_window_pressure", max_tokens: 10_000, turn: 3 });
  expect(told.pressure_ratio).toBeCloseTo(told.tokens_used / 10_000);
  expect(told.pressure_ratio).toBeGreaterThan(0.8);
});

test("a directive does the same with its outputs", async () => {
  place.write(filling("directive: notes"));
  place.write({
    ".ai/directives/notes.md":
      '---\ndescription: notes\nmodel: { id: scripted/notes }\nlimits: { spend: "0.20" }\npermissions: []\ninputs: { tokens_used: { type: number }, max_tokens: { type: number } }\noutputs: { compaction: { type: object } }\n---\n{input:tokens_used} of {input:max_tokens}\n',
    ".ai/scripts/notes.yaml":
      "- calls: [{ tool: directive_return, input: { compaction: { summary: one and two are done, prune_before_turn: 3 } } }]\n",
  });
  expect((await place.run(["directive", "lint", "work"])).code).toBe(0);
  const child = async () => idOf(place, "notes");
  await shortened({ child_id: expect.stringMatching(/^notes-/) });
  const [created] = await events(await child());
  expect(created.inputs).toMatchObject({ max_tokens: 10_000 });
  expect((await threads(place)).map(({ status }) => status)).toEqual(["completed", "completed"]);
});
