/** What docs/replay.md shows is what happens, in that order, in one project. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, scripted } from "./cli/cli.ts";
import { pageText, pattern, shownSteps } from "./pages/shown.ts";

const page = pageText("replay.md");
const steps = shownSteps(page);

const TIDY = `- { says: "I look first.", calls: [{ tool: ls, input: {} }] }
- { says: "And again.", calls: [{ tool: ls, input: {} }] }
- says: Three files are sorted.
`;

let place: Place;
beforeAll(async () => {
  place = new Place(scripted("tidy", TIDY));
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

test("its examples are there", () => {
  expect(steps.length).toBeGreaterThan(7);
});

test("its examples hold", async () => {
  for (const { command, shown } of steps) {
    const [word = "", ...args] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    );
    if (word !== "selvage") {
      execFileSync("/bin/sh", ["-c", command], { cwd: place.root });
      continue;
    }
    const { code, stdout } = await place.run(args);
    expect({ command, stdout }).toEqual({ command, stdout: expect.stringMatching(pattern(shown)) });
    expect({ command, code }).toEqual({ command, code: shown.startsWith("seq") ? 1 : 0 });
  }
});
