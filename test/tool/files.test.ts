import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lanesOf } from "../../src/core/tool.ts";
import { NO_SANDBOX } from "../../src/tool/sandbox.ts";
import { builtinTools } from "../../src/tool/toolbox.ts";
import { context, load, project, put, settings } from "./project.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("read", () => {
  test("a file comes as it stands", async () => {
    const { run } = await load(project({ "a.txt": "\ufeffgrüße\r\n🧵" }));
    expect(await run("read", { path: "a.txt" })).toEqual({ status: "ok", output: "\ufeffgrüße\r\n🧵" });
  });

  test("an empty file says so", async () => {
    const { run } = await load(project({ a: "" }));
    expect(await run("read", { path: "a" })).toEqual({ status: "ok", output: "(empty file)" });
  });

  test.each([
    [{ limit: 2 }, "line 1\nline 2\n[lines 1 to 2; more follow from offset 3]"],
    [{ offset: 4, limit: 1 }, "line 4\n[lines 4 to 4; more follow from offset 5]"],
    [{ offset: 4 }, "line 4\nline 5\n"],
    [{ offset: 5, limit: 1 }, "line 5\n"],
    [{ offset: 1, limit: 5 }, lines(5)],
  ])("a range %j", async (range, output) => {
    const { run } = await load(project({ a: lines(5) }));
    expect(await run("read", { path: "a", ...range })).toEqual({ status: "ok", output });
  });

  test("beyond the end it says how many lines there are", async () => {
    const { run } = await load(project({ a: "one\ntwo" }));
    expect(await run("read", { path: "a", offset: 3 })).toEqual({
      status: "error",
      output: "a was not read: it has only 2 lines.",
    });
  });

  test("no more than the model is shown, in whole lines, and where to go on", async () => {
    const { run } = await load(project({ a: lines(5_000) }), {
      settings: settings({ model_output_chars: 1_000 }),
    });
    const { output } = await run("read", { path: "a" });
    expect(output.length).toBeLessThanOrEqual(1_000);
    expect(output).toMatch(/line 88\n\[lines 1 to 88; more follow from offset 89\]$/);
  });

  test("2000 lines at most", async () => {
    const { run } = await load(project({ a: "x\n".repeat(2_001) }));
    expect((await run("read", { path: "a" })).output).toMatch(/more follow from offset 2001\]$/);
  });

  test("a line that is too long is cut, and says so", async () => {
    const { run } = await load(project({ a: `${"é".repeat(5_000)}\nend` }), {
      settings: settings({ model_output_chars: 1_000 }),
    });
    const { output } = await run("read", { path: "a" });
    expect(output).toBe(
      `${"é".repeat(700)}\n[line 1 is cut after 700 characters; lines 1 to 1; more follow from offset 2]`,
    );
  });

  test("a huge file is read by range: neither whole nor slowly", async () => {
    const root = project({ huge: lines(2_000) });
    truncateSync(join(root, "huge"), 8 * 1024 ** 3); // sparse
    const { run } = await load(root);
    const before = process.memoryUsage().rss;
    const { output } = await run("read", { path: "huge", offset: 90, limit: 3 });
    expect(output).toMatch(/^line 90\nline 91\nline 92\n\[/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test.each([
    ["a PNG image of 12 bytes", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\0", "latin1")],
    ["gzip data of 3 bytes", Buffer.from([0x1f, 0x8b, 8])],
    ["UTF-16 text of 6 bytes", Buffer.from("\ufeffab", "utf16le")],
    ["binary data of 3 bytes", Buffer.from("a\0b")],
  ])("%s is refused", async (kind, content) => {
    const root = project();
    put(root, { file: content });
    const { run } = await load(root);
    expect(await run("read", { path: "file" })).toEqual({
      status: "error",
      output: `file was not read: it is ${kind}, not text.`,
    });
  });

  test("text in an old encoding can be read, with a note", async () => {
    const root = project();
    put(root, { a: Buffer.from("gr\xfc\xdfe\n", "latin1") });
    const { run } = await load(root);
    expect(await run("read", { path: "a" })).toEqual({
      status: "ok",
      output: "gr\ufffd\ufffde\n[bytes that are not UTF-8 are shown as \ufffd]",
    });
  });

  test.each([
    ["a folder", "src", /it is a folder; `ls` lists it/],
    ["a file that is not there", "src/indx.ts", /no such file; did you mean index\.ts\?/],
    ["a pipe", "pipe", /not an ordinary file/],
    ["one that may not be read", "secret", /permission|EACCES/],
  ])("%s is refused in words", async (_, path, why) => {
    const root = project({ "src/index.ts": "x", secret: "x" });
    execFileSync("bash", ["-c", "mkfifo pipe"], { cwd: root });
    chmodSync(join(root, "secret"), 0);
    if (path === "secret" && process.getuid?.() === 0) return; // nothing is forbidden to root
    const { run } = await load(root);
    expect(await run("read", { path })).toMatchObject({
      status: "error",
      output: expect.stringMatching(why),
    });
  });
});

describe("edit", () => {
  const edit = async (text: string, old_text: string, new_text: string) => {
    const root = project({ a: text });
    const { run } = await load(root);
    const outcome = await run("edit", { path: "a", old_text, new_text });
    return { ...outcome, text: readFileSync(join(root, "a"), "utf8") };
  };

  test("one place is replaced, everything else stays", async () => {
    expect(await edit("a\r\nb $& c\n", "b $&", "$1 `d`")).toEqual({
      status: "ok",
      output: "Edited a at line 2.",
      text: "a\r\n$1 `d` c\n",
    });
  });

  test("the file keeps its mode and its byte order mark, and nothing else is left", async () => {
    const root = project({ a: "\ufeffold" });
    chmodSync(join(root, "a"), 0o751);
    const { run } = await load(root);
    await run("edit", { path: "a", old_text: "old", new_text: "new" });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("\ufeffnew");
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o751);
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test.each([
    ["not there", "const value = 1;\n", "const valeu = 1;", /closest is line 1: "const value = 1;"/],
    ["nothing like it", "abc\n", "something else", /No line of it looks like it/],
    ["more than once", "x\ny\nx\n", "x", /occurs 2 times \(lines 1, 3\); give more/],
    ["overlapping itself", "aaa", "aa", /occurs 2 times/],
    ["with other line ends", "a\r\nb\r\n", "a\nb", /CR LF/],
    ["the same as the new one", "x", "x", /are the same/],
  ])("an old text that is %s", async (_, text, oldText, why) => {
    const end = await edit(text, oldText, oldText === "x" && text === "x" ? "x" : "new");
    expect(end).toMatchObject({ status: "error", output: expect.stringMatching(why), text });
  });

  test("what is no UTF-8 is not touched", async () => {
    const root = project();
    put(root, { a: Buffer.from("a\xffb", "latin1") });
    const { run } = await load(root);
    expect(await run("edit", { path: "a", old_text: "a", new_text: "c" })).toMatchObject({
      status: "error",
      output: expect.stringMatching(/not UTF-8/),
    });
  });

  test("it shares its lane with write, and the tools that only look have none", () => {
    const root = project({ a: "" });
    const tools = builtinTools({ projectRoot: root, settings: settings(), sandbox: NO_SANDBOX });
    const lanes = (name: string, input: object) => lanesOf(tools.get(name), input);
    const lane = [`file:${root}/a`];
    expect(lanes("edit", { path: "./a", old_text: "x", new_text: "" })).toEqual(lane);
    expect(lanes("write", { path: "a", content: "" })).toEqual(lane);
    for (const name of ["read", "grep", "find", "ls"])
      expect(lanes(name, { path: "a", pattern: "x" })).toEqual([]);
  });

  test.each([
    ["made", "b", "a", "b", "done"],
    ["not made", "a", "a", "b", "not_done"],
    ["not made, though the new text stands elsewhere", "a\nb", "a", "b", "not_done"],
    ["one that keeps the old text, made or there before", "a b", "a", "a b", "cannot_tell"],
    ["one that keeps the old text, not made", "a c", "a", "a b", "not_done"],
    ["of a file that changed since", "c", "a", "b", "cannot_tell"],
    ["with the old text twice by now", "a a", "a", "b", "cannot_tell"],
    ["a deletion, made", "c", "a", "", "done"],
    ["a deletion, not made", "c a", "a", "", "not_done"],
  ])("its probe tells an edit that was %s", async (_, text, old_text, new_text, type) => {
    const root = project({ f: text });
    const tool = builtinTools({ projectRoot: root, settings: settings(), sandbox: NO_SANDBOX }).get("edit");
    const answer = await tool?.probe?.({ path: "f", old_text, new_text }, context());
    expect(answer?.type).toBe(type);
    expect(readFileSync(join(root, "f"), "utf8")).toBe(text);
  });

  test("the probe of a file that is gone cannot tell", async () => {
    const tool = builtinTools({ projectRoot: project(), settings: settings(), sandbox: NO_SANDBOX }).get(
      "edit",
    );
    const answer = await tool?.probe?.({ path: "f", old_text: "a", new_text: "b" }, context());
    expect(answer).toEqual({ type: "cannot_tell" });
  });
});

describe("paths", () => {
  const inputs: Record<string, (path: string) => object> = {
    read: (path) => ({ path }),
    write: (path) => ({ path, content: "stolen" }),
    edit: (path) => ({ path, old_text: "s", new_text: "stolen" }),
    ls: (path) => ({ path }),
    find: (path) => ({ path, pattern: "*" }),
    grep: (path) => ({ path, pattern: "." }),
  };
  const bad = {
    "../outside": /`\.\.`/,
    "a/../../outside": /`\.\.`/,
    "/etc/passwd": /out of the project/,
    "/": /out of the project|names a folder/,
    "out/secret": /out of the project/,
    "way/secret": /out of the project/,
    "nowhere/x": /leads nowhere/,
    "circle/x": /circle/,
    "a\0b": /NUL/,
    "": /empty/,
    ".ai/threads": /Selvage itself/,
    ".ai/threads/registry.db": /Selvage itself/,
    ".AI/THREADS/registry.db": /Selvage itself/,
    "side/registry.db": /Selvage itself/,
    "state/selvage/trust.json": /Selvage itself/,
  };

  test.each(
    Object.keys(inputs).flatMap((tool) =>
      Object.entries(bad).map(([path, why]) => [tool, path, why] as const),
    ),
  )("%s refuses %j", async (tool, path, why) => {
    const home = project({
      secret: "s",
      "in/.ai/threads/registry.db": "s",
      "in/state/selvage/trust.json": "s",
    });
    const root = join(home, "in");
    symlinkSync("..", join(root, "out"));
    symlinkSync("out", join(root, "way"));
    symlinkSync("../absent", join(root, "nowhere"));
    symlinkSync("circle", join(root, "circle"));
    symlinkSync(".ai/threads", join(root, "side"));
    process.env.XDG_STATE_HOME = join(root, "state");
    const { run } = await load(root);
    const end = await run(tool, inputs[tool]?.(path));
    expect(end).toMatchObject({ status: "error", output: expect.stringMatching(why) });
    for (const file of ["../secret", ".ai/threads/registry.db", "state/selvage/trust.json"])
      expect(readFileSync(join(root, file), "utf8")).toBe("s");
    delete process.env.XDG_STATE_HOME;
  });

  test("what looks around does not enter links, and sees nothing of Selvage's own", async () => {
    const home = project({ "secret.txt": "word", "in/.ai/threads/x.txt": "word", "in/a.txt": "word" });
    const root = join(home, "in");
    mkdirSync(join(root, ".git"));
    put(root, { ".git/x.txt": "word", "node_modules/m/x.txt": "word" });
    symlinkSync("..", join(root, "out"));
    symlinkSync("../secret.txt", join(root, "link.txt"));
    symlinkSync(".", join(root, "loop"));
    const { run } = await load(root);
    expect((await run("grep", { pattern: "word" })).output).toBe("a.txt:1: word");
    expect((await run("find", { pattern: "*.txt" })).output).toBe("a.txt\nlink.txt@");
    expect((await run("ls", {})).output).toBe(".ai/\n.git/\na.txt\nlink.txt@\nloop@\nnode_modules/\nout@");
    expect((await run("ls", { path: ".ai/" })).output).toBe("(empty folder)");
    expect((await run("grep", { pattern: "word", path: "node_modules" })).output).toBe(
      "node_modules/m/x.txt:1: word",
    );
  });
});
