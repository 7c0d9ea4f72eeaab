/** `run --dry-run`: all that could be spent is shown before anything is. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { directive, Place } from "./cli.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...directive(
      "build",
      'limits: { spend: "3.00", spawns: 4 }\npermissions: [execute.tool.thread_tool, execute.directive.plan_*, { ask: execute.tool.bash }]\n',
    ),
    ...directive("plan_db", 'limits: { spend: "0.80" }\n'),
    ...directive("plan_ui"),
    ".ai/scripts/build.yaml": "- says: done\n",
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

test("names the tree, its money and what would go wrong in it, and starts nothing", async () => {
  const { code, stdout, stderr } = await place.run(["run", "build", "--dry-run", "--set", "turns=7"]);
  expect(code).toBe(0);
  expect(stdout).toContain("build · scripted/build");
  expect(stdout).toMatch(/limits .*spend 3\.00.*turns 7|limits .*turns 7.*spend 3\.00/);
  expect(stdout).toContain("execute.tool.bash (asks)");
  expect(stdout).toContain("at most $3.0000, with everyone below it");
  expect(stdout).toContain("├─ plan_db  at most $0.8000 each");
  expect(stdout).toContain("└─ plan_ui  —");
  expect(stderr).toContain("plan_ui: no spend limit");
  expect((await place.json("ps", "-a")).data.threads).toEqual([]);
});

test("for programs it is one document; what cannot be run is refused as it would be", async () => {
  const { data, kind } = await place.json("run", "build", "--dry-run");
  expect(kind).toBe("run.forecast");
  expect(data).toMatchObject({ directive: "build", at_most: "3.0000", tree: { spawns: 4 } });
  expect((await place.run(["run", "build", "--dry-run", "--model", "nobody/knows"])).code).not.toBe(0);
  const { data: other } = await place.json("run", "build", "--dry-run", "--model", "scripted/build");
  expect(other.model).toBe("scripted/build");
});
