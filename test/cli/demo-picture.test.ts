// The picture in docs/ shows the demo as it is now. Out of date? npx tsx scripts/picture.ts
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linesIn, linesOf, sameInEveryRun } from "../../scripts/picture-text.ts";
import { Place } from "./cli.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
  mkdirSync(join(place.folder, "tmp"));
});
afterEach(() => place.remove());

test("it has every line that is played", async () => {
  const cast = join(place.folder, "demo.cast");
  const { code } = await place.run(["demo", "--fast", "--record", cast], {
    TMPDIR: join(place.folder, "tmp"),
  });
  expect(code).toBe(0);
  const recorded = linesOf(readFileSync(cast, "utf8")).map(({ text }) => text);
  const svg = readFileSync(join(import.meta.dirname, "../../docs/demo.svg"), "utf8");
  // Children that run beside each other are told as they come: the order is theirs.
  const same = (lines: readonly string[]) =>
    lines
      .filter((line) => line !== "")
      .map(sameInEveryRun)
      .sort();
  expect(same(linesIn(svg))).toEqual(same(recorded));
  expect(svg.length).toBeLessThan(60_000);
});
