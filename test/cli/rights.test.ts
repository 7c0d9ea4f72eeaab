// Rights through the built command line: what is denied, asked about and taken away, and what people are told about it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { directive, type Envelope, Place, until } from "./cli.ts";

const tool = (name: string) => `selvage.execute.tool.${name}`;

interface Told {
  readonly turns: string;
  readonly head?: string;
}

/** A trusted project with these directives, each with its script. */
async function place(told: Record<string, Told>): Promise<Place> {
  const files = Object.entries(told).map(([name, { turns, head = "" }]) => ({
    ...directive(name, head),
    [`.ai/scripts/${name}.yaml`]: turns,
  }));
  const at = new Place(Object.assign({}, ...files));
  onTestFinished(() => at.remove());
  await at.ok("init");
  await at.ok("trust", "--yes");
  return at;
}

const call = (name: string, input: object) => `{ tool: ${name}, input: ${JSON.stringify(input)} }`;
const write = (path: string) => call("write", { path, content: "x" });
const bash = (command: string) => call("bash", { command });
const turns = (...calls: string[][]) =>
  [...calls.map((each) => `- says: go\n  calls: [${each.join(", ")}]\n`), "- says: done\n"].join("");

const holds = (at: Place, path: string) => existsSync(join(at.root, path));
const idOf = ({ data }: Envelope): string => data.thread_id;

const WRITES = turns([write("a"), call("ls", {})]);
const ASKS = { turns: WRITES, head: "permissions: [execute.tool.ls, { ask: execute.tool.write }]\n" };
const NARROW = { turns: WRITES, head: "permissions: [execute.tool.ls]\ndelegates: [execute.tool.edit]\n" };

describe("a call that is not allowed", () => {
  test("does not run, is told as denied, and is explained with the line to add", async () => {
    const at = await place({ narrow: NARROW });
    const { stderr, code } = await at.run(["run", "narrow"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /denied +write a ✗ its directive narrow does not grant the right execute\.tool\.write$/m,
    );
    expect(stderr).not.toContain("write a → started");
    expect(stderr).not.toContain("grants no rights");
    expect(holds(at, "a")).toBe(false);
    const explained = await at.json("explain-denial", "@last", "write");
    expect(explained).toMatchObject({
      kind: "explain.denial",
      exit: 0,
      data: {
        right: tool("write"),
        verdict: "denied",
        status: "completed",
        why: ["its directive narrow does not grant the right execute.tool.write"],
        grants: [
          {
            directive: "narrow",
            path: ".ai/directives/narrow.md",
            list: "permissions",
            line: 4,
            add: "execute.tool.write",
            declared: false,
          },
        ],
      },
    });
    expect(await at.ok("explain-denial", "@last", "execute.tool.write")).toContain(
      "add   execute.tool.write   to the permissions in .ai/directives/narrow.md:4\n",
    );
    expect(await at.ok("explain-denial", "@last", "ls")).toMatch(/^✓ .* may do this: execute\.tool\.ls\n/);
    expect(await at.ok("explain-denial", "@last", "edit")).toContain("it may hand it on (delegates)");
    expect(await at.ok("explain-denial", "@last", "execute.tool.*")).toContain(
      "it may use of it: execute.tool.ls",
    );
    expect(await at.ok("explain-denial", "@last", "execute.knowledge.a")).toContain(
      "nothing in this version asks",
    );
  });

  test("following the advice allows it, and only to a thread that is started then", async () => {
    const at = await place({ bare: { turns: WRITES, head: "# permissions come later\n" } });
    const { stderr } = await at.run(["run", "bare"]);
    expect(stderr).toContain(
      "▲ .ai/directives/bare.md grants no rights, so its model has no tools: add permissions: [execute.tool.*]",
    );
    const { data } = await at.json("explain-denial", "@last", "write");
    expect(data.grants).toMatchObject([{ line: null, add: "permissions: [execute.tool.write]" }]);
    at.write(directive("bare", `${data.grants[0].add}\n`));
    const later = await at.json("explain-denial", "@last", "write");
    expect(later.data).toMatchObject({ verdict: "denied", grants: [{ declared: true }] });
    expect(later.data.notes).toEqual([".ai/directives/bare.md grants it by now"]);
    expect((await at.run(["run", "bare"])).stderr).not.toContain("grants no rights");
    expect(holds(at, "a")).toBe(true);
    expect(await at.json("explain-denial", "@last", "write")).toMatchObject({ data: { verdict: "allowed" } });
  });

  test("an empty list is meant so: neither run nor lint complains", async () => {
    const at = await place({ mute: { turns: turns(), head: "permissions: []\n" } });
    expect((await at.json("run", "mute")).warnings).toEqual([]);
    expect((await at.json("directive", "lint", "mute")).data.problems).toEqual([]);
  });
});

test("an XML directive is told its own words", async () => {
  const at = await place({});
  const text = (more: string) =>
    `\`\`\`xml\n<directive name="x" version="1.0.0">\n  <metadata>\n    <description>x</description>\n    <model id="scripted/hello" />\n${more}  </metadata>\n  <process>Go.</process>\n</directive>\n\`\`\`\n`;
  at.write({ ".ai/directives/x.md": text("") });
  await at.run(["run", "x"]);
  const grants = async () => (await at.json("explain-denial", "@last", "write")).data.grants;
  const [whole] = await grants();
  expect(whole).toMatchObject({
    add: '<permissions><execute action="tool.write" /></permissions>',
    line: null,
  });
  at.write({ ".ai/directives/x.md": text('<permissions><execute action="tool.ls" /></permissions>\n') });
  expect(await grants()).toMatchObject([
    { add: '<execute action="tool.write" />', line: 6, declared: false },
  ]);
  at.write({ ".ai/directives/x.md": text(`${whole.add}\n`) });
  expect(await grants()).toMatchObject([{ declared: true }]);
});

describe("a right that must be asked for", () => {
  test("suspends with the whole call; a yes runs it, a no does not", async () => {
    const at = await place({ asks: ASKS });
    const asked = await at.json("run", "asks");
    expect(asked).toMatchObject({ exit: 3, data: { suspend_reason: "approval" } });
    expect(holds(at, "a")).toBe(false);
    expect(await at.ok("explain-denial", idOf(asked), "write")).toMatch(
      /^\? .* asks a person first, each time/,
    );
    expect(await at.ok("approvals", asked.data.approval)).toContain(
      "Why you are asked: the right execute.tool.write",
    );
    expect(await at.json("approve", asked.data.approval)).toMatchObject({ exit: 0 });
    expect(holds(at, "a")).toBe(true);
    const again = await at.json("run", "asks");
    expect((await at.run(["deny", again.data.approval, "-m", "no"])).stdout).toContain("write is refused");
    await at.run(["recover", "--all", "--yes"]);
    expect(await at.ok("logs", idOf(again))).toContain("A person refused this call: no");
  });
});

describe("show", () => {
  test("one line by default, everything with --caps, and the same lists in JSON", async () => {
    const at = await place({ asks: ASKS, narrow: NARROW });
    await at.run(["run", "asks"]);
    expect(await at.ok("show", "@last")).toContain(
      "rights    execute.tool.ls · asks first: execute.tool.write\n",
    );
    const caps = await at.ok("show", "@last", "--caps");
    expect(caps).toMatch(/may use +execute\.tool\.ls\n +asks first execute\.tool\.write\n/);
    expect(caps).toMatch(/tools +write \(asks first\), ls\n +network +commands /);
    const { data } = await at.json("show", "@last", "--caps");
    expect(data.network).toMatchObject({ right: false, sandbox: { type: expect.any(String) } });
    expect(data.capabilities).toEqual({
      held: [tool("ls")],
      asks: [tool("write")],
      hands_on: [],
      dropped: [],
      revoked: [],
    });
    await at.run(["run", "narrow"]);
    expect((await at.json("show", "@last")).data).toMatchObject({
      tools: ["ls"],
      capabilities: { held: [tool("ls")], hands_on: [tool("edit")] },
    });
  });

  test("without a sandbox the missing right to the network is not called a wall", async () => {
    const at = await place({ narrow: NARROW });
    await at.ok("config", "set", "--user", "sandbox", "off");
    await at.run(["run", "narrow"]);
    const words = "commands reach it without a right to it: there is no sandbox here";
    expect(await at.ok("show", "@last", "--caps")).toContain(words);
    expect(await at.ok("explain-denial", "@last", "execute.process.network")).toContain(words);
    expect((await at.json("show", "@last", "--caps")).data.network).toEqual({
      right: false,
      sandbox: { type: "none" },
    });
  });
});

describe("revoke", () => {
  test("of a suspended thread that nobody hosts: at once, for good, and a yes runs nothing", async () => {
    const at = await place({ asks: ASKS });
    const { data } = await at.json("run", "asks");
    const id: string = data.thread_id;
    expect(await at.json("revoke", id, "write", "bash", "execute.directive.*")).toMatchObject({
      kind: "revoke",
      exit: 0,
      data: {
        thread_id: id,
        revoked: [tool("write")],
        not_held: [tool("bash"), "selvage.execute.directive.*"],
        applied: true,
        in_flight: [],
        capabilities: { held: [tool("ls")], asks: [], revoked: [{ right: tool("write"), from: id }] },
        thread: { status: "suspended", approval: data.approval },
      },
    });
    const file = JSON.parse(readFileSync(join(at.root, ".ai/threads", id, "thread.json"), "utf8"));
    expect(file).toMatchObject({ capabilities: [tool("ls")], revoked: [tool("write")] });
    expect(await at.ok("revoke", id, "write")).toContain(
      "does not have: execute.tool.write. Nothing was written.",
    );
    expect((await at.run(["approve", data.approval])).stdout).toContain(
      "write is not run all the same, since the right to it was taken away",
    );
    expect(holds(at, "a")).toBe(false);
    const log = await at.ok("logs", id);
    expect(log).toMatch(/rights +execute\.tool\.write taken away by \S+\n/);
    expect(log).toMatch(/denied +write a ✗ the right execute\.tool\.write was taken away by \S+\n/);
    expect(await at.ok("explain-denial", id, "write")).toContain("what was taken away does not come back");
    expect(await at.ok("verify")).toContain("all hold");
    expect(await at.json("revoke", id, "--all")).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
    // Another one has it again.
    expect(await at.json("run", "asks")).toMatchObject({ exit: 3 });
  });

  test("of a running thread: what is under way ends, and nothing that needs it starts after", async () => {
    const at = await place({
      long: {
        turns: turns(
          [bash("touch up; until [ -e go ]; do sleep 0.05; done"), bash("touch two")],
          [write("a")],
        ),
      },
    });
    await at.ok("config", "set", "--user", "sandbox", "off");
    const { ended } = at.start(["run", "long"]);
    await until(() => holds(at, "up"));
    const taken = await at.json("revoke", "@last", "write", "bash");
    expect(taken.data).toMatchObject({
      applied: false,
      in_flight: [{ tool: "bash" }],
      capabilities: { held: [tool("*")], revoked: [{ right: tool("write") }, { right: tool("bash") }] },
    });
    const caps = await at.ok("show", "@last", "--caps");
    expect(caps).toContain("write (refused)");
    expect(await at.ok("revoke", "@last", "bash")).toContain("does not have");
    at.write({ go: "" });
    expect((await ended).code).toBe(0);
    expect([holds(at, "two"), holds(at, "a")]).toEqual([false, false]);
    expect((await at.ok("logs", "@last")).match(/denied/g)).toHaveLength(2);
  });

  test("of a thread whose process died: at once, and recover runs nothing that needs it", async () => {
    const at = await place({
      long: { turns: turns([bash("touch up; sleep 1000")], [write("a")]) },
    });
    const { child, ended } = at.start(["run", "long"]);
    await until(() => holds(at, "up"));
    child.kill("SIGKILL");
    await ended;
    const taken = await at.run(["revoke", "@last", "--all"]);
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.stdout).toMatch(/taken away: everything\n +It still has: none/);
    expect((await at.json("show", "@last")).data.capabilities.held).toEqual([]);
    await at.run(["recover", "--all", "--yes"]);
    expect(holds(at, "a")).toBe(false);
    const log = await at.ok("logs", "@last");
    expect(log).toMatch(/crash[\s\S]*rights +everything taken away by[\s\S]*denied +write a/);
  });

  test("is for people, and says what it does not understand before anything is written", async () => {
    const at = await place({ asks: ASKS, wide: { turns: turns([bash("sleep 0")]) } });
    const { data } = await at.json("run", "asks");
    const inside = await at.run(["revoke", data.thread_id, "--all"], { SELVAGE_THREAD: "some-1" });
    expect(inside).toMatchObject({ code: 9, stderr: expect.stringContaining("not by a person") });
    const exits = async (...args: string[]) => (await at.run(args)).code;
    expect(await exits("revoke", "nobody-1", "bash")).toBe(5);
    expect(await exits("explain-denial", "nobody-1", "bash")).toBe(5);
    expect(await exits("revoke", data.thread_id)).toBe(2);
    expect(await exits("revoke", data.thread_id, "ls", "--all")).toBe(2);
    const slip = await at.json("explain-denial", data.thread_id, "exceute.tool.bash");
    expect(slip).toMatchObject({
      exit: 2,
      error: { why: expect.stringContaining('did you mean "execute"?') },
    });
    expect(await at.json("explain-denial", data.thread_id, "bsh")).toMatchObject({
      exit: 2,
      error: { why: expect.stringContaining("bash") },
    });
    at.write({ ...directive("wide", "limits: { turns: 1 }\n") });
    const wide = await at.json("run", "wide");
    expect(await at.json("revoke", idOf(wide), "bsh")).toMatchObject({
      exit: 2,
      error: { what: 'There is no tool "bsh".', why: expect.stringContaining("bash") },
    });
    expect((await at.json("show", data.thread_id)).data.capabilities.revoked).toEqual([]);
  });
});

test("rights that a directive names are shown as they are written", async () => {
  const at = await place({ asks: ASKS, narrow: NARROW });
  expect(await at.ok("directive", "show", "asks")).toMatch(
    /permissions :4:1 +execute\.tool\.ls\n +execute\.tool\.write \(asks first\)\n/,
  );
  expect(await at.ok("directive", "show", "narrow")).toContain("execute.tool.edit (only handed on)");
});
