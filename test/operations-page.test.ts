/** What docs/operations.md shows is what happens, in that order, in one project; and the unit says what it explains. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { unitText } from "../src/surface/host/unit.ts";
import { Place, scripted } from "./cli/cli.ts";
import { pageText, pattern, shownSteps } from "./pages/shown.ts";

const page = pageText("operations.md");
const steps = shownSteps(page);

let place: Place;
beforeAll(async () => {
  place = new Place(scripted("hello", "- says: hello there\n"));
  await place.ok("trust", "--yes");
});
afterAll(async () => {
  await place.run(["serve", "--stop"]);
  place.remove();
});

test("its examples hold", async () => {
  expect(steps.length).toBeGreaterThan(3);
  for (const { command, shown } of steps) {
    const [, ...args] = command.split(" ");
    const { code, stdout, stderr } = await place.run(args);
    expect({ command, code, stderr: code === 0 ? "" : stderr }).toEqual({ command, code: 0, stderr: "" });
    expect({ command, stdout }).toEqual({ command, stdout: expect.stringMatching(pattern(shown)) });
  }
});

test("every line of the unit that it explains is there", () => {
  const [, table = ""] = /the unit says \| because \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const lines = [...table.matchAll(/^\| (.*?) \| /gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, word = ""]) => word.split("…")[0] ?? []),
  );
  expect(lines.length).toBeGreaterThan(10);
  const ask = { version: "1", root: "/r", program: ["/n", "/c"], user: "u", envFile: "/e", stateHome: "/s" };
  const text = unitText({ ...ask, scope: "system", environment: { PATH: "/bin" } });
  // A command in it is quoted word by word; a flag of ours is none of its lines.
  const plain = text.replaceAll('" "', " ");
  for (const line of lines.filter(
    (each) => !each.startsWith("--") && !/^(systemctl|Status|chmod)/.test(each),
  ))
    expect(plain).toContain(line);
});
