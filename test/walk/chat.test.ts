// A thread that lasts: people talk to it, and it waits for the next message instead of ending.
import { expect, test } from "vitest";
import { BEGIN_ANEW } from "../../src/core/chat-events.ts";
import { toArray } from "../../src/core/log.ts";
import { call, rounds, types } from "./stage.ts";
import { ADDRESS, send, talk } from "./talk.ts";

test("it answers, waits for the next message without anybody hosting it, and goes on in the same thread", async () => {
  const { say, run, head, fold, answers } = talk([{ says: "Hello." }, { says: "Fine." }]);
  const { threadId } = await say("hi");
  await run();
  expect(await head()).toMatchObject({
    status: "running",
    owner: null,
    waits_for: { kind: "message", what: "the next message" },
    address: ADDRESS,
  });
  expect(await say("how are you?")).toEqual({ threadId });
  await run();
  expect(await answers()).toMatchObject([
    { for: "m1", text: "Hello." },
    { for: "m2", text: "Fine." },
  ]);
  const { thread } = await fold();
  expect(toArray(thread.messages).map(({ role }) => role)).toEqual([
    ...["user", "user", "assistant"],
    ...["user", "assistant"],
  ]);
});

test("several messages at once are answered one by one, in order; what steers is read before that", async () => {
  const { say, run, answers, fold, seen } = talk(
    [{ calls: [call("send")] }, { says: "1" }, { says: "2" }, { says: "3" }],
    [{ ...send, rounds: 50 }],
  );
  await say("a");
  const hosted = run();
  await seen("tool_call_start");
  await say("b");
  await say("c");
  await say("now!", { steers: true });
  await hosted;
  expect(await answers()).toMatchObject([
    { for: "m1", text: "1" },
    { for: "m2", text: "2" },
    { for: "m3", text: "3" },
  ]);
  const read = toArray((await fold()).thread.messages).flatMap((said) =>
    said.role === "user" ? [said.text] : [],
  );
  expect(read.slice(1)).toEqual(["a", "now!", "b", "c"]);
});

test("delivered again, also by another process and after the answer, a message is the same", async () => {
  const { say, run, answers, world, prepared } = talk([{ says: "Once." }, { says: "Never." }]);
  const [first, second] = await Promise.all([say("hi", { messageId: "m1" }), say("hi", { messageId: "m1" })]);
  expect(second).toEqual(first);
  await run();
  expect(await say("hi", { messageId: "m1" })).toEqual(first);
  await run();
  expect(await answers()).toHaveLength(1);
  expect(await world.store.find({})).toHaveLength(1);
  expect(prepared()).toBe(2);
});

test("two that begin a talk at the same time begin one", async () => {
  const { say, run, answers, world } = talk([{ says: "1" }, { says: "2" }]);
  const [first, second] = await Promise.all([say("a"), say("b")]);
  expect(second).toEqual(first);
  await run();
  expect((await answers()).map((answer) => answer.for)).toEqual(["m1", "m2"]);
  expect(await world.store.find({})).toHaveLength(1);
});

test("one that stopped over a failure goes on with the next message", async () => {
  const down = { fails: { status: 503 } };
  const { say, run, head, fold } = talk([down, down, down, down]);
  await say("a");
  await run();
  expect(await head()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  await say("b");
  await run();
  // Its script fails again: what counts is that it was asked, with both messages and with tries of its own.
  const { events, thread } = await fold();
  expect(events.filter(({ type }) => type === "thread_resumed")).toMatchObject([{ by: "follow-up", run: 1 }]);
  expect(events.filter(({ type }) => type === "error_classified")).toHaveLength(8);
  const read = toArray(thread.messages).flatMap((each) => (each.role === "user" ? [each.text] : []));
  expect(read.slice(1)).toEqual(["a", "b"]);
  expect(thread.answering).toBe("m2");
});

test("a failure for good does not end it: somebody puts it right, and says something", async () => {
  const { say, run, head, fold } = talk([{ fails: { status: 401 } }]);
  const { threadId } = await say("a");
  await run();
  expect(await head()).toMatchObject({
    ...{ status: "suspended", suspend_reason: "error", thread_id: threadId },
    waits_for: { kind: "person", what: "what is wrong to be put right" },
  });
  expect(await say("b")).toEqual({ threadId });
  await run();
  expect(types((await fold()).events)).toContain("thread_resumed");
});

test("one that was stopped goes on in its chain with the next message; begun anew, in a fresh one", async () => {
  const { say, run, head, ask, fold, seen } = talk(
    [{ calls: [call("send")] }, { says: "2" }, { says: "3" }],
    [{ ...send, rounds: 200 }],
  );
  const first = await say("a");
  const hosted = run();
  await seen("tool_call_start");
  const cancel = async (reason: string) => {
    const { nonce, thread_id } = await head();
    await ask({ kind: "cancel", nonce, reason, thread_id });
  };
  await cancel("enough");
  await hosted;
  const second = await say("b");
  await run();
  expect(await head()).toMatchObject({ continuation_of: first.threadId, thread_id: second.threadId });
  expect(toArray((await fold()).thread.messages).length).toBeGreaterThan(3);
  // Said twice to one that has ended, it is the same too.
  expect(await say("b", { messageId: "m2" })).toEqual(second);
  await cancel(BEGIN_ANEW);
  await run();
  const third = await say("c");
  await run();
  expect(await head()).toMatchObject({ continuation_of: null, thread_id: third.threadId });
  expect(types((await fold()).events).filter((type) => type === "message_answered")).toHaveLength(1);
});

test("what people were told is taken down without a load, and the thread goes on resting", async () => {
  const { say, run, fold, note, head, world } = talk([{ says: "Hello." }]);
  await say("hi");
  await run();
  const { load } = world.store;
  let loads = 0;
  world.store.load = (id) => {
    loads += 1;
    return load(id);
  };
  await note("intended", "d1");
  await note("posted", "d2");
  await note("posted", "d2");
  await run();
  expect(loads).toBe(0);
  expect(await head()).toMatchObject({ owner: null, waits_for: { kind: "message" } });
  const noted = (await fold()).events.flatMap((event) =>
    event.type === "delivery_noted" ? [event.state] : [],
  );
  expect(noted).toEqual(["intended", "posted"]);
});

test("a message that comes with such a note is not left behind", async () => {
  const { say, run, answers, note } = talk([{ says: "1" }, { says: "2" }]);
  await say("a");
  await run();
  await note("posted", "d1");
  const hosted = run();
  await rounds(1);
  await say("b");
  await hosted;
  await run();
  expect(await answers()).toMatchObject([{ text: "1" }, { text: "2" }]);
});

test("a full conversation is handed on in the middle of an answer, which still belongs to its message", async () => {
  const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
  const notes = { steps: [{ says: "## Completed Work\nhello", usage: used(300) }] };
  const { say, run, head, fold } = talk(
    [
      { says: "Hello.", usage: used(3_000) },
      { calls: [call("send")], usage: used(9_500) },
      { says: "Sent.", usage: used(1_000) },
      { says: "Again.", usage: used(1_100) },
    ],
    [send],
    { model: { window: 10_000 }, children: { thread_summary: notes }, limits: { spend: "1.00" } },
  );
  const first = await say("a");
  await run();
  await say("b");
  await run();
  const { thread_id, continuation_of, address, waits_for } = await head();
  expect({ continuation_of, address }).toEqual({ continuation_of: first.threadId, address: ADDRESS });
  expect(waits_for).toMatchObject({ kind: "message" });
  expect(await say("c")).toEqual({ threadId: thread_id });
  await run();
  const answers = (await fold()).events.flatMap((event) =>
    event.type === "message_answered" ? [event] : [],
  );
  expect(answers).toMatchObject([
    { for: "m2", text: "Sent." },
    { for: "m3", text: "Again." },
  ]);
});
