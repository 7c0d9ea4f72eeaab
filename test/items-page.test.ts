/** What docs/items.md shows is what happens: its files are written, and its examples run, in that order. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli/cli.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/items.md", import.meta.url)), "utf8");
const files = Object.fromEntries(
  [...page.matchAll(/^```\w+ (\.ai\/\S+)\n([\s\S]*?)^```/gm)].map(([, path = "", text = ""]) => [path, text]),
);
const steps = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
  .map((step) => {
    const [command = "", ...lines] = step.trimEnd().split("\n");
    return { command, shown: lines.join("\n") };
  });

let place: Place;
beforeAll(async () => {
  place = new Place(files);
  await place.ok("init");
});
afterAll(() => place.remove());

/** `…` stands for whatever changes from run to run. */
function pattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}\\n?$`);
}

/** Words, and what stands between quotes. */
function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
}

test("its files and examples are there", () => {
  expect(Object.keys(files)).toHaveLength(5);
  expect(steps.length).toBeGreaterThan(7);
});

test("its examples hold", async () => {
  for (const { command, shown } of steps) {
    const [, ...args] = words(command);
    const { code, stdout } = await place.run(args);
    expect({ command, stdout }).toEqual({ command, stdout: expect.stringMatching(pattern(shown)) });
    expect({ command, code }).toEqual({ command, code: 0 });
  }
});
