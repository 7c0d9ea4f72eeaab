// Tools of modules, run in the tool host that was built.
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { lanesOf } from "../../src/core/tool.ts";
import { context, load, project, put, settings, until, watchProcesses } from "./project.ts";

/** `body` stands in run(). */
const module = (name: string, body: string, more = "") => ({
  [`.ai/tools/${name}.ts`]: `import { defineTool } from "selvage";
export default defineTool({ name: "${name}", description: "d", input: { type: "object" }, ${more}
  async run(input: any, context) { ${body} } });\n`,
});

describe("a module tool", () => {
  test("TypeScript with an enum, zod and a neighbour, in a project without packages", async () => {
    const root = project({
      ".ai/tools/_palette.ts": `export const palette: Record<string, number> = { red: 1 };\n`,
      ".ai/tools/art/paint.ts": `import { defineTool } from "selvage";
import { z } from "zod";
import { palette } from "../_palette.ts";
enum Color { Red = "red", Blue = "blue" }
export default defineTool({
  name: "paint", description: "Paints.", effect: "pure",
  input: z.object({ color: z.enum(Color), coats: z.number().default(2) }),
  run: ({ color, coats }) => ({ color: Color.Red === color ? palette[color] : color, coats }),
});
export const erase = defineTool({ name: "erase", description: "Erases.", input: { type: "object" }, run: () => "gone" });\n`,
    });
    const { get, run, names, warnings } = await load(root);
    expect([names().slice(-2), warnings]).toEqual([["paint", "erase"], []]);
    expect(get("paint")).toMatchObject({ description: "Paints.", effect: "pure" });
    expect(get("paint")?.input).toMatchObject({
      properties: { color: { enum: ["red", "blue"] } },
      required: ["color"],
    });
    expect(await run("paint", { color: "red" })).toEqual({ status: "ok", output: '{"color":1,"coats":2}' });
    expect(await run("erase", {})).toEqual({ status: "ok", output: "gone" });
    expect(await run("paint", { color: "green" })).toMatchObject({
      status: "error",
      output: expect.stringMatching(/^color: /),
    });
    expect(await run("paint", { color: "red", _x: 1 })).toMatchObject({
      output: expect.stringMatching(/_x: .*reserved/),
    });
  });

  test.each([
    ["js", `import { defineTool } from "selvage"; export default `, ";"],
    ["mjs", `import { defineTool } from "selvage"; await 0; export const named = `, ";"],
    ["js", `const { defineTool } = require("selvage"); module.exports = `, ";"],
  ])("JavaScript (.%s) as %j", async (ending, before, after) => {
    const text = `${before}defineTool({ name: "t", description: "d", input: { type: "object" }, run: () => 1 })${after}`;
    const { run } = await load(project({ [`.ai/tools/t.${ending}`]: text }));
    expect(await run("t", {})).toEqual({ status: "ok", output: "1" });
  });

  test("it gets its context, tells its progress, and what it prints is not its result", async () => {
    const said: unknown[] = [];
    const body = `context.progress("half way"); context.progress(0.5, "more"); console.log("noise"); return [context.callKey, context.turn, context.threadId, process.cwd()];`;
    const root = project(module("t", body));
    const { run } = await load(root);
    const end = await run("t", {}, { progress: (...words) => said.push(words) });
    expect(JSON.parse(end.output)).toEqual(["call_test", 1, "t-1", root]);
    expect(said.slice(0, 2)).toEqual([["half way"], [0.5, "more"]]);
  });

  test("it sees the variables it names, while it runs, and no others", async () => {
    vi.stubEnv("WANTED", "yes");
    vi.stubEnv("OTHER_API_KEY", "secret");
    const { run } = await load(
      project({
        ...module("t", "return process.env;", 'env: ["WANTED"],'),
        ...module("u", "return process.env;"),
      }),
    );
    const [mine, others] = [await run("t", {}), await run("u", {})];
    vi.unstubAllEnvs();
    expect(JSON.parse(mine.output).WANTED).toBe("yes");
    expect(mine.output + others.output).not.toContain("secret");
    expect(others.output).not.toContain("WANTED");
  });

  test("what it throws is its error, and the next call is well", async () => {
    const { run } = await load(
      project(module("t", `if (input.bad) throw new Error("no " + input.bad); return "yes";`)),
    );
    expect(await run("t", { bad: "luck" })).toEqual({ status: "error", output: "no luck" });
    expect(await run("t", {})).toEqual({ status: "ok", output: "yes" });
  });

  test("an abort reaches it", async () => {
    const controller = new AbortController();
    const body = `context.progress("up"); await new Promise((_, no) => context.signal.addEventListener("abort", () => no(new Error("told to"))));`;
    const { run } = await load(project(module("t", body)));
    const end = await run("t", {}, { signal: controller.signal, progress: () => controller.abort() });
    expect(end).toEqual({ status: "stopped", output: "Stopped." });
  });

  test("one that neither hears an abort nor its TERM is killed, and that is said", async () => {
    const controller = new AbortController();
    const body = `process.on("SIGTERM", () => {}); context.progress("up"); await new Promise((go) => setTimeout(go, 50)); for (;;);`;
    const { run } = await load(project(module("t", body)));
    const end = await run("t", {}, { signal: controller.signal, progress: () => controller.abort() });
    expect(end).toMatchObject({ status: "stopped", killed: true });
  });

  test("its probe is asked in the host; what it makes of its lanes is one lane for all", async () => {
    const more = `effect: "probe", probe: (input: any, context) => ({ type: input.was ? "done" : "not_done", outcome: { status: "ok", output: context.callKey } }), lanes: () => ["x"],`;
    const { get } = await load(project(module("t", "", more)));
    const probe = (input: object) => get("t")?.probe?.(input, context());
    expect(await probe({ was: true })).toEqual({
      type: "done",
      outcome: { status: "ok", output: "call_test" },
    });
    expect(await probe({})).toMatchObject({ type: "not_done" });
    expect(lanesOf(get("t"), {})).toEqual(["tools-with-lanes"]);
  });

  test("calls at the same time do not wait for each other, and a host serves many in turn", async () => {
    const meet = `const fs = await import("node:fs"); fs.writeFileSync(input.me, String(process.pid));
      while (!fs.existsSync(input.other)) await new Promise((go) => setTimeout(go, 5)); return process.pid;`;
    const root = project({ ...module("t", meet), ...module("pid", "return process.pid;") });
    const { run } = await load(root);
    const [a, b] = await Promise.all([run("t", { me: "a", other: "b" }), run("t", { me: "b", other: "a" })]);
    expect(a.output).not.toBe(b.output);
    const pids = [];
    for (let n = 0; n < 5; n += 1) pids.push((await run("pid", {})).output);
    expect(new Set(pids).size).toBe(1);
    const many = await Promise.all(Array.from({ length: 20 }, () => run("pid", {})));
    expect(new Set(many.map(({ output }) => output)).size).toBeLessThanOrEqual(4);
  });

  test("a file that changed since it was loaded is not run", async () => {
    const root = project(module("t", `return "old";`));
    const { run } = await load(root);
    put(root, module("t", `return "new";`));
    expect(await run("t", {})).toMatchObject({
      status: "error",
      output: expect.stringMatching(/has changed/),
    });
  });
});

describe("a module that is none", () => {
  test.each([
    ["a mistake in its text", "export default defineTool({\n  name: 'x' );", "2:13", /Unexpected token/],
    ["nothing to export", "export const a = 1;", "1:1", /exports no tool; write `export default defineTool/],
    ["a plain object", "export default { name: 't', run() {} };", "1:1", /exports no tool/],
    ["something that throws", "const a = 1;\nthrow new Error('oh no');", "2:1", /oh no/],
    [
      "a package that is not there",
      "import x from 'no-such-package'; export default x;",
      "1:1",
      /no-such-package/,
    ],
    [
      "no name",
      "import { defineTool } from 'selvage';\nexport default defineTool({ description: 'd', input: {} });",
      "2:\\d+",
      /no tool name/,
    ],
    ["an end", "process.exit(3);", "1:1", /ended with exit code 3/],
    [
      "a built-in name",
      "import { defineTool } from 'selvage'; export default defineTool({ name: 'bash', description: 'd', input: { type: 'object' }, run() {} });",
      "1:1",
      /there is a tool bash already/,
    ],
  ])("%s", async (_, text, place, why) => {
    const { problem, warnings } = await load(
      project({ ".ai/tools/t.ts": text, ...module("good", "return 1") }),
    );
    const found = problem("t") ?? problem("bash");
    expect(found).toMatchObject({ code: "E_TOOL_INVALID" });
    expect(found?.why).toMatch(new RegExp(`^.ai/tools/t.ts:${place}: `));
    expect(found?.why).toMatch(why);
    expect(warnings).toHaveLength(1);
  });

  test("one that never ends to load, or dies, spoils no other", async () => {
    const processes = watchProcesses();
    const root = project({
      ...module("a", "return 1;"),
      ".ai/tools/b.ts": "while (true);",
      ".ai/tools/c.ts": "process.kill(process.pid, 'SIGKILL');",
      ".ai/tools/d.js": "await new Promise(() => {});",
      ...module("z", "return 2;"),
    });
    const { run, problem, close } = await load(root, { loadTimeoutMs: 1_500 });
    expect([await run("a", {}), await run("z", {})]).toMatchObject([{ output: "1" }, { output: "2" }]);
    expect(problem("b")?.why).toMatch(/not loaded within 1\.5 s/);
    expect(problem("c")?.why).toMatch(/ended by SIGKILL/);
    expect(problem("d")?.why).toMatch(/not loaded within|ended with exit code/);
    await close();
    await until(() => processes().length === 0);
  });

  test("links are not followed", async () => {
    const home = project({ ...module("t", "return 1;"), "in/.ai/tools/keep.md": "" });
    symlinkSync("../../../.ai/tools/t.ts", join(home, "in/.ai/tools/t.ts"));
    expect((await load(join(home, "in"))).names()).not.toContain("t");
    symlinkSync("../.ai/tools", join(project({ ".ai/x": "" }), ".ai/tools"));
  });
});

test("an untrusted project, or one without modules, starts no process", async () => {
  const processes = watchProcesses();
  const root = project(module("t", `return 1;`));
  const untrusted = await load(root, { trusted: false });
  expect(untrusted.names()).not.toContain("t");
  await load(project({ ".ai/tools/c.yaml": "description: d\ncommand: x\n" }));
  expect(processes()).toEqual([]);
});

test("nothing of a result is lost up to the cap, and above it the result says so", async () => {
  const { run } = await load(project(module("t", `return "é".repeat(input.n);`)), {
    settings: settings({ max_output_bytes: 100_001 }),
  });
  expect((await run("t", { n: 50_000 })).output).toBe("é".repeat(50_000));
  expect(await run("t", { n: 50_001 })).toEqual({
    status: "error",
    output: `Its result has more than 100001 bytes. It begins with:\n${"é".repeat(50_000)}`,
  });
});

test("the host is what is built, and small", () => {
  expect(readFileSync(new URL("../../dist/tool-host.mjs", import.meta.url)).length).toBeLessThan(100_000);
});
