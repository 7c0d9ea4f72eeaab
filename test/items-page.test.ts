/** What docs/items.md shows is what happens: its files are written, and its examples run, in that order. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli/cli.ts";
import { pageText, pattern, shownSteps } from "./pages/shown.ts";

const page = pageText("items.md");
const files = Object.fromEntries(
  [...page.matchAll(/^```\w+ (\.ai\/\S+)\n([\s\S]*?)^```/gm)].map(([, path = "", text = ""]) => [path, text]),
);
const steps = shownSteps(page);

let place: Place;
beforeAll(async () => {
  place = new Place(files);
  await place.ok("init");
});
afterAll(() => place.remove());

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
