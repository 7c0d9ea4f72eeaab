// What people attached goes with the thread that it was for.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { threadFilesOf } from "../../src/real-exports.ts";

test("the files of a thread are weighed and forgotten with what was attached to it; another's stay", () => {
  const root = mkdtempSync(join(tmpdir(), "selvage-files-"));
  for (const [folder, text] of [
    [".ai/threads/team/a-1-x", "1234"],
    [".ai/attachments/team/a-1-x/m1", "123456"],
    [".ai/attachments/b-1-x/m2", "1"],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "file.txt"), text);
  }
  const files = threadFilesOf(root);
  expect(files.weigh(["team/a-1-x"])).toBe(10);
  expect(files.forget(["team/a-1-x"])).toEqual([]);
  expect(existsSync(join(root, ".ai/attachments/team"))).toBe(false);
  expect(existsSync(join(root, ".ai/attachments/b-1-x/m2/file.txt"))).toBe(true);
  rmSync(root, { recursive: true });
});
