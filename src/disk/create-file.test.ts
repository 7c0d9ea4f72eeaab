import fs, {
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
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFile } from "./create-file.ts";

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

test("a file is made once, with its mode, and nothing else is left", () => {
  expect(createFile(file, "first", 0o600)).toBe(true);
  expect(createFile(file, "second", 0o600)).toBe(false);
  expect([readFileSync(file, "utf8"), readdirSync(root)]).toEqual(["first", ["a.txt"]]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("what somebody else makes at the last moment stays", () => {
  const link = fs.linkSync;
  vi.spyOn(fs, "linkSync").mockImplementation((from, to) => {
    writeFileSync(file, "theirs");
    link(from, to);
  });
  syncBuiltinESMExports();
  expect(createFile(file, "ours", 0o600)).toBe(false);
  expect([readFileSync(file, "utf8"), readdirSync(root)]).toEqual(["theirs", ["a.txt"]]);
});

test("a link that leads nowhere is something that is there", () => {
  symlinkSync("nowhere", file);
  expect(createFile(file, "x", 0o600)).toBe(false);
  expect(readdirSync(root)).toEqual(["a.txt"]);
});

test("a failure leaves nothing behind", () => {
  vi.spyOn(fs, "linkSync").mockImplementation(() => {
    throw new Error("ENOSPC: no room");
  });
  syncBuiltinESMExports();
  expect(() => createFile(file, "x", 0o600)).toThrow("ENOSPC");
  expect(readdirSync(root)).toEqual([]);
});
