/** What docs/replay.md shows is what happens, in that order, in one project. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, scripted } from "./cli/cli.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/replay.md", import.meta.url)), "utf8");
const steps = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
  .map((step) => {
    const [command = "", ...lines] = step.trimEnd().split("\n");
    return { command, shown: lines.join("\n") };
  });

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

/** `…` stands for whatever changes from run to run. */
function pattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}\\n?$`);
}

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
