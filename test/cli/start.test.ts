// From nothing to the first thread: init, trust, run.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, Place, scripted } from "./cli.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

test("init and run hello give a completed thread", async () => {
  const init = await place.run(["init"]);
  expect(init.code).toBe(0);
  expect(init.stdout).toContain(".ai/directives/hello.md");
  expect(init.stderr).toContain("selvage run hello");
  const run = await place.run(["run", "hello"]);
  expect(run.code).toBe(0);
  // Data on stdout: the result and nothing else. What happened goes to stderr, a line an event.
  expect(run.stdout).toMatch(/^Hello! .*\n$/);
  expect(run.stderr).toMatch(/turn 1 +tool +write hello\.txt → started/);
  expect(readFileSync(join(place.root, "hello.txt"), "utf8")).toBe("Hello from Selvage!\n");
  expect((await place.json("run", "hello", "name=Maya")).data).toMatchObject({
    status: "completed",
    view: "completed",
    cost: { turns: 3, spend: expect.stringMatching(/^0\.00\d+$/) },
    budget: { max: "1.0000", reserved: "0.0000", children: "0.0000", over: "0.0000" },
    result: { text: expect.stringContaining("Hello!") },
  });
});

test("init twice is harmless, --force writes the examples anew", async () => {
  await place.ok("init");
  writeFileSync(join(place.root, ".ai/directives/hello.md"), "mine");
  const again = await place.json("init");
  // Its head was changed by hand: that is asked about again.
  expect(again.data).toMatchObject({ created: [], trusted: false });
  expect(await place.ok("init")).toContain("Nothing to do");
  expect(readFileSync(join(place.root, ".ai/directives/hello.md"), "utf8")).toBe("mine");
  const forced = await place.json("init", "--force");
  expect(forced.data.created).toContain(".ai/directives/hello.md");
});

test("init makes the folder it is given, and -C stands before or after the verb", async () => {
  await place.ok("init", "new/folder");
  expect(existsSync(join(place.root, "new/folder/.ai/scripts/hello.yaml"))).toBe(true);
  expect((await place.json("-C", "new/folder", "ps")).data.threads).toEqual([]);
  expect((await place.json("ps", "-C", "new/folder")).data.threads).toEqual([]);
});

test("what was there before init is not trusted by it", async () => {
  place.write(scripted("theirs", "- says: hi\n"));
  const init = await place.json("init");
  expect(init.data).toMatchObject({ trusted: false });
  const run = await place.json("run", "theirs");
  expect(run).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
});

test("an untrusted project is looked at, never run or written to, until somebody says yes", async () => {
  place.write({ ...scripted("theirs", "- says: hi\n"), ".ai/config/resilience.yaml": "not: [valid" });
  for (const args of [["run", "theirs"], ["recover"], ["cancel", "@last"], ["export", "--all", "--files"]]) {
    expect(await place.json(...args), args.join(" ")).toMatchObject({
      exit: 9,
      error: { code: "E_UNTRUSTED" },
    });
  }
  expect((await place.json("ps")).exit).toBe(0);
  expect((await place.json("trust", "--show")).data).toMatchObject({
    trusted: false,
    directives: ["theirs"],
  });
  const asked = await place.run(["trust"]);
  expect(asked.code).toBe(9);
  expect(asked.stderr).toContain("selvage trust --yes");
  expect((await place.json("trust", "--yes")).data).toMatchObject({ trusted: true });
  // Trusted, its settings count: and they are broken.
  expect(await place.json("run", "theirs")).toMatchObject({ exit: 7, error: { code: "E_CONFIG_INVALID" } });
});

test("a broken directive, script, input or model is told before anything is written", async () => {
  place.write({
    ...directive("nomodel"),
    ".ai/directives/broken.md": "---\ndescription: [\n---\nx\n",
    ".ai/directives/other.md": "---\ndescription: d\nmodel: { id: openai/gpt }\n---\nx\n",
    ".ai/directives/toolless.md":
      "---\ndescription: d\nmodel: { id: scripted/fine }\npermissions: [execute.tool.bsh]\n---\nx\n",
    ...scripted("badscript", "- sais: hi\n"),
    ...scripted("fine", "- says: hi\n"),
    ".ai/directives/asks.md":
      "---\ndescription: d\nmodel: { id: scripted/fine }\npermissions: [execute.tool.*]\ninputs: { n: { type: number, required: true } }\n---\nGive {input:n}.\n",
  });
  await place.ok("trust", "--yes");
  const cases: [string[], string, number][] = [
    [["run", "broken"], "E_DIRECTIVE_INVALID", 7],
    [["run", "badscript"], "E_SCRIPT_INVALID", 7],
    [["run", "nomodel"], "E_MODEL_UNKNOWN", 7],
    [["run", "other"], "E_AUTH", 1],
    [["run", "toolless"], "E_DIRECTIVE_INVALID", 7],
    [["run", "asks"], "E_DIRECTIVE_INVALID", 7],
    [["run", "asks", "n=many"], "E_DIRECTIVE_INVALID", 7],
    [["run", "fines"], "E_DIRECTIVE_NOT_FOUND", 5],
    [["run", "../fine"], "E_BAD_ID", 2],
    [["run", "fine", "novalue"], "E_USAGE", 2],
  ];
  await Promise.all(
    cases.map(async ([args, code, exit]) => {
      expect(await place.json(...args), args.join(" ")).toMatchObject({ exit, error: { code } });
    }),
  );
  expect((await place.json("ps", "-a")).data.threads).toEqual([]);
  writeFileSync(join(place.root, "in.json"), '{"n": 7}');
  expect((await place.json("run", "asks", "--input", "in.json")).data).toMatchObject({ status: "completed" });
  expect((await place.json("show", "@last")).data.inputs).toEqual({ n: 7 });
  expect((await place.json("run", "asks", "--input", "none.json")).exit).toBe(2);
});

test("a change in what is run or obeyed is asked about again, a change of prose is not", async () => {
  place.write(scripted("mine", "- says: hi\n"));
  await place.ok("trust", "--yes");
  const head = "---\ndescription: mine\nmodel: { id: scripted/mine }\npermissions: [execute.tool.*]\n---\n";
  writeFileSync(join(place.root, ".ai/directives/mine.md"), `${head}Other words.\n`);
  expect((await place.json("run", "mine")).exit).toBe(0);
  mkdirSync(join(place.root, ".ai/tools"), { recursive: true });
  writeFileSync(join(place.root, ".ai/tools/evil.yaml"), "description: x\ncommand: [rm, -rf, /]\n");
  const refused = await place.json("run", "mine");
  expect(refused).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
  expect(refused.error?.why).toContain(".ai/tools/evil.yaml");
  expect((await place.json("trust", "--show")).data).toMatchObject({ changed: [".ai/tools/evil.yaml"] });
});
