// What people look at, on a narrow terminal, without colours, in ASCII: nothing is wider, and nothing is a control byte.
import { afterAll, beforeAll, expect, test } from "vitest";
import { widthOf } from "../../src/surface/cli/shown-width.ts";
import { Place, QUICK_RETRIES, scripted } from "./cli.ts";
import { boss, start, worker } from "./family.ts";
import { TestTerminal } from "./terminal.ts";

const NASTY =
  "red \\u001b[31mtext\\u001b[0m 日本語 bell\\u0007 \\u202egnp.exe and a long line that goes on and on and on";

let place: Place;
beforeAll(async () => {
  place = new Place({
    ...QUICK_RETRIES,
    ...scripted("a_directive_with_a_rather_long_name", `- says: "${NASTY}"\n`),
    ...scripted("down", `- fails: { status: 503, message: "${NASTY}" }\n`),
    ...worker("child", "- says: done\n"),
    ...boss("tree", `- says: one\n  calls:\n${start("child", ", wait: true")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
  await place.ok("run", "a_directive_with_a_rather_long_name");
  await place.run(["run", "down"]);
  await place.ok("run", "tree");
}, 60_000);
afterAll(() => place.remove());

const TABLES = [
  "",
  "status",
  "ps",
  "ps -a",
  "ps -a --tree",
  "approvals",
  "cost",
  "cost --by model",
  "stats",
  "proc ls -a",
  "directive ls",
  "hooks ls",
  "signer ls",
  "schema",
  "doctor --offline",
  "prune --older-than 0s --dry-run",
];

const READERS = [
  ["a terminal without colours", "NO_COLOR=1", ""],
  ["ASCII", "NO_COLOR=1", "--ascii"],
  ["a dumb terminal", "TERM=dumb", ""],
  ["a C locale", "LC_ALL=C NO_COLOR=1", ""],
] as const;

test.each(READERS)("%s of 60 columns", { timeout: 240_000 }, async (_, environment, flag) => {
  const asked = TABLES.map((args) => `echo "== ${args}"; selvage ${args} ${flag}`).join("; ");
  const terminal = new TestTerminal(
    place,
    `stty cols 60; export PAGER=cat ${environment}; ${asked}; echo "== end"`,
  );
  await terminal.ended;
  const lines = terminal.shown.replaceAll("\r\n", "\n").split("\n");
  expect(lines.filter((line) => line.startsWith("== "))).toHaveLength(TABLES.length + 1);
  let command = "";
  const wrong: string[] = [];
  for (const line of lines) {
    if (line.startsWith("== ")) command = line;
    const isWide = widthOf(line) > 60 && !/^[\w· ^-]*(need|live|thread|finding)/.test(line);
    if (isWide || /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(line))
      wrong.push(`${command}: ${JSON.stringify(line)}`);
    if (environment.includes("LC_ALL") && /[^\x20-\x7e]/.test(line.replaceAll(/[日本語]/g, "")))
      wrong.push(line);
  }
  expect(wrong).toEqual([]);
});

test("long answers go through the reader's pager, on a terminal alone", async () => {
  const pager = `export PAGER='sed s/^/P:/'; stty rows 8`;
  const terminal = new TestTerminal(
    place,
    `${pager}; selvage explain; selvage explain | sed s/^/N:/; selvage ps --accessible`,
  );
  await terminal.ended;
  expect(terminal.shown).toContain("P:E_USAGE");
  expect(terminal.shown).toContain("N:E_USAGE");
  expect(terminal.shown).not.toContain("N:P:");
});

test("-w off a terminal prints a line for each change, and on one it draws over the last", async () => {
  const watching = place.start(["ps", "-a", "-w"]);
  let shown = "";
  const more = new Promise<void>((resolve) => {
    watching.child.stdout?.on("data", (bytes) => {
      shown += bytes;
      if (/^child-\S+\tcompleted/m.test(shown) && (shown.match(/^tree-\S+\tcompleted/gm)?.length ?? 0) >= 2)
        resolve();
    });
  });
  await place.ok("run", "tree");
  await more;
  watching.child.kill("SIGINT");
  expect((await watching.ended).code).toBe(130);
  const terminal = new TestTerminal(place, "stty cols 100 rows 30; selvage ps -a -w");
  await terminal.shows("\u001b[?2026h");
  await place.ok("run", "tree");
  await terminal.shows("\u001b[J");
  terminal.press("\u0003");
  await terminal.ended;
});
