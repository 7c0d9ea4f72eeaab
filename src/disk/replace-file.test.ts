import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replaceFile } from "./replace-file.ts";

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-test-"));
  file = join(root, "a.txt");
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true });
});

const open = () => readdirSync("/proc/self/fd").length;
const mode = () => statSync(file).mode & 0o7777;

test("a file is made, then replaced; nothing else is left", () => {
  replaceFile(file, "grüße 🧵");
  replaceFile(file, "new");
  expect([readFileSync(file, "utf8"), readdirSync(root)]).toEqual(["new", ["a.txt"]]);
});

test("whoever has the old file open still reads the old content", () => {
  replaceFile(file, "old");
  const handle = fs.openSync(file, "r");
  replaceFile(file, "new");
  expect(readFileSync(handle, "utf8")).toBe("old");
  fs.closeSync(handle);
});

test("a mode is kept exactly, whatever the umask; without one it is the usual", () => {
  const umask = process.umask();
  replaceFile(file, "x");
  expect(mode()).toBe(0o666 & ~umask);
  for (const wanted of [0o600, 0o777, 0o4755, 0o444]) {
    replaceFile(file, "x", { mode: wanted });
    expect(mode()).toBe(wanted);
  }
});

test("a link is replaced, not followed", () => {
  writeFileSync(join(root, "target"), "old");
  symlinkSync("target", file);
  replaceFile(file, "new");
  expect(readFileSync(join(root, "target"), "utf8")).toBe("old");
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("a name as long as a name can be", () => {
  const long = join(root, "x".repeat(255));
  replaceFile(long, "new", { tag: "call_1" });
  expect(readFileSync(long, "utf8")).toBe("new");
});

test("what a crash left of the same work is cleared away; of another it is not touched", () => {
  for (const name of [".selvage-one-0011.tmp", ".selvage-other-0011.tmp", ".selvage-0011.tmp"])
    writeFileSync(join(root, name), "half");
  replaceFile(file, "x");
  expect(readdirSync(root)).toHaveLength(4);
  replaceFile(file, "x", { tag: "o/ne" });
  expect(readdirSync(root).sort()).toEqual([".selvage-0011.tmp", ".selvage-other-0011.tmp", "a.txt"]);
});

test("file, rename, folder: in this order to the disk, in one folder, never through a link", () => {
  const steps = watch();
  replaceFile(file, "x");
  const names = steps.map(({ call }) => call);
  expect(names).toEqual(["open", "write", "sync file", "close", "rename", "open", "sync folder", "close"]);
  const [first] = steps;
  const { O_EXCL, O_NOFOLLOW, O_CREAT } = fs.constants;
  const wanted = O_EXCL | O_NOFOLLOW | O_CREAT;
  expect(Number(first?.args[1]) & wanted).toBe(wanted);
  expect(dirname(String(first?.args[0]))).toBe(root);
});

test("without sync nothing waits for the disk", () => {
  const steps = watch();
  replaceFile(file, "x", { sync: false });
  expect(steps.map(({ call }) => call)).toEqual(["open", "write", "close", "rename"]);
});

test("no two temporary names are alike", () => {
  const steps = watch();
  for (let index = 0; index < 50; index += 1) replaceFile(file, "x", { sync: false });
  const names = steps.filter(({ call }) => call === "open").map(({ args }) => basename(String(args[0])));
  expect(new Set(names).size).toBe(50);
});

test("a disk that takes the text in small bites still gets all of it", () => {
  const real = fs.writeSync;
  const bite = (handle: number, bytes: Buffer, from: number) => real(handle, bytes, from, 1);
  vi.spyOn(fs, "writeSync").mockImplementation(bite as typeof fs.writeSync);
  syncBuiltinESMExports();
  replaceFile(file, "grüße");
  expect(readFileSync(file, "utf8")).toBe("grüße");
});

test.each(["writeSync", "fsyncSync", "renameSync"] as const)(
  "when %s fails the old file stays, no temporary file and no handle do",
  (call) => {
    writeFileSync(file, "old");
    const before = open();
    vi.spyOn(fs, call).mockImplementation(() => {
      throw new Error("ENOSPC: no room");
    });
    syncBuiltinESMExports();
    expect(() => replaceFile(file, "new")).toThrow("ENOSPC");
    expect([readFileSync(file, "utf8"), readdirSync(root), open()]).toEqual(["old", ["a.txt"], before]);
  },
);

test("what already has the temporary name is neither written nor removed", () => {
  const planted = new Map<string, string>();
  const real = fs.openSync;
  vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
    planted.set(String(path), "");
    symlinkSync(join(root, "victim"), path as string);
    return real(path, ...rest);
  });
  syncBuiltinESMExports();
  expect(() => replaceFile(file, "x")).toThrow(/EEXIST|ELOOP/);
  expect(readdirSync(root)).toEqual([...planted.keys()].map((path) => basename(path)));
});

test("a folder is not replaced", () => {
  mkdirSync(file);
  expect(() => replaceFile(file, "x")).toThrow(/EISDIR/);
  expect(readdirSync(root)).toEqual(["a.txt"]);
});

test("a folder that is missing is an error", () => {
  expect(() => replaceFile(join(root, "no/a.txt"), "x")).toThrow(/ENOENT/);
});

/** The calls that reach the disk, in their order. */
function watch(): { call: string; args: readonly unknown[] }[] {
  const steps: { call: string; args: readonly unknown[] }[] = [];
  const calls = { openSync: "open", writeSync: "write", closeSync: "close", renameSync: "rename" } as const;
  for (const [name, call] of Object.entries(calls)) {
    const real = fs[name as keyof typeof calls] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, name as keyof typeof calls).mockImplementation(((...args: unknown[]) => {
      steps.push({ call, args });
      return real(...args);
    }) as never);
  }
  const sync = fs.fsyncSync;
  vi.spyOn(fs, "fsyncSync").mockImplementation((handle) => {
    steps.push({ call: fs.fstatSync(handle).isDirectory() ? "sync folder" : "sync file", args: [handle] });
    sync(handle);
  });
  syncBuiltinESMExports();
  return steps;
}
