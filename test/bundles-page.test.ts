/** What docs/bundles.md shows is what happens, in that order, in one project. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli/cli.ts";
import { pageText, pattern, shownSteps } from "./pages/shown.ts";

const page = pageText("bundles.md");
const steps = shownSteps(page);

let place: Place;
beforeAll(async () => {
  place = new Place();
  await place.ok("init");
});
afterAll(() => place.remove());

test("its examples are there", () => {
  expect(steps.length).toBeGreaterThan(10);
});

test("its examples hold", async () => {
  for (const { command, shown } of steps) {
    const [word = "", ...args] = command.split(" ");
    if (word !== "selvage") {
      execFileSync("/bin/sh", ["-c", command], { cwd: place.root });
      continue;
    }
    const { code, stdout } = await place.run(args);
    expect({ command, stdout }).toEqual({ command, stdout: expect.stringMatching(pattern(shown)) });
    expect({ command, code }).toEqual({ command, code: shown.startsWith("✗") ? 1 : 0 });
  }
});
