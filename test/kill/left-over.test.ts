// What is left on the machine when nobody looks after it any more (R5), through the built command line.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripted, until } from "../cli/cli.ts";
import {
  HOLD,
  isThere,
  killedWhileHeld,
  place,
  SUSPENDS,
  script,
  start,
  type Watched,
} from "./managed-place.ts";

const OTHER = scripted("other", "- says: done\n");
const HANDLE = `proc_${"7".repeat(16)}`;

/** As a host does that knows nothing of the end of its thread, on a disk that took no note of it. */
function startLate(at: Watched, threadId: string): number {
  rmSync(join(at.root, ".ai", "threads", threadId, "processes", "over"), { force: true });
  const program = `
    import { realWorld } from ${JSON.stringify(new URL("../../dist/inside.js", import.meta.url).href)};
    const world = realWorld({ root: ${JSON.stringify(at.root)}, notify: () => {} });
    await world.ready?.();
    const begun = await world.processes.start({
      handle: "${HANDLE}", chainRootId: "${threadId}", threadId: "${threadId}", callKey: "late",
      command: "bash", args: ["-c", "sleep 1000 & wait"], env: {}, network: false,
    });
    process.stdout.write(String(begun.pid ?? begun.refused));
    await world.close();`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    ...{ cwd: at.root, env: at.env, encoding: "utf8" },
  });
  expect(Number(stdout), stdout + stderr).toBeGreaterThan(1);
  return Number(stdout);
}

test("the next host stops what a thread that is over has left, and nothing else", async () => {
  const at = await place(script([start()]), { ...OTHER, ...SUSPENDS });
  expect((await at.json("run", "serve")).exit).toBe(3);
  const [{ pid: kept }] = (await at.json("proc", "ls")).data.processes;
  await at.ok("run", "other");
  const [ended = ""] = readdirSync(join(at.root, ".ai", "threads")).filter((id) => id.startsWith("other-"));
  const stray = startLate(at, ended);
  // Only looking ends nobody.
  await at.ok("ps", "-a");
  expect(isThere(stray)).toBe(true);
  const { warnings } = await at.json("run", "other");
  expect(isThere(stray)).toBe(false);
  expect(warnings).toEqual([expect.stringContaining(`${HANDLE} had been left behind by ${ended}`)]);
  expect(isThere(kept)).toBe(true);
  const serve = (await at.json("ps")).data.threads[0].thread_id;
  await at.ok("cancel", serve);
  await until(() => at.left().length === 0);
});

test("what an orphaned thread has stays until it is recovered, and is shown as left over", async () => {
  const at = await place(script([start()], [HOLD]), OTHER);
  const pid = await killedWhileHeld(at);
  await at.run(["run", "other"]);
  expect(isThere(pid)).toBe(true);
  const { data } = await at.json("proc", "ls");
  expect(data.processes).toMatchObject([{ pid, status: "running", left_over: true }]);
  const listed = await at.run(["proc", "ls"]);
  expect(listed.stdout).toContain("left over");
  expect(listed.stderr).toContain("selvage recover");
  expect(await at.ok("ps")).toMatch(/proc_\S+ {2}bash -c .* pid \d+ · ready · .* · left over/);
  const { data: plan } = await at.json("recover", "--scan");
  expect(plan.orphans).toMatchObject([{ processes: [{ pid, decision: "adopted" }] }]);
  expect(isThere(pid)).toBe(true);
  await at.json("recover", "--all");
  expect(at.left()).toEqual([]);
  expect((await at.json("proc", "ls")).data.processes).toEqual([]);
});

test("what an orphaned thread has is stopped by whoever ends the thread", async () => {
  const at = await place(script([start()], [HOLD]), OTHER);
  const pid = await killedWhileHeld(at);
  const { thread_id: id } = at.events()[0];
  await at.json("recover", id, "--mark-error");
  expect(isThere(pid)).toBe(false);
  expect(at.left()).toEqual([]);
  expect(at.of("process_stopped")).toMatchObject([{ asked_by: "end" }]);
});
