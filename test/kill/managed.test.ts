// Managed processes through the built command line: what survives what, and that nothing is left behind.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../cli/cli.ts";
import { HOLD, killedWhileHeld, place, SUSPENDS, script, start } from "./managed-place.ts";

test("a thread that completes stops its process first, and the transcript, the export and the log tell of it", async () => {
  const at = await place(script([start()]));
  expect((await at.json("run", "serve")).data.status).toBe("completed");
  expect(at.left()).toEqual([]);
  expect(at.of("process_started").map(({ ready }) => ready)).toEqual([false, true]);
  const [stopped] = at.of("process_stopped");
  expect(stopped).toMatchObject({ why: "stopped", exit_code: 0, asked_by: "end" });
  expect(stopped).not.toHaveProperty("by");
  const [result] = at.of("tool_call_result");
  expect(JSON.parse(result.output)).toMatchObject({
    handle_id: stopped.handle_id,
    ready: true,
    status: "running",
  });
  const folder = join(at.root, ".ai/threads", stopped.thread_id, "processes");
  expect(JSON.parse(readFileSync(join(folder, `${stopped.handle_id}.json`), "utf8"))).toMatchObject({
    status: "stopped",
    exit_code: 0,
  });
  expect(await at.ok("proc", "logs", stopped.handle_id)).toBe("up\nbye\n");
  const { data } = await at.json("proc", "ls", "-a");
  expect(data.processes).toMatchObject([{ handle_id: stopped.handle_id, status: "stopped", exit_code: 0 }]);
  expect((await at.json("proc", "ls")).data.processes).toEqual([]);
  expect((await at.json("verify")).exit).toBe(0);
});

test("a host is killed: its process goes on and its output is kept; recovery takes it on and ends it with the thread", async () => {
  const at = await place(
    script([start("echo up; for n in $(seq 1000); do sleep 0.1; echo tick; done")], [HOLD]),
  );
  const pid = await killedWhileHeld(at);
  const { data: listed } = await at.json("proc", "ls");
  expect(listed.processes).toMatchObject([{ pid, status: "running", ready: true }]);
  const [{ handle_id }] = listed.processes;
  const before = (await at.json("proc", "logs", handle_id, "-n", "1000")).data.lines.length;
  await until(
    async () => (await at.json("proc", "logs", handle_id, "-n", "1000")).data.lines.length > before + 3,
  );
  expect(await at.ok("ps")).toContain(`${handle_id}  bash -c`);
  expect(await at.ok("show", "@last")).toContain(handle_id);
  expect(await at.ok("tree", "@last")).toContain("└─ proc  bash -c");
  expect((await at.json("tree", "@last")).data.processes).toMatchObject([{ handle_id, status: "running" }]);
  const { data: plan } = await at.json("recover", "--scan");
  expect(plan.orphans).toMatchObject([{ processes: [{ pid, decision: "adopted" }] }]);
  expect(at.left()).toContain(pid);
  const recovered = await at.json("recover", "--all");
  expect(recovered.data.threads[0].status).toBe("completed");
  expect(at.of("crash_recovered")[0].processes).toEqual([{ handle_id, decision: "adopted" }]);
  expect(at.of("process_started").every((event) => event.pid === pid)).toBe(true);
  expect(at.of("process_stopped")).toMatchObject([{ handle_id, why: "stopped" }]);
  expect(at.left()).toEqual([]);
});

test("a host is killed and the thread is cancelled: the process is stopped, and the report names it", async () => {
  const at = await place(script([start("trap '' TERM; echo up; while :; do sleep 1; done")], [HOLD]));
  await killedWhileHeld(at);
  expect((await at.json("cancel", "@last")).data.cancelled).toHaveLength(1);
  const [cancelled] = at.of("thread_cancelled");
  expect(cancelled.report).toContainEqual(
    expect.objectContaining({ tool: "managed_subprocess", outcome: "killed", handle_id: expect.any(String) }),
  );
  expect(at.left()).toEqual([]);
});

test("a host is killed while it waits for a process to be ready: recovery starts no second one", async () => {
  const line = "echo x >> starts; touch held; sleep 2; echo up; sleep 1000 & wait";
  const at = await place(script([start(line)]));
  const pid = await killedWhileHeld(at);
  expect(at.left()).toContain(pid);
  expect((await at.json("recover", "--all")).data.threads[0].status).toBe("completed");
  expect(readFileSync(join(at.root, "starts"), "utf8")).toBe("x\n");
  expect(JSON.parse(at.of("tool_call_result")[0].output)).toMatchObject({ pid, ready: true });
  expect(at.left()).toEqual([]);
});

test("a process that went away with its host dead is written down, and nobody is signalled in its place", async () => {
  const at = await place(script([start()], [HOLD]));
  const pid = await killedWhileHeld(at);
  process.kill(pid, "SIGKILL");
  await until(() => at.left().length === 0);
  const { data } = await at.json("recover", "--all");
  expect(data.processes_cleaned).toBe(1);
  expect(at.of("process_stopped")).toMatchObject([{ exit_code: 137 }]);
});

test("a suspended thread keeps its process; a person stops it, and the thread goes on without it", async () => {
  const at = await place(script([start()]), SUSPENDS);
  expect((await at.json("run", "serve")).exit).toBe(3);
  const { data } = await at.json("ps");
  const [{ handle_id, pid }] = data.threads[0].processes;
  expect(at.left()).toContain(pid);
  const agent = await at.run(["proc", "stop", handle_id], { SELVAGE_THREAD: "other-1-aaaaaa" });
  expect([agent.code, at.left().includes(pid)]).toEqual([9, true]);
  expect(await at.json("proc", "stop", "proc_nothing")).toMatchObject({ exit: 5 });
  expect((await at.json("proc", "stop", handle_id)).data).toMatchObject({ stopped: true, exit_code: 0 });
  expect(at.left()).toEqual([]);
  expect((await at.json("approve", data.threads[0].approval)).exit).toBe(0);
  // It is told when its thread looks: that a person asked, and who.
  const by = expect.stringMatching(/.@./);
  expect(at.of("process_stopped")).toMatchObject([
    { handle_id, why: "stopped", exit_code: 0, asked_by: "person", by },
  ]);
  expect(await at.ok("logs", "@last")).toMatch(/proc_\S+ stopped · exit code 0 · by \S+@/);
});

test("a handle of another thread, a loader variable, a command line: refused, in words", async () => {
  const call = (input: string) => `{ tool: managed_subprocess, input: { ${input} } }`;
  const at = await place(
    script([
      call("action: stop, handle_id: proc_0123456789abcdef"),
      call("action: logs, handle_id: ../../../etc/passwd"),
      call("action: start, command: sleep, args: ['1'], env: { LD_PRELOAD: x.so }"),
      call('action: start, command: "npm run dev"'),
      call("action: start"),
      call("action: status"),
    ]),
  );
  await at.json("run", "serve");
  expect(at.of("tool_call_result").map(({ output }) => output)).toEqual([
    "this thread has no such process; it has none",
    "this thread has no such process; it has none",
    expect.stringMatching(/^env: LD_PRELOAD: it decides what code is loaded/),
    expect.stringContaining('command "bash", args ["-c", "npm run dev"]'),
    "command: start needs it",
    "handle_id: all but start need it; start told it",
  ]);
});
