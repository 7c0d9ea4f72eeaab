import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whyNotFound } from "./find-command.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-test-"));
  for (const folder of ["one", "two", "two/folder"]) mkdirSync(join(root, folder));
  for (const file of ["one/plain", "one/both", "two/both", "two/tool"]) writeFileSync(join(root, file), "");
  for (const file of ["two/both", "two/tool"]) chmodSync(join(root, file), 0o755);
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ["tool", undefined],
  ["both", undefined], // what may not be run is passed over
  ["plain", "EACCES"],
  ["folder", "EACCES"],
  ["none", "ENOENT"],
  ["to\0ol", "ENOENT"],
  ["two/tool", undefined],
  ["./two/tool", undefined],
  ["./tool", "ENOENT"],
  ["one/plain/tool", "ENOENT"],
])("%j", (command, code) => {
  const environment = { PATH: `${root}/one:${root}/missing:${root}/two` };
  expect(whyNotFound({ command, directory: root, environment })).toBe(code);
});

test("a path is from the command's folder, and so is an empty part of PATH", () => {
  const seek = (command: string, PATH: string) =>
    whyNotFound({ command, directory: join(root, "two"), environment: { PATH } });
  expect(seek("./tool", "")).toBeUndefined();
  expect(seek("tool", "/missing:")).toBeUndefined();
  expect(seek(join(root, "two/tool"), "")).toBeUndefined();
});

test("without PATH it is where the system has its own", () => {
  expect(whyNotFound({ command: "sh", directory: root, environment: {} })).toBeUndefined();
});
