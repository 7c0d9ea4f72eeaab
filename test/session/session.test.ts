// A chain in a program's hands: prompt after prompt, retries, aborts, and a crash in the middle.
import { describe, expect, test } from "vitest";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import type { AgentSession } from "../../src/surface/session/session.ts";
import type { SessionEvent } from "../../src/surface/session/session-event.ts";
import { gate, stage, until } from "../sdk/stage.ts";

const busy = { fails: { status: 503 } };

function heard(session: AgentSession): SessionEvent[] {
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return events;
}

const isSettled = (events: readonly SessionEvent[], times = 1) =>
  events.filter(({ type }) => type === "agent_settled").length >= times;

const families = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => ("seq" in event || event.type.startsWith("message_") ? [] : [event.type]));

describe("prompts", () => {
  test("one after the other are one chain, and everything said before is known", async () => {
    const { rt, store } = await stage().open();
    const session = await rt.createSession({ model: scripted(["one", "two", "three"]) });
    expect(session.threadId).toBeUndefined();
    expect(await session.prompt("first")).toMatchObject({ status: "completed", text: "one" });
    const first = session.threadId;
    expect(await session.prompt("second")).toMatchObject({ status: "completed", text: "two" });
    expect(session.threadId).not.toBe(first);
    const rows = await store.find({ chainRootId: first ?? "" });
    expect(rows.map(({ status }) => status)).toEqual(["completed", "continued"]);
    const said = (await session.messages()).map((message) =>
      message.role === "assistant" ? message.content : message.content,
    );
    expect(said).toEqual([
      "first",
      [{ type: "text", text: "one" }],
      "second",
      [{ type: "text", text: "two" }],
    ]);
    expect(await session.stats()).toMatchObject({ userMessages: 2, assistantMessages: 2, totalMessages: 4 });
    await rt.close();
  });

  test("while a thread is at work is refused, unless it says what to do with it", async () => {
    const { rt } = await stage().open();
    const { tool, release } = gate();
    const session = await rt.createSession({ tools: [tool], model: scripted([tool({}), "now", "then"]) });
    const events = heard(session);
    const done = session.prompt("go");
    await until(() => session.isStreaming);
    await expect(session.prompt("again")).rejects.toMatchObject({ code: "E_WRONG_STATE" });
    await session.followUp("afterwards");
    await session.accept("quickly", { streamingBehavior: "steer" });
    expect(session.queue.steering).toEqual(["quickly"]);
    release();
    expect(await done).toMatchObject({ status: "completed", text: "then" });
    const spoken = (await session.messages()).flatMap((message) =>
      message.role === "user" ? [message.content] : [],
    );
    expect(spoken).toEqual(["go", "quickly", "afterwards"]);
    await until(() => isSettled(events));
    expect(session.queue).toEqual({ steering: [], followUp: [] });
    expect(events.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    await rt.close();
  });

  test("that are empty, and steering with nobody to steer, are refused", async () => {
    const { rt } = await stage().open();
    const session = await rt.createSession({ model: scripted(["x"]) });
    expect(() => session.accept(" ")).toThrow("nothing to say");
    await expect(session.steer("left")).rejects.toMatchObject({ code: "E_WRONG_STATE" });
    await session.prompt("a");
    await expect(session.followUp("b")).rejects.toMatchObject({ code: "E_WRONG_STATE" });
    await rt.close();
  });

  test("take another model from the next one on", async () => {
    const { rt, store } = await stage().open();
    const session = await rt.createSession({ model: scripted(["a", "a"]) });
    await session.prompt("1");
    session.setModel(scripted(["unused", "b"]));
    expect(await session.prompt("2")).toMatchObject({ text: "b" });
    const models = (await store.find({})).map(({ model }) => model);
    expect(new Set(models).size).toBe(2);
    await rt.close();
  });
});

describe("retries", () => {
  test("prompt() resolves when they are over", async () => {
    const { rt } = await stage().open();
    const session = await rt.createSession({ model: scripted([busy, busy, "done"]) });
    const events = heard(session);
    expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "done" });
    await until(() => isSettled(events));
    expect(families(events)).toEqual([
      ...["agent_start", "turn_start", "turn_end", "agent_end", "auto_retry_start"],
      ...["agent_start", "turn_start", "turn_end", "agent_end", "auto_retry_start"],
      ...["agent_start", "turn_start", "auto_retry_end", "turn_end", "agent_end", "agent_settled"],
    ]);
    expect(events.find(({ type }) => type === "auto_retry_start")).toMatchObject({
      ...{ attempt: 1, maxAttempts: 3, delayMs: 2_000 },
    });
    expect(session.isRetrying).toBe(false);
    await rt.close();
  });

  test("turned off: the first failure is the last, in every thread of the chain, also after a crash", async () => {
    const place = stage();
    const first = await place.open();
    const session = await first.rt.createSession({ model: scripted([busy, "a", busy, "b"]) });
    expect(session.autoRetryEnabled).toBe(true);
    await session.setAutoRetryEnabled(false);
    expect(session.autoRetryEnabled).toBe(false);
    expect(await session.prompt("go")).toMatchObject({ status: "suspended", reason: "error" });
    const thread = session.threadId ?? "";
    await first.kill();
    const { rt } = await place.open();
    const again = await rt.createSession({ thread, model: scripted([busy, "a", busy, "b"]) });
    expect(again.autoRetryEnabled).toBe(false);
    await again.setAutoRetryEnabled(true);
    expect(again.autoRetryEnabled).toBe(true);
    expect(await again.prompt("try again")).toMatchObject({ status: "completed", text: "a" });
    await rt.close();
  });

  test("abortRetry ends the wait at once: suspended, and the next prompt goes on in the same thread", async () => {
    const { rt } = await stage({}).open();
    const session = await rt.createSession({
      model: scripted([{ fails: { status: 429, retry_after_ms: 300_000 } }, "done"]),
    });
    const events = heard(session);
    await session.abortRetry();
    const asked = session.prompt("go");
    await until(() => session.isRetrying);
    await session.abortRetry();
    expect(await asked).toMatchObject({ status: "suspended", reason: "error" });
    await until(() => isSettled(events));
    expect(session.isRetrying).toBe(false);
    expect(events.find(({ type }) => type === "auto_retry_end")).toMatchObject({
      ...{ success: false, finalError: "Retry cancelled" },
    });
    await rt.close();
  });
});

describe("abort", () => {
  test("ends a wait for another try first, then the thread; the session goes on", async () => {
    const { rt } = await stage().open();
    const session = await rt.createSession({
      model: scripted([{ fails: { status: 429, retry_after_ms: 300_000 } }, "done"]),
    });
    const events = heard(session);
    const asked = session.prompt("go");
    await until(() => session.isRetrying);
    await session.abort();
    expect(await asked).toMatchObject({ status: "cancelled" });
    await until(() => isSettled(events));
    const ends = events.flatMap(({ type }) => (/_end$|cancelled|settled/.test(type) ? [type] : []));
    expect(ends.slice(-3)).toEqual(["auto_retry_end", "thread_cancelled", "agent_settled"]);
    expect(session.isStreaming).toBe(false);
    await session.abort();
    expect((await session.prompt("again")).status).toBe("completed");
    await rt.close();
  });

  test("stops a tool, and drops what was to come after it", async () => {
    const { rt } = await stage().open();
    const { tool, state } = gate();
    const session = await rt.createSession({ tools: [tool], model: scripted([tool({}), "next"]) });
    const asked = session.prompt("go");
    await until(() => state.runs === 1);
    await session.followUp("never");
    await session.abort();
    expect(await asked).toMatchObject({ status: "cancelled" });
    expect(await session.prompt("again")).toMatchObject({ status: "completed", text: "next" });
    const spoken = (await session.messages()).flatMap((each) => (each.role === "user" ? [each.content] : []));
    expect(spoken).toEqual(["go", "again"]);
    await rt.close();
  });
});

test("a crash in the middle: another program takes the chain up, and loses neither the turn nor the follow-up", async () => {
  const place = stage();
  const first = await place.open();
  const { tool, state, release } = gate("look", "pure");
  const model = () => scripted([tool({}), "looked", "followed"]);
  const session = await first.rt.createSession({ tools: [tool], model: model() });
  session.prompt("go").catch(() => {});
  await until(() => state.runs === 1);
  await session.followUp("and then");
  await first.kill();
  release();
  const { rt } = await place.open({ tools: [tool] });
  const again = await rt.createSession({ thread: session.threadId ?? "", tools: [tool], model: model() });
  const thread = await rt.thread(again.threadId ?? "");
  expect(await thread.result()).toMatchObject({ status: "completed", text: "followed" });
  expect(await again.prompt("more").catch((error) => error)).toMatchObject({});
  await rt.close();
});

test("a limit asks: more words do not let it go on, an answer does", async () => {
  const { rt } = await stage().open();
  const session = await rt.createSession({ model: scripted(["a", "b"]), limits: { turns: 1 } });
  await session.prompt("1");
  const asked = await session.prompt("2");
  expect(asked).toMatchObject({ status: "suspended", reason: "limit" });
  await expect(session.prompt("3")).rejects.toMatchObject({ code: "E_WRONG_STATE" });
  rt.onApproval((question) => question.approve());
  const thread = await rt.thread(session.threadId ?? "");
  await until(async () => (await thread.look()).status === "completed");
  await rt.close();
});

test("compact between two prompts is done before the next turn", async () => {
  const { rt } = await stage().open();
  const session = await rt.createSession({ model: scripted(["a", "b"]) });
  await session.prompt("1");
  expect(await session.compact("only names")).toEqual({ pending: true });
  const events = heard(session);
  expect(await session.prompt("2")).toMatchObject({ status: "completed", text: "b" });
  await until(() => isSettled(events));
  expect(families(events).slice(0, 3)).toEqual(["agent_start", "compaction_start", "compaction_end"]);
  await rt.close();
});

test("one who is slow to listen, and one who falls over, hold nobody up", async () => {
  const { rt } = await stage().open();
  const session = await rt.createSession({ model: scripted(["a", "b"]) });
  let letGo = () => {};
  const slow: string[] = [];
  const wait = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  session.subscribe(() => {
    throw new Error("no");
  });
  session.subscribe(async ({ type }) => {
    await wait;
    slow.push(type);
  });
  await session.prompt("1");
  await session.prompt("2");
  expect(slow).toEqual([]);
  letGo();
  await until(() => slow.filter((type) => type === "agent_settled").length === 2);
  expect(slow.filter((type) => type === "thread_completed")).toHaveLength(2);
  await rt.close();
});

test("a session of a closed project says so; one of no thread is refused", async () => {
  const { rt } = await stage().open();
  await expect(rt.createSession({ thread: "nobody-1-aaaaaa" })).rejects.toMatchObject({
    code: "E_THREAD_NOT_FOUND",
  });
  const session = await rt.createSession({ model: scripted(["a"]) });
  await rt.close();
  await expect(session.prompt("x")).rejects.toMatchObject({ code: "E_CLOSED" });
});
