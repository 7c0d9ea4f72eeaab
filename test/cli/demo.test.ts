// The demo is our smoke test: a real kill, a real recovery, and a proof that can fail.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./cli.ts";

let place: Place;
beforeEach(() => {
  place = new Place({ "tmp/.keep": "" });
});
afterEach(() => place.remove());

const inTmp = () => ({ TMPDIR: join(place.root, "tmp") });

test("it proves itself in a few seconds and leaves nothing behind", async () => {
  const started = Date.now();
  const { code, stdout } = await place.run(["demo", "--fast", "--json"], inTmp());
  expect(Date.now() - started).toBeLessThan(10_000);
  const { data, ok } = JSON.parse(stdout);
  expect({ code, ok, failures: data.failures }).toEqual({ code: 0, ok: true, failures: [] });
  expect(data).toMatchObject({ redone: 0, recovered: 1, cut_off_calls: 1 });
  expect(data.acts.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual(
    ["run", "kill", "look", "recover", "proof"].map((name) => [name, true]),
  );
  expect(data.checks.every(({ holds }: { holds: boolean }) => holds)).toBe(true);
  expect(readdirSync(join(place.root, "tmp"))).toEqual([".keep"]);
  expect(readdirSync(place.folder)).toEqual(["project"]);
});

test("--keep keeps the project to look at, and people get a story", async () => {
  const { code, stdout } = await place.run(["demo", "--fast", "--keep"], inTmp());
  expect(code).toBe(0);
  expect(stdout).toMatch(/kill -9 \d+/);
  expect(stdout).toMatch(/orphaned \(pid \d+ is gone\)/);
  expect(stdout).toContain("nothing lost, nothing done twice");
  const [kept] = readdirSync(join(place.root, "tmp")).filter((name) => name.startsWith("selvage-demo-"));
  const project = join(place.root, "tmp", kept ?? "", "bakery");
  expect((await place.json("-C", project, "ps", "-a")).data.threads).toMatchObject([
    { status: "completed", recoveries: 1 },
  ]);
});
