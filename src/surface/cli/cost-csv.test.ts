import { expect, test } from "vitest";
import { noCost } from "../../core/costs.ts";
import { costCsv } from "./cost-csv.ts";

const keyed = (key: string) => {
  const line = { key, depth: 0, sum: noCost, children: null, reserved: 0, reservedUsed: 0, limit: null };
  return costCsv([line], "model")
    .split("\n")
    .slice(1)
    .join("\n")
    .replace(/,0\.0000,.*$/s, "");
};

test.each([
  ["anthropic/claude", "anthropic/claude"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["=1+1", '"\'=1+1"'],
  ["+1", '"\'+1"'],
  ["-1", '"\'-1"'],
  ["@SUM(A1)", '"\'@SUM(A1)"'],
  ["＝1", '"\'＝1"'],
  // Control bytes go first: what they hid is looked at as well.
  ["\u001b[31m=1", '"\'=1"'],
  ["\r=1", '"\'=1"'],
  ["\t=1", '"\'\t=1"'],
  ["two\nlines", '"two\nlines"'],
  ["", ""],
])("%j is %j in a spreadsheet", (key, cell) => {
  expect(keyed(key)).toBe(cell);
});
