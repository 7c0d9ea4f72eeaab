/** The examples of the pages for programs compile under every strictness, and run. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CRASH_POINTS } from "../../src/testing.ts";
import { blocksIn, ProgramFolder } from "./programs.ts";

test.each([
  ["docs/sdk.md", 0, ["true null", "Rome is dearer than Oslo.", "Hello."]],
  ["docs/testing.md", 0, ["ok"]],
  ["docs/testing.md", 1, ["ok"]],
])("example %$ of %s", async (page, index, lines) => {
  const place = new ProgramFolder();
  expect(place.compile("example", blocksIn(page, "ts")[index] ?? "")).toBe("");
  const ended = await place.run("example.js");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout.trimEnd().split("\n")).toEqual(lines);
});

test("no example is left out", () => {
  expect(blocksIn("docs/sdk.md", "ts")).toHaveLength(1);
  expect(blocksIn("docs/testing.md", "ts")).toHaveLength(2);
});

test("the points are those that there are, in their words", () => {
  const page = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (.*) \|$/gm)].map(([, name, meaning]) => [
    name,
    meaning,
  ]);
  expect(rows.filter(([name]) => name !== undefined && name in CRASH_POINTS)).toEqual(
    Object.entries(CRASH_POINTS),
  );
});
