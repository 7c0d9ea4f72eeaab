// A hook that runs a directive, from a folder with files: the example of the specification among them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./cli.ts";
import { effects, idOf, kill, threads } from "./family.ts";

const head = (name: string, more: string) =>
  `---\ndescription: ${name}\nmodel: { id: scripted/${name} }\n${more}---\n`;
const OUTPUTS = "outputs: { action: { type: string }, message: { type: string } }\n";
const answers = (action: string, message: string) =>
  `- calls: [{ tool: directive_return, input: { action: ${action}, message: "${message}" } }]\n`;
const bash = (command: string) => `- calls: [{ tool: bash, input: { command: "${command}" } }]\n`;

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

/** `limit` names what is asked about. */
const escalation = (limits: string, when: string, script: string, tokens = 9_000) => ({
  ".ai/directives/build.md": `${head("build", `limits: ${limits}\npermissions: [execute.tool.bash]\nhooks:\n  - { id: ask-first, event: limit, when: "${when}", directive: my_escalation }\n`)}Build it.\n`,
  ".ai/scripts/build.yaml": `${bash("echo one >> effects")}${bash("echo two >> effects")}- says: done\n`,
  ".ai/directives/my_escalation.md": `${head("my_escalation", `limits: { spend: "0.20", tokens: ${tokens} }\npermissions: []\ninputs: { code: {}, max: { type: number }, cost_spend: { type: number } }\n${OUTPUTS}`)}{input:code} at {input:max}\n`,
  ".ai/scripts/my_escalation.yaml": script,
});

test("the example of the specification: a limit on money starts an escalation, which cannot lift it", async () => {
  place.write(
    escalation('{ spend: "0.012" }', "spend_exceeded", answers("escalate", "worth two more cents"), 550),
  );
  expect((await place.run(["directive", "lint", "build"])).code).toBe(0);
  const { code } = await place.run(["run", "build"]);
  expect(code).toBe(3);
  const id = await idOf(place, "build");
  const child = await idOf(place, "my_escalation");
  const told = await events(id);
  expect(told.filter(({ type }) => type === "hook_matched")).toMatchObject([
    {
      hook: "ask-first",
      event: "limit",
      action: "escalate",
      message: "worth two more cents",
      child_id: child,
    },
  ]);
  const [created] = await events(child);
  expect(created).toMatchObject({
    parent_id: id,
    hook: "ask-first",
    inputs: { code: "spend_exceeded", max: 0.012 },
  });
  const { data } = await place.json("approvals");
  expect(data.approvals).toMatchObject([{ thread_id: id, reason: "limit" }]);
  const shown = await place.ok("logs", id);
  expect(shown).toContain("started for the hook ask-first on limit");
  expect(shown).toContain("ask-first on limit → escalate");
});

test("an escalation that says no ends the thread", async () => {
  place.write(
    escalation('{ turns: 1, spend: "1.00" }', "turns_exceeded", answers("fail", "enough for today")),
  );
  const { code, stderr } = await place.run(["run", "build"]);
  expect(code).toBe(1);
  expect(stderr).toContain("Failed by hook ask-first: enough for today");
  expect(effects(place)).toEqual(["one"]);
});

const guarded = (script: string) => ({
  ".ai/config/hooks.yaml":
    "hooks:\n  - { id: guard, event: before_tool, when: \"tool == 'bash'\", directive: guard, inputs: { what: '{input.command}' } }\n",
  ".ai/directives/work.md": `${head("work", 'limits: { spend: "2.00" }\npermissions: [execute.tool.bash]\n')}Work.\n`,
  ".ai/scripts/work.yaml": `${bash("echo one >> effects")}- says: done\n`,
  ".ai/directives/guard.md": `${head("guard", `limits: { spend: "0.20" }\npermissions: [execute.tool.bash]\ninputs: { what: { required: true }, tool: {} }\n${OUTPUTS}`)}May {input:tool} do {input:what}?\n`,
  ".ai/scripts/guard.yaml": script,
});

test("a guard of the project: listed with what it runs, asked before the call, killed and recovered as one", async () => {
  const hesitates = bash(
    "echo guard >> effects; for i in $(seq 600); do [ -e stop ] && exit; sleep 0.1; done",
  );
  place.write(guarded(`${hesitates}${answers("continue", "fine")}`));
  const { data } = await place.json("hooks", "ls");
  expect(data.hooks).toMatchObject([{ id: "guard", action: "the directive guard", timeout_seconds: 300 }]);
  expect(await place.ok("hooks", "ls")).toContain("the directive guard");
  expect(await place.ok("trust", "--show")).toContain("before_tool: guard runs the directive guard");
  const run = place.start(["run", "work"]);
  await until(() => effects(place).length > 0);
  await kill(run);
  place.write({ stop: "" });
  await place.run(["recover", "--all", "--yes"]);
  expect((await threads(place)).map(({ directive, status }) => [directive, status]).sort()).toEqual([
    ["guard", "completed"],
    ["work", "completed"],
  ]);
  expect(effects(place).filter((line) => line === "one")).toHaveLength(1);
  expect(await place.ok("show", await idOf(place, "guard"))).toContain("guard");
  expect(readFileSync(join(place.root, "effects"), "utf8")).toMatch(/one\n$/);
});

test("a guard that fails asks a person, and the call runs after the yes", async () => {
  place.write(guarded("- fails: { status: 401, message: no key }\n"));
  expect((await place.run(["run", "work"])).code).toBe(3);
  expect(effects(place)).toEqual([]);
  const { data } = await place.json("approvals");
  expect(data.approvals).toMatchObject([{ reason: "approval" }]);
  await place.ok("approve", data.approvals[0].approval_id);
  expect(effects(place)).toEqual(["one"]);
});
