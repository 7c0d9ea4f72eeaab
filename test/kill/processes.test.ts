/** Several real processes on one store. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ring } from "../../src/machine/bell.ts";
import { sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { runWorker, type Worker } from "../../src/testing/index.ts";
import { judge, newWorker, THREAD } from "./life.ts";

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Record<string, unknown>>;
}

function start({ command, args, env }: Worker): Running {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const ended = once(child, "close").then(() => JSON.parse(output.replace("ready\n", "") || "{}"));
  return { child, ended };
}

function openStore(root: string) {
  const path = join(root, ".ai", "threads", "registry.db");
  return openSqliteStore({
    now: Date.now,
    sha256,
    newId: () => "x",
    ownerState: () => "alive",
    path,
    durability: "strict",
  });
}

/** Looks at the store until the thread has an event of this type. */
async function until(root: string, type: string): Promise<void> {
  const store = openStore(root);
  for (let looks = 0; looks < 100_000; looks += 1) {
    const { events } = await store.load(THREAD);
    if (events.some((event) => event.type === type)) return store.close();
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${type} was not seen`);
}

test("six processes race for one thread: one owner, every effect once", async () => {
  const { root, worker } = newWorker();
  await runWorker(worker, { at: 1, when: "after" });
  const ends = await Promise.all([1, 2, 3, 4, 5, 6].map(() => start(worker).ended));
  const worked = ends.filter((end) => end["end"] === "idle" && Number(end["writes"]) > 10);
  expect(worked).toHaveLength(1);
  expect(worked[0]).toMatchObject({ status: "completed" });
  expect(await judge(root)).toEqual([]);
});

test("a paused owner that was robbed on purpose cannot write when it wakes", async () => {
  const { root, worker } = newWorker({ PAUSE_MS: "1500" });
  const first = start(worker);
  await once(first.child.stdout ?? first.child, "data");
  await until(root, "tool_call_start");
  first.child.kill("SIGSTOP");
  const honest = await runWorker(worker);
  expect(honest.output).toContain('"end":"refused"');
  const taken = start({ ...worker, env: { ...worker.env, TAKE: "1", PAUSE_MS: "1" } });
  expect(await taken.ended).toMatchObject({ end: "idle", status: "completed", recoveries: 1 });
  const store = openStore(root);
  const { events } = await store.load(THREAD);
  first.child.kill("SIGCONT");
  expect(await first.ended).toMatchObject({ fenced: true });
  expect((await store.load(THREAD)).events).toEqual(events);
  await store.close();
  const lines = readFileSync(join(root, "effects.log"), "utf8").split("\n").filter(Boolean);
  // The paused process finished the call it had begun; nobody else ran it again.
  expect(new Set(lines.filter((line) => !line.startsWith("pure"))).size).toBe(
    lines.filter((line) => !line.startsWith("pure")).length,
  );
});

test("a cancel posted by another process ends a long backoff", async () => {
  const { root, worker } = newWorker({ RETRY_MS: "60000" });
  const running = start(worker);
  await once(running.child.stdout ?? running.child, "data");
  await until(root, "auto_retry_start");
  const store = openStore(root);
  const [row] = await store.find({ threadId: THREAD });
  const [posted] = await store.post([
    {
      kind: "cancel",
      request_id: "c1",
      thread_id: THREAD,
      by: "test",
      nonce: row?.nonce ?? "",
      reason: "enough",
    },
  ]);
  if (posted?.accepted && posted.host?.socket) ring(posted.host.socket);
  expect(posted).toMatchObject({ accepted: true, host: { scope: THREAD } });
  expect(await running.ended).toMatchObject({ status: "cancelled" });
  await store.close();
});

test("a disk that is really full: nothing is acknowledged that is not stored, and the next process goes on", async () => {
  const { root, worker } = newWorker();
  let full = 0;
  for (const kilobytes of [40, 50, 60, 80, 100]) {
    const limited = `ulimit -f ${kilobytes}; exec "$0" "$@"`;
    const command = { ...worker, command: "bash", args: ["-c", limited, worker.command, ...worker.args] };
    const end = await runWorker(command);
    if (end.code !== 0 && /disk is full|disk I\/O error|StorageFailure|E_DISK/.test(end.output)) full += 1;
  }
  // How much fits depends on when the log is moved into the database; the first limits are too small in any case.
  expect(full).toBeGreaterThanOrEqual(1);
  const last = await runWorker(worker);
  expect(last.output).toContain('"status":"completed"');
  expect(await judge(root)).toEqual([]);
});

test("many processes that open a new store at the same moment all get it, and it is one store", async () => {
  const { root } = newWorker();
  const program = `import { realWorld } from ${JSON.stringify(new URL("../../dist/inside.js", import.meta.url).href)};
    const world = realWorld({ root: ${JSON.stringify(root)}, notify: () => {} });
    process.stdout.write(world.store.storeId);`;
  const open = () =>
    runWorker({ command: process.execPath, args: ["--input-type=module", "-e", program], env: process.env });
  const ends = await Promise.all(Array.from({ length: 12 }, open));
  expect(ends.map((end) => end.code)).toEqual(ends.map(() => 0));
  expect(new Set(ends.map((end) => end.output)).size).toBe(1);
});

test("verify finds nothing wrong with a store that somebody is writing", async () => {
  const { root, worker } = newWorker({ PAUSE_MS: "30" });
  const running = start(worker);
  await once(running.child.stdout ?? running.child, "data");
  const folder = join(root, ".ai", "threads");
  const store = openStore(root);
  const found: string[] = [];
  let looks = 0;
  while (running.child.exitCode === null) {
    const { findings } = await verifyStore(store, join(folder, "registry.db"), folder);
    found.push(...findings.map((finding) => finding.what));
    looks += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await running.ended;
  await store.close();
  expect(looks).toBeGreaterThan(5);
  expect(found).toEqual([]);
});
