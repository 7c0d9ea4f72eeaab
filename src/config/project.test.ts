import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { findProject } from "./project.ts";
import { makeStateHome } from "./state-home.ts";
import { configHome, stateHome } from "./user-folders.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-project-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function problemOf(from: string): Problem {
  try {
    findProject(from);
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
  throw new Error("a project was found");
}

test("the nearest folder with .ai/ is the project", () => {
  mkdirSync(join(root, ".ai"));
  mkdirSync(join(root, "inner/.ai"), { recursive: true });
  mkdirSync(join(root, "inner/a/b"), { recursive: true });
  mkdirSync(join(root, "outer/c"), { recursive: true });
  expect(findProject(join(root, "inner/a/b"))).toEqual({ root: join(root, "inner") });
  expect(findProject(join(root, "outer/c"))).toEqual({ root });
});

test("through a link the project is the real one", () => {
  mkdirSync(join(root, "real/.ai"), { recursive: true });
  symlinkSync(join(root, "real"), join(root, "link"));
  expect(findProject(join(root, "link"))).toEqual({ root: join(root, "real") });
});

test("no project says how far it looked", () => {
  writeFileSync(join(root, ".ai"), "a file is no project");
  const problem = problemOf(root);
  expect(problem.code).toBe("E_NO_PROJECT");
  expect(problem.why).toBe(`${root.split("/").length} folders were searched.`);
  expect(problem.next.map(({ cmd }) => cmd)).toEqual(["selvage init", "selvage -C DIR status"]);
});

test("a folder that is not there is said to be", () => {
  expect(problemOf(join(root, "gone")).message).toBe(`There is no folder ${join(root, "gone")}.`);
});

test("homes follow XDG, and ignore what is not absolute", () => {
  expect(stateHome({ XDG_STATE_HOME: "/s", HOME: "/h" })).toBe("/s/selvage");
  expect(stateHome({ XDG_STATE_HOME: "relative", HOME: "/h" })).toBe("/h/.local/state/selvage");
  expect(stateHome({ XDG_STATE_HOME: "", HOME: "/h" })).toBe("/h/.local/state/selvage");
  expect(configHome({ HOME: "/h" })).toBe("/h/.config/selvage");
  expect(configHome({ XDG_CONFIG_HOME: "/c", HOME: "/h" })).toBe("/c/selvage");
});

test("the state home is for its user only, also when it was there before", () => {
  const home = join(root, "a/b/selvage");
  makeStateHome(home);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  mkdirSync(join(root, "lax"), { mode: 0o755 });
  makeStateHome(join(root, "lax"));
  expect(statSync(join(root, "lax")).mode & 0o777).toBe(0o700);
});

test("a state home that cannot be made is a problem, not a stack trace", () => {
  writeFileSync(join(root, "file"), "");
  expect(() => makeStateHome(join(root, "file/selvage"))).toThrow(Problem);
});
