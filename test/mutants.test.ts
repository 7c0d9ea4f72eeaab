import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
// @ts-expect-error: data for a script
import { MUTANTS } from "./mutants.mjs";

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const text = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");

test("every deliberate break still fits its file, once, and has tests that are there", () => {
  const stale = (MUTANTS as readonly Mutant[]).flatMap(({ name, file, find, replace, tests }) => {
    const times = text(file).split(find).length - 1;
    const isSame = find === replace;
    const missing = tests.filter((path) => path.endsWith(".ts") && !text(path));
    return times === 1 && !isSame && missing.length === 0 ? [] : [`${name} (${file}): ${times} times`];
  });
  expect(stale).toEqual([]);
});
