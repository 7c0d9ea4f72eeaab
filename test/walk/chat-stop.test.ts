// One message of a lasting thread is stopped, and the thread stays (UX d.3).
import { describe, expect, test } from "vitest";
import { BEGIN_ANEW } from "../../src/core/chat-events.ts";
import { toArray } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problem.ts";
import { host } from "../../src/runtime/index.ts";
import { readThread } from "../../src/testing/index.ts";
import { call, rounds, types, unreplayed } from "./stage.ts";
import { send, talk } from "./talk.ts";

const slow = { name: "slow", effect: "manual", rounds: 1e9 } as const;
const spawn = (directive: string, more: Record<string, unknown> = {}) =>
  call("thread_tool", { directive, ...more });
const endless = { steps: [{ calls: [call("slow")] }, { says: "late" }] };

function stopping(...staged: Parameters<typeof talk>) {
  const t = talk(...staged);
  const stop = async (more: { for?: string; reason?: string } = {}) => {
    const { thread_id } = await t.head();
    const [posted] = await t.world.store.post([
      { kind: "stop", request_id: `s${Math.random()}`, thread_id, by: "maya", ...more },
    ]);
    return posted;
  };
  const told = async () =>
    (await t.fold()).events.flatMap((event) =>
      event.type === "message_answered" || event.type === "message_stopped"
        ? [`${event.for} ${event.type === "message_answered" ? event.text : "stopped"}`]
        : [],
    );
  const held = async () => (await t.world.store.balance((await t.head()).chain_root_id))?.account.held;
  return { ...t, stop, told, held };
}

const AT_REST = { status: "running", owner: null, suspend_reason: null, waits_for: { kind: "message" } };

test("a tool that runs is stopped, the thread stays, and goes on with the next message where it is", async () => {
  const t = stopping([{ calls: [call("slow"), call("send")], hangs: true }, { says: "2" }], [slow, send]);
  const { threadId } = await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start", 2);
  await t.seen("tool_call_result");
  expect(await t.stop({ for: "m1", reason: "wrong plan" })).toMatchObject({ accepted: true });
  await hosted;
  expect(await t.head()).toMatchObject({ thread_id: threadId, ...AT_REST });
  expect(await t.held()).toBe(0);
  expect(await t.say("b")).toEqual({ threadId });
  await t.run();
  expect(await t.told()).toEqual(["m1 stopped", "m2 2"]);
  const { thread, events } = await t.fold();
  const results = events.flatMap((event) => (event.type === "tool_call_result" ? [event.status] : []));
  expect(results.sort()).toEqual(["ok", "stopped"]);
  const read = toArray(thread.messages).map((said) => (said.role === "user" ? said.text : said.role));
  expect(read.slice(1)).toEqual([
    ...["a", "assistant", "tool"],
    expect.stringMatching(/^\(The work on what was said before this was stopped: wrong plan\./),
    ...["b", "assistant"],
  ]);
});

test("a stream that hangs is stopped, paid for, and leaves no answer behind", async () => {
  const t = stopping([{ says: "…", hangs: true }, { says: "2" }]);
  await t.say("a");
  const hosted = t.run();
  await t.seen("step_start");
  await t.stop();
  await hosted;
  expect(await t.head()).toMatchObject(AT_REST);
  expect(await t.held()).toBe(0);
  await t.say("b");
  const again = t.run();
  await t.seen("step_start", 2);
  await t.stop({ for: "m2" });
  await again;
  expect(await t.told()).toEqual(["m1 stopped", "m2 stopped"]);
  const holds = (await t.fold()).events.flatMap((event) =>
    event.type === "step_start" ? [event.hold?.id] : [],
  );
  // One turn, and yet no hold has the name of another.
  expect(new Set(holds).size).toBe(2);
});

test("a wait for another try ends at once, and its time comes to nothing", async () => {
  const t = stopping([{ fails: { status: 429, retry_after_ms: 60_000 } }, { says: "2" }]);
  await t.say("a");
  const hosted = t.run();
  await t.seen("auto_retry_start");
  const before = t.universe.clock.monotonic();
  await t.stop({ for: "m1" });
  await hosted;
  expect(t.universe.clock.monotonic() - before).toBeLessThan(2_000);
  expect(await t.head()).toMatchObject(AT_REST);
  expect((await t.world.store.candidates("*")).map(({ timerDue }) => timerDue)).toEqual([undefined]);
  await t.say("b");
  await t.run();
  expect(await t.told()).toEqual(["m1 stopped", "m2 2"]);
});

test("what waits in line is begun after it, in order", async () => {
  const t = stopping([{ calls: [call("slow")] }, { says: "2" }, { says: "3" }], [slow]);
  await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start");
  await t.say("b");
  await t.say("c");
  await t.stop({ for: "m1" });
  await hosted;
  expect(await t.told()).toEqual(["m1 stopped", "m2 2", "m3 3"]);
  expect(await t.head()).toMatchObject(AT_REST);
});

describe("those below that work for it", () => {
  const children = { children: { endless } };
  test.each([
    ["that it waits for", [spawn("endless", { wait: true })]],
    ["that it does not wait for", [spawn("endless")]],
    ["beside a tool of its own", [spawn("endless"), call("slow")]],
  ])("are stopped with it, and it is stopped when they are: %s", async (_, calls) => {
    const t = stopping([{ calls }, { says: "done" }, { says: "2" }], [slow], children);
    await t.say("a");
    const hosted = t.run();
    await t.seen("step_start", 2);
    await t.seen("tool_call_start", calls.length + 1);
    await t.stop({ for: "m1", reason: "enough" });
    await t.say("b");
    await hosted;
    const [child, own] = await t.world.store.find({});
    expect(child).toMatchObject({ status: "cancelled", directive: "endless" });
    expect(own).toMatchObject(AT_REST);
    expect(types((await readThread(t.world, child?.thread_id ?? "")).events)).toContain("cancel_requested");
    const order = types((await t.fold()).events);
    expect(order.indexOf("message_stopped")).toBeGreaterThan(order.indexOf("child_thread_failed"));
    expect(await t.told()).toEqual(["m1 stopped", expect.stringMatching(/^m2 /)]);
  });

  test("also when it had said all it had to say, and only waited for them", async () => {
    const t = stopping([{ calls: [spawn("endless")] }, { says: "done" }, { says: "2" }], [slow], children);
    await t.say("a");
    const hosted = t.run();
    await t.seen("wait_started");
    await t.stop({ for: "m1" });
    await hosted;
    expect(await t.told()).toEqual(["m1 stopped"]);
    expect(await t.head()).toMatchObject({ ...AT_REST, living: 0 });
  });

  test("what is said meanwhile comes after it, also what steers; a second stop finds nothing more", async () => {
    const t = stopping([{ calls: [spawn("endless")] }, { says: "x" }, { says: "2" }], [slow], children);
    await t.say("a");
    const hosted = t.run();
    await t.seen("wait_started");
    const { thread_id } = await t.head();
    const said = { kind: "message" as const, request_id: "m2", thread_id, by: "maya", text: "b" };
    await t.world.store.post([
      { kind: "stop", request_id: "s1", thread_id, by: "maya" },
      said,
      { kind: "stop", request_id: "s2", thread_id, by: "maya" },
    ]);
    await hosted;
    const { events } = await t.fold();
    expect(events.flatMap((event) => (event.type === "stop_requested" ? [event.hits] : []))).toEqual([
      ...["work", "nothing"],
    ]);
    expect(events.filter(({ type }) => type === "message_received")).toMatchObject([{}, { after: "end" }]);
    expect(await t.told()).toEqual(["m1 stopped", "m2 2"]);
  });
});

describe("one that is suspended parks for messages, and its question is withdrawn", () => {
  const down = { fails: { status: 503 } };
  test.each([
    ["error", [down, down, down, down, { says: "2" }], {}],
    [
      "approval",
      [{ calls: [call("send")] }, { says: "2" }],
      { rights: { ask: ["selvage.execute.tool.send"] } },
    ],
  ] as const)("%s", async (reason, steps, more) => {
    const t = stopping(steps, [send], more);
    await t.say("a");
    await t.run();
    expect(await t.head()).toMatchObject({ status: "suspended", suspend_reason: reason });
    expect(await t.stop({ for: "m1" })).toMatchObject({ accepted: true });
    await t.run();
    expect(await t.head()).toMatchObject({ ...AT_REST, error: null });
    expect(await t.world.store.approvals({ states: ["open"] })).toEqual([]);
    expect(t.universe.effects).toEqual([]);
    await t.say("b");
    await t.run();
    expect(await t.told()).toEqual(["m1 stopped", "m2 2"]);
  });

  test("words that were to let it go on come after the stop", async () => {
    const t = stopping([down, down, down, down, { says: "2" }]);
    await t.say("a");
    await t.run();
    const { thread_id, nonce } = await t.head();
    await t.stop({ for: "m1" });
    // With `/resume TEXT`, or from a terminal.
    const resume = { kind: "resume", request_id: "m2", thread_id, by: "maya", nonce, message: "b" } as const;
    expect(await t.world.store.post([resume])).toMatchObject([{ accepted: true }]);
    await t.run();
    expect(await t.told()).toEqual(["m1 stopped", "m2 2"]);
  });

  test("a limit is asked about again when the next message would break it", async () => {
    const t = stopping([{ calls: [call("send")] }, { says: "2" }], [send], { limits: { turns: 1 } });
    await t.say("a");
    await t.run();
    expect(await t.head()).toMatchObject({ suspend_reason: "limit" });
    await t.stop();
    await t.say("b");
    await t.run();
    expect(await t.head()).toMatchObject({ status: "suspended", suspend_reason: "limit" });
    expect(await t.told()).toEqual(["m1 stopped"]);
  });
});

describe("it hits what was meant", () => {
  test("one that is answered already is not stopped, and neither is the next one for it", async () => {
    const t = stopping([{ says: "1" }, { calls: [call("send")] }, { says: "2" }], [{ ...send, rounds: 50 }]);
    await t.say("a");
    await t.run();
    await t.say("b");
    const hosted = t.run();
    await t.seen("tool_call_start");
    await t.stop({ for: "m1" });
    await hosted;
    expect(await t.told()).toEqual(["m1 1", "m2 2"]);
    expect(t.universe.effects).toHaveLength(1);
    const [asked] = (await t.fold()).events.filter(({ type }) => type === "stop_requested");
    expect(asked).toMatchObject({ for: "m1", hits: "nothing" });
  });

  test("at rest there is nothing to stop, and nothing is written; a thread that does not last is cancelled", async () => {
    const t = stopping([{ says: "1" }]);
    await t.say("a");
    await t.run();
    const { seq } = await t.head();
    expect(await t.stop()).toEqual({ accepted: false, why: "nothing is under way" });
    expect((await t.head()).seq).toBe(seq);
    const other = talk([{ hangs: true }]);
    const played = other.play();
    await other.seen("step_start");
    expect(await other.ask({ kind: "stop" })).toEqual({
      accepted: false,
      why: "nobody writes to it, so that it would end: cancel it",
    });
    await other.ask({ kind: "cancel" });
    await played;
  });

  test("a message that has not begun never does, and those after it do", async () => {
    const t = stopping([{ says: "1" }, { says: "3" }]);
    await t.say("a");
    await t.run();
    await t.say("b");
    await t.stop();
    await t.say("c");
    await t.run();
    expect(await t.told()).toEqual(["m1 1", "m2 stopped", "m3 3"]);
    const read = toArray((await t.fold()).thread.messages).flatMap((said) =>
      said.role === "user" ? [said.text] : [],
    );
    expect(read.slice(1)).toEqual(["a", "c"]);
  });
});

test("hooks that cannot be read stand in no stop's way, and before what comes after it", async () => {
  const t = stopping([{ fails: { status: 503 } }, { says: "2" }]);
  unreplayed(t.universe);
  await t.say("a");
  const leaving = new AbortController();
  const options = { scope: "*", mayRecover: () => true, patienceMs: 1_000 };
  const hosted = host(t.world, { ...options, signal: leaving.signal });
  await t.seen("auto_retry_start");
  leaving.abort();
  await hosted;
  await t.stop({ for: "m1" });
  const hooks = async () => {
    throw new Problem("E_CONFIG_INVALID", { what: "hooks.yaml is broken." });
  };
  await host({ ...t.world, hooks }, options);
  expect(await t.head()).toMatchObject(AT_REST);
  await t.say("b");
  await host({ ...t.world, hooks }, options);
  expect(await t.head()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  expect(await t.told()).toEqual(["m1 stopped"]);
});

test("while a hook's directive is asked: it is stopped, and the next message is judged anew", async () => {
  const hooks = [{ event: "before_step" as const, directive: "endless" }];
  const t = stopping([{ says: "never" }], [slow], { children: { endless }, hooks });
  for (const [n, id] of ["m1", "m2"].entries()) {
    await t.say(id);
    const hosted = t.run();
    await t.seen("tool_call_start", n + 1);
    await t.stop({ for: id });
    await hosted;
    expect(await t.head()).toMatchObject({ ...AT_REST, living: 0 });
  }
  expect(await t.told()).toEqual(["m1 stopped", "m2 stopped"]);
});

test("while its conversation is made shorter: who makes the notes is stopped too, and it stays as it is", async () => {
  const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
  const t = stopping(
    [
      { says: "0", usage: used(3_000) },
      { calls: [call("send")], usage: used(9_500) },
      { says: "2", usage: used(1_000) },
    ],
    [send, slow],
    { model: { window: 10_000 }, children: { thread_summary: endless }, limits: { spend: "1.00" } },
  );
  await t.say("hi");
  await t.run();
  await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start", 2);
  await t.stop({ for: "m2" });
  await hosted;
  expect(await t.head()).toMatchObject({ ...AT_REST, living: 0, continuation_of: null });
  expect((await t.fold()).events).toContainEqual(
    expect.objectContaining({ type: "context_compaction_end", failed: "it was stopped" }),
  );
  expect(await t.told()).toEqual(["m1 0", "m2 stopped"]);
});

test("a process that outlives its call outlives the stop of a message", async () => {
  const start = call("managed_subprocess", { action: "start", command: "serve" });
  const t = stopping([{ calls: [start] }, { calls: [call("slow")] }, { says: "2" }], [slow], {
    rights: { permissions: ["selvage.*"] },
  });
  await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start", 2);
  await rounds(20);
  await t.stop();
  await hosted;
  expect(await t.told()).toEqual(["m1 stopped"]);
  expect([...t.universe.processes.byHandle.values()].map(({ alive }) => alive)).toEqual([true]);
});

test("a cancel ends the thread as before, and what was said before it is taken down", async () => {
  const t = stopping([{ calls: [call("slow")] }, { says: "2" }], [slow]);
  await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start");
  const { thread_id, nonce } = await t.head();
  await t.world.store.post([
    { kind: "message", request_id: "m2", thread_id, by: "maya", text: "b", after: "end" },
    { kind: "cancel", request_id: "c", thread_id, by: "maya", reason: "over", nonce },
  ]);
  await hosted;
  const { events, thread } = await t.fold();
  expect(thread.status).toBe("cancelled");
  expect(events.filter(({ type }) => type === "message_received").length).toBe(2);
});

test("who begins anew loses nothing that waits: it is read first, in order, in the thread that begins next", async () => {
  const t = stopping([{ calls: [call("slow")] }, { says: "b" }, { says: "c" }, { says: "d" }], [slow]);
  await t.say("a");
  const hosted = t.run();
  await t.seen("tool_call_start");
  await t.say("b");
  await t.say("c", { by: "ann" });
  const { thread_id, nonce } = await t.head();
  const cancel = { request_id: "c", thread_id, by: "maya", reason: BEGIN_ANEW, nonce };
  await t.world.store.post([{ kind: "cancel", ...cancel }]);
  await hosted;
  // Two at once, and one of them again: they begin one, and each is read once.
  const begun = await Promise.all([t.say("d"), t.say("e"), t.say("d", { messageId: "m4" })]);
  expect(new Set(begun.map(({ threadId }) => threadId)).size).toBe(1);
  const { events } = await readThread(t.world, (await t.head()).thread_id);
  expect(types(events)).toEqual(["thread_created", "cognition_in"]);
  const open = await t.world.store.openRequests((await t.head()).chain_root_id);
  expect(open.flatMap((each) => (each.kind === "message" ? [`${each.by} ${each.text}`] : []))).toEqual([
    ...["maya b", "ann c", "maya d", "maya e"],
  ]);
  expect(await t.head()).toMatchObject({ continuation_of: null });
});

describe("other words for a message", () => {
  const change = async (
    t: ReturnType<typeof stopping>,
    replaces: string,
    text: string,
    request_id: string,
  ) => {
    const { thread_id } = await t.head();
    const said = { request_id, thread_id, by: "maya", text };
    await t.world.store.post([{ kind: "message", ...said, after: "end", replaces }]);
  };
  const read = async (t: ReturnType<typeof stopping>) =>
    (await t.fold()).events.flatMap((event) =>
      event.type === "cognition_in" && event.request_id ? [`${event.request_id} ${event.text}`] : [],
    );

  test("that waits are read in its place; for one that has begun they change nothing", async () => {
    const t = stopping(
      [{ calls: [call("send")] }, { says: "1" }, { says: "2" }, { says: "3" }],
      [{ ...send, rounds: 50 }],
    );
    await t.say("a");
    const hosted = t.run();
    await t.seen("tool_call_start");
    await t.say("b");
    await t.say("c");
    await change(t, "m1", "not a", "e1");
    await change(t, "m2", "not b", "e2");
    await change(t, "m2", "B", "e3");
    await change(t, "m2", "not b", "e2");
    await hosted;
    expect(await read(t)).toEqual(["m1 a", "m2 B", "m3 c"]);
    expect(await t.told()).toEqual(["m1 1", "m2 2", "m3 3"]);
  });

  test("are there for the next thread of a chain that is handed on", async () => {
    const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
    const notes = { steps: [{ says: "## Completed Work\nhello", usage: used(300) }] };
    const t = stopping(
      [
        { says: "0", usage: used(3_000) },
        { calls: [call("send")], usage: used(9_500) },
        { says: "1", usage: used(1_000) },
        { says: "2", usage: used(1_100) },
      ],
      [{ ...send, rounds: 50 }],
      { model: { window: 10_000 }, children: { thread_summary: notes }, limits: { spend: "1.00" } },
    );
    await t.say("hi");
    await t.run();
    await t.say("a");
    const hosted = t.run();
    await t.seen("tool_call_start");
    await t.say("b");
    await change(t, "m3", "B", "e1");
    await hosted;
    expect((await t.head()).continuation_of).not.toBeNull();
    expect(await read(t)).toEqual(["m3 B"]);
  });
});
