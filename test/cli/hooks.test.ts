// Which hooks there are and which would run, as a process.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checked, directive, Place } from "./cli.ts";

const HOOKS = `hooks:
  - { id: dear, event: limit, when: spend_exceeded, command: touch ran, inputs: { used: "{cost.spend} of {max}" } }
  - { id: many, event: limit, when: "cost.turns > 10", command: ./many.sh }
  - { id: pushes, event: before_tool, when: "input.command.contains('push')", command: ./ask.sh }
`;

function asUser(place: Place, text: string): void {
  const folder = join(place.folder, ".config/selvage");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "hooks.yaml"), text);
}

/** With something to read on stdin. */
async function fed(place: Place, text: string, ...args: string[]) {
  const { ended, child } = place.start(args, {}, "pipe");
  child.stdin?.end(text);
  return ended;
}

describe("in a trusted project", () => {
  let place: Place;
  beforeAll(async () => {
    place = new Place();
    await place.ok("init");
    asUser(place, "hooks: [{ id: mine, event: limit, command: notify-me }]\n");
    place.write({
      ".ai/config/hooks.yaml": HOOKS,
      ...directive("plan", "hooks: [{ id: own, event: limit, when: turns_exceeded, command: ./own.sh }]\n"),
      ...directive("odd", "hooks: [{ id: odd, event: limit, when: trun > 1, command: ls }]\n"),
      "facts.json": JSON.stringify({
        code: "spend_exceeded",
        max: 3,
        cost: { spend: 2.5 },
        directive: "plan",
      }),
    });
    await place.run(["trust", "--yes"]);
  });
  afterAll(() => place.remove());

  test("ls lists them by event and layer, with their place", async () => {
    const { data, kind, exit, warnings } = await place.json("hooks", "ls");
    expect({ kind, exit }).toEqual({ kind: "hooks.list", exit: 0 });
    expect(data.hooks.map((hook: { id: string }) => hook.id)).toEqual([
      "own",
      "dear",
      "many",
      "mine",
      "pushes",
    ]);
    expect(data.hooks[0]).toEqual({
      ...{ id: "own", event: "limit", when: "turns_exceeded", layer: "directive" },
      ...{ path: ".ai/directives/plan.md:5", action: "./own.sh", timeout_seconds: 30 },
    });
    expect(warnings).toEqual(["The directive odd does not validate: its hooks are left out"]);
    const { stdout } = await place.run(["hooks", "ls"]);
    expect(stdout).toMatch(/ID +EVENT +LAYER +WHEN +RUNS +WHERE/);
    expect(stdout).toMatch(
      /many +limit +project +cost\.turns > 10 +\.\/many\.sh +\.ai\/config\/hooks\.yaml:3\n/,
    );
    expect(stdout).toMatch(/mine +limit +user +always +notify-me +\/\S+\/hook/);
    expect(await place.ok("hooks", "ls", "-q")).toBe("own\ndear\nmany\nmine\npushes\n");
    expect((await place.ok("hooks", "ls", "--plain")).split("\n")[1]?.split("\t")).toEqual([
      ...["dear", "limit", "project", "spend_exceeded", ".ai/config/hooks.yaml:2", "touch ran"],
    ]);
  });

  test("test says which would run, in their order, and what follows; it runs none", async () => {
    const { data, kind, exit } = await place.json("hooks", "test", "limit", "--data", "facts.json");
    expect({ kind, exit }).toEqual({ kind: "hooks.test", exit: 0 });
    expect(data.event).toBe("limit");
    expect(data.hooks).toMatchObject([
      {
        id: "own",
        path: ".ai/directives/plan.md:5",
        when: "turns_exceeded",
        matched: false,
        action: "./own.sh",
      },
      { path: ".ai/config/hooks.yaml:2", matched: true, action: "touch ran", inputs: { used: "2.5 of 3" } },
      { path: ".ai/config/hooks.yaml:3", when: "cost.turns > 10", matched: false, error: null },
      { id: "mine", layer: "user", when: null, matched: true, action: "notify-me" },
    ]);
    expect(data.then).toContain("a person is asked");
    expect(existsSync(join(place.root, "ran"))).toBe(false);
    const { stdout } = await place.run(["hooks", "test", "limit", "--data", "facts.json"]);
    expect(stdout).toMatch(/^2 hooks of 4 on limit would run\n {2}· own {2}when turns_exceeded: false/);
    expect(stdout).toMatch(
      /✓ dear {2}when spend_exceeded {2}project · \.ai\/config\/hooks\.yaml:2\n +→ touch ran\n/,
    );
    expect(stdout).toMatch(/then, unless one of them decides: the thread is suspended and a person is asked/);
  });

  test("a condition that cannot be told is shown as such", async () => {
    const ended = await fed(
      place,
      '{"tool": "write", "input": {}}',
      "hooks",
      "test",
      "before_tool",
      "--data",
      "-",
      "--json",
    );
    expect(checked(ended).data.hooks).toMatchObject([
      { id: "pushes", matched: false, error: 'there is no "command"' },
    ]);
    const shown = await fed(place, "{}", "hooks", "test", "before_tool", "--data", "-");
    expect(shown.stdout).toContain("cannot be told, so it does not run");
  });

  test("facts of a thread, and data over them", async () => {
    await place.ok("run", "hello");
    const { data } = await place.json("hooks", "test", "limit", "--thread", "@last");
    expect(data.hooks.map((hook: { id: string; matched: boolean }) => [hook.id, hook.matched])).toEqual([
      ["dear", false],
      ["many", false],
      ["mine", true],
    ]);
    place.write({ "more.json": '{"cost": {"turns": 11}}' });
    const more = await place.json("hooks", "test", "limit", "--thread", "@last", "--data", "more.json");
    expect(more.data.hooks[1]).toMatchObject({ id: "many", matched: true });
  });

  test.each([
    [["hooks"], "", "There are: ls, test."],
    [["hooks", "tset"], "", "Did you mean test"],
    [["hooks", "test", "limits"], "", "Did you mean limit?"],
    [["hooks", "test", "nonsense"], "", "There are: before_step,"],
    [
      ["hooks", "test", "limit", "--data", "-"],
      '{"cost": {"spnd": 1}}',
      'There is no "cost.spnd"; did you mean "cost.spend"?',
    ],
    [
      ["hooks", "test", "limit", "--data", "-"],
      '{"tool": "x"}',
      '"tool" is known at before_tool, not at limit.',
    ],
    [["hooks", "test", "limit", "--data", "-"], '{"turn": "x"}', '"turn" must be a number.'],
    [["hooks", "test", "limit", "--data", "-"], "[1]", "It is not a JSON object."],
    [["hooks", "test", "limit", "--data", "-"], "{", "It is not JSON"],
    [["hooks", "test", "limit", "--data", "-"], "", "It is empty."],
    [["hooks", "test", "limit", "--data", "nothing.json"], "", "There is no such file."],
    [["hooks", "test", "limit", "--data", ".ai"], "", "It is a folder."],
  ])("selvage %j with %j is a usage error", async (args, input, why) => {
    const { exit, error } = checked(await fed(place, input, ...args, "--json"));
    expect({ exit, code: error?.code }).toEqual({ exit: 2, code: "E_USAGE" });
    expect(error?.why).toContain(why);
    expect(error?.next).not.toEqual([]);
  });
});

describe("elsewhere", () => {
  let place: Place;
  beforeEach(async () => {
    place = new Place();
    await place.ok("init");
  });
  afterEach(() => place.remove());

  test("where nothing is said, there are none", async () => {
    await place.run(["trust", "--yes"]);
    expect((await place.json("hooks", "ls")).data).toEqual({ hooks: [] });
    expect(await place.ok("hooks", "test", "error")).toMatch(
      /^There are no hooks on error\n {2}then: the retry rules/,
    );
  });

  test("a file that does not validate is refused with its place, exit 7", async () => {
    place.write({
      ".ai/config/hooks.yaml": "hooks:\n  - { id: a, event: limit, when: cost.spnd > 1, command: ls }\n",
    });
    await place.run(["trust", "--yes"]);
    for (const args of [
      ["hooks", "ls"],
      ["hooks", "test", "limit"],
    ]) {
      const { exit, error } = await place.json(...args);
      expect({ exit, code: error?.code }).toEqual({ exit: 7, code: "E_CONFIG_INVALID" });
      expect(error?.next).toMatchObject([{ cmd: "selvage config check" }]);
      expect(error?.why).toMatch(
        /^\.ai\/config\/hooks\.yaml:2:34: hooks\[0\]\.when: there is no "cost\.spnd"/,
      );
    }
  });

  test("hooks of a project that is not trusted are left out, and the user's are not", async () => {
    asUser(place, "hooks: [{ id: mine, event: limit, command: notify-me }]\n");
    place.write({ ".ai/config/hooks.yaml": HOOKS });
    writeFileSync(join(place.root, ".ai/config/hooks.yaml"), HOOKS.replace("touch ran", "touch more"));
    const { data, warnings } = await place.json("hooks", "ls");
    expect(data.hooks.map((hook: { id: string }) => hook.id)).toEqual(["mine"]);
    expect(warnings).toEqual(["This project is not trusted: its hooks are left out"]);
  });
});
