import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { globMatcher } from "../../src/tool/glob.ts";
import { loadPatterns } from "../../src/tool/linear-pattern.ts";
import { load, project, put, settings } from "./project.ts";

beforeAll(loadPatterns);

describe("glob", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["./src/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/very/deep/a.ts", true],
    ["src/**", "src/very/deep/a.ts", true],
    ["**/test", "a/b/test", true],
    ["**/test", "test", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[ab].md", "b.md", true],
    ["[!ab].md", "b.md", false],
    ["[!ab].md", "c.md", true],
    ["[a-c]", "b", true],
    ["[a", "[a", true],
    ["{a,b}.{js,ts}", "b.ts", true],
    ["{a,b}.{js,ts}", "c.ts", false],
    ["{a", "{a", true],
    ["a.b", "axb", false],
    ["a(b)+$", "a(b)+$", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["*", "a\nb", true],
    ["grüße🧵", "grüße🧵", true],
  ])("%j on %j: %s", (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });

  test("text without signs matches itself and nothing longer", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z.$^+()|-]{1,30}$/), (name) => {
        expect(globMatcher(name)(name)).toBe(true);
        expect(globMatcher(name)(`${name}x`)).toBe(false);
      }),
    );
  });
});

describe("find", () => {
  const files = { "a.ts": "", "src/b.ts": "", "src/deep/c.ts": "", "src/d.md": "" };

  test.each([
    [{ pattern: "*.ts" }, "a.ts\nsrc/b.ts\nsrc/deep/c.ts"],
    [{ pattern: "*.ts", path: "src" }, "src/b.ts\nsrc/deep/c.ts"],
    [{ pattern: "deep/", path: "./src/" }, "src/deep/"],
    [{ pattern: "*.py" }, "(nothing found)"],
    [{ pattern: "*.md", path: "src/d.md" }, "src/d.md"],
  ])("%j", async (input, output) => {
    const { run } = await load(project(files));
    expect(await run("find", input)).toEqual({ status: "ok", output });
  });

  test.each([
    [{ pattern: "[z-a]" }, /cannot be used/],
    [{ pattern: "x".repeat(1_001) }, /longer than 1000/],
    [{ pattern: "*", path: "absent" }, /absent: there is no such/],
  ])("%j is refused", async (input, why) => {
    const { run } = await load(project(files));
    expect(await run("find", input)).toMatchObject({ status: "error", output: expect.stringMatching(why) });
  });

  test("more than fit are cut, with a note", async () => {
    const root = project(Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`f/${n}`, ""])));
    const { run } = await load(root);
    const { output } = await run("find", { pattern: "f/*" });
    expect(output.split("\n")).toHaveLength(1_001);
    expect(output).toMatch(/\[cut after 1000: narrow the search\]$/);
    const small = await load(root, { settings: settings({ model_output_chars: 500 }) });
    expect((await small.run("ls", { path: "f" })).output.length).toBeLessThanOrEqual(500);
  });
});

describe("grep", () => {
  test("lines with their place; files that are not text are passed over", async () => {
    const root = project({ "a.txt": "one\r\ntwo one\n", "src/b.ts": "x\n\none" });
    put(root, { "bin.dat": Buffer.from("one\0one") });
    const { run } = await load(root);
    expect((await run("grep", { pattern: "one$" })).output).toBe(
      "a.txt:1: one\na.txt:2: two one\nsrc/b.ts:3: one",
    );
    expect((await run("grep", { pattern: "(?i)ONE", glob: "*.ts" })).output).toBe("src/b.ts:3: one");
    expect((await run("grep", { pattern: "one", path: "src" })).output).toBe("src/b.ts:3: one");
    expect((await run("grep", { pattern: "two", path: "a.txt" })).output).toBe("a.txt:2: two one");
    expect((await run("grep", { pattern: "three" })).output).toBe("(no line matches)");
    expect((await run("grep", { pattern: "^$" })).output).toBe("src/b.ts:2: ");
  });

  test.each([
    ["a bomb", "^(a+)+$"],
    ["a bomb of choices", "^(a|a|aa|aaa)*b$"],
    ["one that counts", "(.{0,500}b){2}c"],
  ])("%s answers fast", async (_, pattern) => {
    const { run } = await load(project({ a: `${"a".repeat(50_000)}!\n` }));
    const before = performance.now();
    expect((await run("grep", { pattern })).output).toBe("(no line matches)");
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test.each([
    ["(", /missing closing/],
    ["(?=a)", /no look-around/],
    ["(a)\\1", /no back-references/],
    ["((a{100}){100}){100}", /repeat count/],
  ])("the pattern %j gets words", async (pattern, why) => {
    const { run } = await load(project({ a: "b" }));
    expect((await run("grep", { pattern })).output).toMatch(why);
  });

  test("a large file with long lines, cut around the match", async () => {
    const root = project({
      a: `${"x".repeat(3_000_000)}needle${"y".repeat(1_000)}\n${"z\n".repeat(100_000)}needle`,
    });
    const { run } = await load(root);
    const found = (await run("grep", { pattern: "needle" })).output.split("\n");
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^a:\d+: …x{100}needley{194}…$/);
    expect(found[1]).toMatch(/^a:\d+: needle$/);
  });

  test("500 lines at most, with a note", async () => {
    const { run } = await load(project({ a: "x\n".repeat(600) }));
    const { output } = await run("grep", { pattern: "x" });
    expect(output).toMatch(/a:500: x\n\[cut after 500: narrow the search\]$/);
  });

  test("it stops when it is told to", async () => {
    const root = project(
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f/${n}`, "x\n".repeat(1_000)])),
    );
    const { run } = await load(root);
    const controller = new AbortController();
    const end = run("grep", { pattern: "absent" }, { signal: controller.signal });
    controller.abort();
    expect(await end).toMatchObject({ status: "stopped" });
  });
});

describe("ls", () => {
  test("a file, a folder that is not there, and one without anything", async () => {
    const root = project({ a: "", "empty/.keep": "" });
    const { run } = await load(root);
    expect(await run("ls", { path: "a" })).toMatchObject({
      status: "error",
      output: "a: it is a file, not a folder",
    });
    expect(await run("ls", { path: "b" })).toMatchObject({
      status: "error",
      output: expect.stringMatching(/no such/),
    });
    expect(await run("ls", { path: join(root, "empty") })).toEqual({ status: "ok", output: ".keep" });
  });
});
