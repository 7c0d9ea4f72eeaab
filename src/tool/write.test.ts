import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallId } from "../core/id.ts";
import { lanesOf, type ToolContext } from "../core/tool.ts";
import { writeTool } from "./write.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-test-")));
});
afterEach(() => rmSync(root, { recursive: true }));

test("a file is written, with the folders it needs, and nothing else is left", async () => {
  const content = "grüße 🧵\n";
  expect(await write("a/b/c.txt", content)).toEqual({ status: "ok", output: "Wrote 13 bytes to a/b/c.txt." });
  expect(read("a/b/c.txt")).toBe(content);
  expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
});

test("writing again, as recovery does, gives the same file", async () => {
  await write("a.txt", "x");
  expect(await write("a.txt", "x")).toMatchObject({ status: "ok" });
  expect(read("a.txt")).toBe("x");
});

test("what a crash left of the same call is cleared away; of another call it is not touched", async () => {
  writeFileSync(join(root, ".selvage-call_test-0011.tmp"), "half");
  writeFileSync(join(root, ".selvage-call_other-0011.tmp"), "half");
  await write("a.txt", "x");
  expect(readdirSync(root).sort()).toEqual([".selvage-call_other-0011.tmp", "a.txt"]);
});

test("an existing file keeps its mode, a new one gets the usual", async () => {
  writeFileSync(join(root, "run.sh"), "old");
  chmodSync(join(root, "run.sh"), 0o772);
  await write("run.sh", "new");
  expect(statSync(join(root, "run.sh")).mode & 0o7777).toBe(0o772);
  await write("plain", "new");
  expect(statSync(join(root, "plain")).mode & 0o777).toBe(0o666 & ~process.umask());
});

test("it replaces: whoever has the old file open still reads the old content", async () => {
  writeFileSync(join(root, "a.txt"), "old");
  const before = statSync(join(root, "a.txt")).ino;
  await write("a.txt", "new");
  expect(statSync(join(root, "a.txt")).ino).not.toBe(before);
});

test("a link inside the project stays a link; its target is written", async () => {
  writeFileSync(join(root, "target"), "old");
  symlinkSync("target", join(root, "link"));
  await write("link", "new");
  expect([readlinkSync(join(root, "link")), read("target")]).toEqual(["target", "new"]);
});

test.each(["../a", "/etc/selvage-test", ".ai/threads/registry.db", "a\0b"])("%j is refused", async (path) => {
  const outcome = await write(path, "x");
  expect(outcome.status).toBe("error");
  expect(outcome.output).toContain("was not written: it ");
});

test("a link out of the project is refused and nothing appears behind it", async () => {
  const outside = mkdtempSync(join(tmpdir(), "selvage-test-"));
  symlinkSync(outside, join(root, "out"));
  expect(await write("out/new/a", "x")).toMatchObject({ status: "error" });
  expect(readdirSync(outside)).toEqual([]);
  rmSync(outside, { recursive: true });
});

test("a folder is not overwritten, and no temporary file stays", async () => {
  mkdirSync(join(root, "folder"));
  expect(await write("folder", "x")).toEqual({
    status: "error",
    output: "folder was not written: it is a folder.",
  });
  expect(readdirSync(root)).toEqual(["folder"]);
});

test("after an abort nothing is written", async () => {
  expect(await write("a.txt", "x", AbortSignal.abort())).toMatchObject({ status: "stopped" });
  expect(existsSync(join(root, "a.txt"))).toBe(false);
});

test("a lone surrogate, which no file can hold, becomes a replacement character", async () => {
  await write("a.txt", "a\ud800b");
  expect(read("a.txt")).toBe("a\ufffdb");
});

test("its lane is the real file, however it is spelled", () => {
  writeFileSync(join(root, "target"), "");
  symlinkSync("target", join(root, "link"));
  const lanes = (path: unknown) => lanesOf(writeTool(root), { path, content: "" });
  for (const path of ["target", "./target", "link", join(root, "target")])
    expect(lanes(path)).toEqual([`file:${root}/target`]);
  expect(lanes("../x")).toEqual([]);
  expect(lanes(7)).toEqual([]);
});

test("many writes at once leave one whole content", async () => {
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(contents.map((content, index) => write("a.txt", content, undefined, `call_${index}`)));
  expect(contents).toContain(read("a.txt"));
  expect(readdirSync(root)).toEqual(["a.txt"]);
});

function write(path: string, content: string, signal = new AbortController().signal, key = "call_test") {
  const context: ToolContext = {
    ...{ threadId: "a-1-aaaaaa", chainRootId: "a-1-aaaaaa", turn: 1, callKey: key as CallId },
    ...{ signal, progress: () => {} },
  };
  return writeTool(root).run({ path, content }, context);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
