// `proc logs -f` on real processes: everything that is said, until it ends or somebody has seen enough.
import { expect, test } from "vitest";
import { type Ended, until } from "../cli/cli.ts";
import { place, SUSPENDS, script, start, type Watched } from "./managed-place.ts";

/** Counts until there is a file `stop`. */
const COUNTS =
  "echo up; n=0; while [ ! -e stop ]; do n=$((n+1)); echo line $n; sleep 0.05; done; echo last; exit 3";

async function counting(): Promise<{ at: Watched; handle: string; pid: number }> {
  const at = await place(script([start(COUNTS)]), SUSPENDS);
  expect((await at.json("run", "serve")).exit).toBe(3);
  const [{ handle_id: handle, pid }] = (await at.json("proc", "ls")).data.processes;
  return { at, handle, pid };
}

/** Follows, and tells what was printed so far. */
function following(at: Watched, ...args: string[]) {
  const { child, ended } = at.start(["proc", "logs", "-f", ...args]);
  let said = "";
  child.stdout?.on("data", (bytes) => {
    said += bytes;
  });
  return { child, ended, lines: () => said.split("\n").filter(Boolean) };
}

const numbers = ({ stdout }: Ended) => [...stdout.matchAll(/^line (\d+)$/gm)].map(([, n]) => Number(n));

/** Each number once, in order, without a gap. */
function expectWhole(found: readonly number[]): void {
  expect(found.length).toBeGreaterThan(5);
  expect(found).toEqual(found.map((_, at) => (found[0] ?? 0) + at));
}

test("it tells what is said as it is said, and ends with the process, after its last line", async () => {
  const { at, handle } = await counting();
  const { ended, lines } = following(at, handle, "-n", "100000");
  await until(() => lines().length > 10);
  const before = lines().length;
  await until(() => lines().length > before + 5);
  at.write({ stop: "" });
  const end = await ended;
  expect(end).toMatchObject({ code: 0, stderr: "" });
  expect(end.stdout.startsWith("up\nline 1\n")).toBe(true);
  expect(end.stdout.endsWith("\nlast\n")).toBe(true);
  expectWhole(numbers(end));
  await until(() => at.left().length === 0);
  // Of one that is over, all is told at once.
  const again = await at.run(["proc", "logs", "-f", handle, "-n", "100000"]);
  expect(again).toMatchObject({ code: 0, stdout: end.stdout });
  expect((await at.run(["proc", "logs", "-f", handle, "-n", "1"])).stdout).toBe("last\n");
  const { data } = await at.json("proc", "logs", "-f", handle, "-n", "2");
  expect(data).toMatchObject({ process: { handle_id: handle, exit_code: 3 }, lines: { length: 2 } });
});

test("Ctrl-C ends the following and nothing else: not the process, not another who follows", async () => {
  const { at, handle, pid } = await counting();
  const other = following(at, handle);
  const first = following(at, handle);
  await until(() => first.lines().length > 5 && other.lines().length > 5);
  first.child.kill("SIGINT");
  expect((await first.ended).code).toBe(130);
  expect(at.left()).toContain(pid);
  const before = other.lines().length;
  await until(() => other.lines().length > before + 5);
  expect((await at.json("proc", "ls")).data.processes).toMatchObject([
    { handle_id: handle, status: "running" },
  ]);
  expect((await at.json("ps")).data.threads).toMatchObject([{ status: "suspended" }]);
  at.write({ stop: "" });
  const end = await other.ended;
  expect(end.code).toBe(0);
  expectWhole(numbers(end));
  await until(() => at.left().length === 0);
});

test("a process that is stopped ends who follows it", async () => {
  const { at, handle } = await counting();
  const { ended, lines } = following(at, handle);
  await until(() => lines().length > 5);
  await at.ok("proc", "stop", handle);
  expect((await ended).code).toBe(0);
  expect(at.left()).toEqual([]);
});
