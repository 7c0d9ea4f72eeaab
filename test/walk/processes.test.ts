/** Processes that outlive their calls, in whole threads. */
import { expect, test } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import { callKey } from "../../src/core/id.ts";
import { handleOf } from "../../src/core/managed.ts";
import { newThread } from "../../src/core/thread.ts";
import { postRequest } from "../../src/runtime/index.ts";
import { lookAfter } from "../../src/runtime/kept-processes.ts";
import { call, ID, rounds, stage, types } from "./stage.ts";

const START = { action: "start", command: "npm", args: ["run", "dev"] };
const kept = (input: Record<string, unknown> = START) => call("managed_subprocess", input);

/** Names are known beforehand: of the n-th call of a turn, with this input. */
function handleAt(turn: number, index: number, input: unknown, chainRootId: string = ID): string {
  const sha256 = (text: string) => stage([]).world.sha256(text);
  const key: CallId = callKey({ chainRootId, turn, index, input }, sha256);
  return handleOf({ chainRootId }, key, sha256);
}

const HANDLE = handleAt(1, 0, START);

async function outputs(scene: ReturnType<typeof stage>): Promise<unknown[]> {
  const events = await scene.events();
  return events.flatMap((event) =>
    event.type === "tool_call_result"
      ? [event.output.startsWith("{") ? JSON.parse(event.output) : event.output]
      : [],
  );
}

test("start, status, logs and stop; what has stopped stays as it ended", async () => {
  const about = (action: string) => kept({ action, handle_id: HANDLE });
  const scene = stage([
    { calls: [kept()] },
    { calls: [about("status"), about("logs")] },
    { calls: [about("stop")] },
    { calls: [about("stop"), about("status")] },
    { says: "done" },
  ]);
  await scene.play();
  expect(await outputs(scene)).toEqual([
    { handle_id: HANDLE, pid: 1_000, ready: true, status: "running" },
    { running: true, pid: 1_000, uptime: expect.any(Number), exit_code: null },
    "npm says hello",
    { stopped: true, exit_code: 143 },
    { stopped: true, exit_code: 143 },
    { running: false, pid: 1_000, uptime: expect.any(Number), exit_code: 143 },
  ]);
  expect(types(await scene.events()).filter((type) => type.startsWith("process_"))).toEqual([
    "process_started",
    "process_started",
    "process_stopped",
  ]);
  expect((await scene.events()).find(({ type }) => type === "process_stopped")).toMatchObject({
    why: "stopped",
    asked_by: "tool",
  });
});

test("a process that exits by itself is written down when somebody looks, once", async () => {
  const scene = stage(
    [
      { calls: [kept()] },
      { calls: [call("send")] },
      { calls: [kept({ action: "status", handle_id: HANDLE })] },
      { says: "done" },
    ],
    [{ name: "send", effect: "pure", rounds: 20 }],
  );
  const played = scene.play();
  await scene.seen("process_started", 2);
  scene.universe.processes.exit(HANDLE, 5);
  await played;
  const events = await scene.events();
  expect(events.filter(({ type }) => type === "process_stopped")).toMatchObject([
    { why: "exited", exit_code: 5 },
  ]);
  expect(events.find(({ type }) => type === "process_stopped")).not.toHaveProperty("asked_by");
  expect((await outputs(scene)).at(-1)).toMatchObject({ running: false, exit_code: 5 });
});

test("a chain touches its own processes only, whatever handle it names", async () => {
  const scene = stage(
    [
      { calls: [kept(), call("thread_tool", { directive: "thief", wait: true, limits: { spend: "1.00" } })] },
      { calls: [kept({ action: "status", handle_id: HANDLE })] },
      { says: "done" },
    ],
    [],
    {},
    {
      limits: { spend: "9.00" },
      children: {
        thief: {
          steps: [
            { calls: ["stop", "logs", "status"].map((action) => kept({ action, handle_id: HANDLE })) },
            { calls: [kept({ action: "stop", handle_id: "__proto__" })] },
            { says: "nothing" },
          ],
        },
      },
    },
  );
  await scene.play();
  const [, thief] = (await scene.world.store.find({})).map(({ thread_id }) => thread_id).sort();
  const { events } = await scene.world.store.load(thief ?? "");
  const said = events.flatMap((event) => (event.type === "tool_call_result" ? [event.output] : []));
  expect(said).toEqual(Array(4).fill("this thread has no such process; it has none"));
  expect((await outputs(scene)).at(-1)).toMatchObject({ running: true });
});

test("without its right it is neither offered nor run; it needs no right to any directive", async () => {
  const rights = { permissions: ["selvage.execute.tool.send"] };
  const without = stage([{ calls: [kept()] }, { says: "done" }], [], {}, { rights });
  await without.play();
  expect((await without.thread()).tools).not.toContain("managed_subprocess");
  expect(await outputs(without)).toEqual([expect.stringContaining("Not allowed to call managed_subprocess")]);
  expect(without.universe.processes.byHandle.size).toBe(0);
  const only = { permissions: ["selvage.execute.tool.managed_subprocess"] };
  const with_ = stage([{ says: "done" }], [], {}, { rights: only });
  await with_.play();
  expect((await with_.thread()).tools).toEqual(["managed_subprocess"]);
});

test("it goes on while its thread is suspended, and ends with it", async () => {
  const scene = stage([{ calls: [kept()] }, { says: "done" }], [], {}, { limits: { turns: 1 } });
  await scene.play();
  expect((await scene.thread()).status).toBe("suspended");
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(true);
  await scene.deny();
  await scene.rehost();
  expect((await scene.thread()).status).toBe("cancelled");
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(false);
});

test("a thread that fails stops it as well, before its end is written", async () => {
  const scene = stage([{ calls: [kept()] }, { fails: { status: 401 } }]);
  await scene.play();
  const events = types(await scene.events());
  expect(events.indexOf("process_stopped")).toBeLessThan(events.indexOf("thread_failed"));
  expect(events).toContain("process_stopped");
});

test("a damaged journal is ended without being read, and its processes with it", async () => {
  const scene = stage([{ calls: [kept()] }, { says: "done" }], [], {}, { limits: { turns: 1 } });
  await scene.play();
  const { thread_id: threadId, epoch: seenEpoch } = await scene.row();
  const { store, machine } = scene.world;
  const claimed = await store.claim({ threadId, owner: machine.owner, seenEpoch });
  if ("refused" in claimed) throw new Error("not claimed");
  await store.markCorrupt(claimed.lease, { last_good: 3, why: "torn" });
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(true);
  await scene.ask({ kind: "mark_error" });
  await scene.rehost();
  expect((await scene.row()).status).toBe("error");
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(false);
  // By whoever wrote the end, and before it: the host that sweeps up afterwards would leave no word in the journal.
  expect((await scene.events()).slice(-2)).toMatchObject([
    { type: "process_stopped", handle_id: HANDLE, why: "stopped", asked_by: "end" },
    { type: "thread_failed" },
  ]);
});

test("a message in the last moment keeps the thread going, and its process with it", async () => {
  const scene = stage([
    { calls: [kept()] },
    { says: "first" },
    { calls: [kept({ action: "status", handle_id: HANDLE })] },
    { says: "done" },
  ]);
  const { openRequests } = scene.world.store;
  let isAsked = false;
  // At the moment in which the thread is about to complete.
  Object.assign(scene.world.store, {
    openRequests: async (chain: string) => {
      const { turns } = await scene.row();
      if (!isAsked && turns === 1) {
        isAsked = true;
        await scene.ask({ kind: "message", text: "and then?" });
      }
      return openRequests(chain);
    },
  });
  await scene.play();
  expect(isAsked).toBe(true);
  expect((await outputs(scene)).at(-1)).toMatchObject({ running: true });
});

test("a cancel names what it stopped", async () => {
  const scene = stage(
    [{ calls: [kept(), call("slow")] }, { says: "never" }],
    [{ name: "slow", effect: "manual", rounds: 1e9 }],
  );
  const played = scene.play();
  await scene.seen("process_started", 1);
  await rounds(3);
  await scene.ask({ kind: "cancel" });
  await played;
  const cancelled = (await scene.events()).find((event) => event.type === "thread_cancelled");
  expect(cancelled).toMatchObject({
    report: expect.arrayContaining([
      { call_id: expect.any(String), tool: "managed_subprocess", outcome: "stopped", handle_id: HANDLE },
    ]),
  });
});

test("a person stops a process beside its thread, which tells of it when it looks", async () => {
  const scene = stage(
    [
      { calls: [kept()] },
      { calls: [call("send")] },
      { calls: [kept({ action: "stop", handle_id: HANDLE })] },
      { says: "done" },
    ],
    [{ name: "send", effect: "pure", rounds: 20 }],
  );
  const played = scene.play();
  await scene.seen("process_started", 2);
  await scene.universe.open().world.processes?.stop({ handle: HANDLE, chainRootId: ID }, "eve@here");
  await played;
  expect((await scene.events()).filter(({ type }) => type === "process_stopped")).toMatchObject([
    { handle_id: HANDLE, why: "stopped", asked_by: "person", by: "eve@here" },
  ]);
});

test("a host stops what a thread that is over has left; a thread that is suspended keeps what it has", async () => {
  const scene = stage([{ calls: [kept()] }, { says: "done" }], [], {}, { limits: { turns: 1 } });
  await scene.play();
  const { processes } = scene.universe;
  await scene.rehost();
  expect(processes.byHandle.get(HANDLE)?.alive).toBe(true);
  await scene.deny();
  await scene.rehost();
  expect((await scene.thread()).status).toBe("cancelled");
  Object.assign(processes.byHandle.get(HANDLE) ?? {}, { alive: true });
  await scene.rehost();
  expect(processes.byHandle.get(HANDLE)?.alive).toBe(false);
  expect(scene.universe.notices).toContainEqual({ type: "process_reaped", threadId: ID, handle: HANDLE });
});

test("a cancel stops a process at once, also while a tool takes its time to stop", async () => {
  const scene = stage([{ calls: [kept()] }, { calls: [call("slow")] }], [{ name: "slow", effect: "manual" }]);
  const { tool } = scene.world;
  let letGo = () => {};
  const run = () =>
    new Promise((resolve) => {
      letGo = () => resolve({ status: "stopped", output: "at last" });
    });
  Object.assign(scene.world, {
    tool: (name: string) => (name === "slow" ? { ...tool(name), run } : tool(name)),
  });
  const played = scene.play();
  await scene.seen("tool_call_start", 2);
  await scene.ask({ kind: "cancel" });
  await rounds(40);
  expect((await scene.row()).status).toBe("running");
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(false);
  letGo();
  await played;
  const events = await scene.events();
  expect(events.filter(({ type }) => type === "process_stopped")).toMatchObject([{ why: "stopped" }]);
  expect(events.at(-1)).toMatchObject({
    type: "thread_cancelled",
    report: [{ tool: "slow" }, { tool: "managed_subprocess", outcome: "stopped" }],
  });
});

test("a host dies: what runs is taken on, what went away meanwhile is written down", async () => {
  const other = { ...START, command: "vite" };
  const gone = handleAt(1, 1, other);
  const scene = stage(
    [{ calls: [kept(), kept(other)] }, { calls: [call("slow")] }, { says: "done" }],
    [{ name: "slow", effect: "manual", rounds: 1e9 }],
  );
  scene.play().catch(() => {});
  await scene.seen("tool_call_start", 3);
  await scene.first.kill();
  scene.universe.processes.exit(gone, 9);
  const second = scene.universe.open();
  await scene.rehost(second);
  const { events } = await second.world.store.load(ID);
  expect(events.find(({ type }) => type === "crash_recovered")).toMatchObject({
    processes: [
      { handle_id: HANDLE, decision: "adopted" },
      { handle_id: gone, decision: "gone" },
    ],
  });
  expect(events.filter(({ type }) => type === "process_stopped")).toMatchObject([
    { handle_id: gone, why: "exited", exit_code: 9 },
    { handle_id: HANDLE, why: "stopped", asked_by: "end" },
  ]);
});

test("a host dies between a start and the word about it, and the thread is cancelled: it is found, and named", async () => {
  const scene = stage([{ calls: [kept()] }, { says: "done" }]);
  const { processes } = scene.world;
  const start = processes?.start;
  Object.assign(processes ?? {}, {
    start: async (ask: never) => {
      await start?.(ask);
      return new Promise(() => {}); // nobody hears of it
    },
  });
  scene.play().catch(() => {});
  await scene.seen("tool_call_start");
  await rounds(20);
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(true);
  await scene.first.kill();
  const second = scene.universe.open();
  const [row] = await second.world.store.find({ threadId: ID });
  const asked = { kind: "cancel" as const, request_id: "c", thread_id: ID, by: "me" };
  await postRequest(second.world, { ...asked, nonce: row?.nonce ?? "", reason: "because" });
  await scene.rehost(second);
  expect(scene.universe.processes.byHandle.get(HANDLE)?.alive).toBe(false);
  const { events } = await second.world.store.load(ID);
  expect(events.find(({ type }) => type === "thread_cancelled")).toMatchObject({
    report: expect.arrayContaining([expect.objectContaining({ handle_id: HANDLE, outcome: "stopped" })]),
  });
});

test("a start that cannot be made again after a crash leaves nothing running", async () => {
  const scene = stage([{ calls: [kept()] }, { says: "done" }]);
  const { world, universe } = scene;
  const callId = callKey({ chainRootId: ID, turn: 1, index: 0, input: START }, world.sha256);
  const ask = {
    ...START,
    handle: HANDLE,
    chainRootId: ID,
    threadId: ID,
    callKey: callId,
    env: {},
    network: false,
  };
  await world.processes?.start(ask);
  const inFlight = { call_id: callId, tool: "managed_subprocess", effect: "manual" as const, input: START };
  const unknown = new Map([[callId, { type: "unknown" as const, why: "" }]]);
  await lookAfter({ world, thread: { ...newThread(ID), chainRootId: ID } }, [inFlight], unknown);
  expect(universe.processes.byHandle.get(HANDLE)?.alive).toBe(false);
});

test("no more than sixteen at a time", async () => {
  const many = Array.from({ length: 17 }, (_, n) => kept({ ...START, args: [String(n)] }));
  const scene = stage([...many.map((one) => ({ calls: [one] })), { says: "done" }]);
  await scene.play();
  expect((await outputs(scene)).at(-1)).toMatch(/16 processes of this thread run already/);
});
