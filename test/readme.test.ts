/** What the README shows is true. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseDirective } from "../src/directive/parse.ts";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const readme = readFileSync(path("README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? "");

test("its directive validates", () => {
  const [directive] = blocks("markdown");
  expect(parseDirective("hello", "README.md", directive ?? "")).toMatchObject({
    directive: { model: "scripted/hello", limits: { turns: 5 } },
  });
});

test("its npm commands exist", () => {
  const { scripts } = JSON.parse(readFileSync(path("package.json"), "utf8"));
  const named = [...readme.matchAll(/npm (?:run )?(start|test(?::\w+)?|bench|build|docs)\b/g)].map(
    (found) => found[1],
  );
  expect(named).toContain("start");
  expect(named).toContain("test");
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});

test("its selvage commands exist", async () => {
  const { allCommands, buildProgram } = await import("../src/surface/cli/program.ts");
  const program = buildProgram({ write: () => {}, play: async () => {} }, await allCommands());
  const known = program.commands.map((command) => command.name());
  const named = [...readme.matchAll(/`?selvage (?!run agents)([a-z]+)\b/g)].map((found) => found[1] ?? "");
  for (const name of named) expect(known).toContain(name);
});

test("its links lead somewhere", () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((found) => found[1] ?? "");
  for (const link of links.filter((each) => !each.startsWith("http")))
    expect([link, existsSync(path(link))]).toEqual([link, true]);
});
