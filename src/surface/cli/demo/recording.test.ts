import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Recording } from "./recording.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-recording-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
});

test("a disk that fills up while it is played is told, and no half of a recording stays", () => {
  const file = join(folder, "r.cast");
  const recording = new Recording(file, 0);
  recording.line("first", 0.5);
  expect(readFileSync(file, "utf8").split("\n")[1]).toBe('[0.5,"o","first\\r\\n"]');
  vi.spyOn(fs, "appendFileSync").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
  });
  syncBuiltinESMExports();
  expect(() => recording.line("second", 1)).toThrow(
    expect.objectContaining({ code: "E_DISK", why: expect.stringContaining("The disk is full") }),
  );
  expect(existsSync(file)).toBe(false);
});

test("what could not be opened is left alone", () => {
  mkdirSync(join(folder, "there"));
  writeFileSync(join(folder, "file"), "theirs");
  expect(() => new Recording(join(folder, "there"), 0)).toThrow(expect.objectContaining({ code: "E_DISK" }));
  expect(() => new Recording(join(folder, "file/x"), 0)).toThrow(expect.objectContaining({ code: "E_DISK" }));
  expect(existsSync(join(folder, "there"))).toBe(true);
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("theirs");
});
