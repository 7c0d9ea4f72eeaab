import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { parsePs, parseStat, realProcessTable } from "./process-table.ts";

const TAIL = "S 1 5 5 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 98129 3133440 412";

test.each(["cat", "a b", "a) R 1 (b", "((", ")"])("a process named %s is read right", (name) => {
  expect(parseStat(`6018 (${name}) ${TAIL}`)).toEqual({ state: "S", start: "98129" });
});

test.each(["", "6018 (cat", "6018 (cat) S 1 2"])("text that is no stat line is refused: %s", (text) => {
  expect(parseStat(text)).toBeUndefined();
});

test.each([
  ["Sat Nov 15 04:35:00 2025     Ss\n", { state: "S", start: "Sat-Nov-15-04-35-00-2025" }],
  ["Sat Nov  1 04:35:00 2025 Z+", { state: "Z", start: "Sat-Nov-1-04-35-00-2025" }],
  ["", undefined],
])("what ps says elsewhere than on Linux: %s", (text, expected) => {
  expect(parsePs(text)).toEqual(expected);
});

test("the ps that is installed here speaks that way", () => {
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  const args = ["-o", "lstart=", "-o", "state=", "-p", String(process.pid)];
  expect(parsePs(execFileSync("ps", args, { env, encoding: "utf8" }))?.start).toMatch(/^\w{3}-\w{3}-/);
});

test("this computer knows itself", () => {
  const table = realProcessTable();
  expect(table.machine).toMatch(/^[0-9a-f]{12}$/);
  expect(table.boot).toMatch(/^[0-9a-f]{32}$/);
  expect(table.look(process.pid)).toEqual({ state: expect.any(String), start: expect.any(String) });
  expect(table.look(2 ** 30)).toBe("gone");
});
