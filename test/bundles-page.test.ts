/** What docs/bundles.md shows is what happens, in that order, in one project. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli/cli.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/bundles.md", import.meta.url)), "utf8");
const steps = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
  .map((step) => {
    const [command = "", ...lines] = step.trimEnd().split("\n");
    return { command, shown: lines.join("\n") };
  });

let place: Place;
beforeAll(async () => {
  place = new Place();
  await place.ok("init");
});
afterAll(() => place.remove());

/** `…` stands for whatever changes from run to run. */
function pattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}\\n?$`);
}

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
