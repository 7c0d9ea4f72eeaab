import { expect, test } from "vitest";
import type { Selvage } from "../../src/surface/sdk/runtime.ts";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { gate, stage, until } from "./stage.ts";

const good = (rt: Selvage) => rt.start({ prompt: "Hi", name: "good", model: scripted(["Good."]) });
const bad = (rt: Selvage) =>
  rt.start({ prompt: "Hi", name: "bad", model: scripted([{ fails: { status: 401, message: "no" } }]) });

async function slow(rt: Selvage) {
  const { tool, release, state } = gate("slow");
  const thread = await rt.start({
    prompt: "Hi",
    name: "slow",
    tools: [tool],
    model: scripted([tool({}), "Late."]),
  });
  await until(() => state.runs === 1);
  return { thread, release };
}

/** Asks for one more turn. */
function asking(rt: Selvage) {
  const { tool, release } = gate("asks");
  release();
  const model = scripted([tool({}), "Answered."]);
  return rt.start({ prompt: "Hi", name: "asks", tools: [tool], model, limits: { turns: 1 } });
}

test("all of them", async () => {
  const { rt } = await stage().open();
  const threads = [await good(rt), await good(rt)];
  const waited = await rt.wait([...threads, ...threads]);
  expect(waited).toMatchObject({ success: true, failed: null, timedOut: false });
  expect(Object.keys(waited.results).sort()).toEqual(threads.map(({ id }) => id).sort());
  expect(await rt.wait([])).toEqual({ success: true, results: {}, failed: null, timedOut: false });
  await rt.close();
});

test("one that failed is told, and the others are waited for", async () => {
  const { rt } = await stage().open();
  const [one, other] = [await bad(rt), await good(rt)];
  const waited = await rt.wait([one, other]);
  expect(waited).toMatchObject({ success: false, failed: one.id });
  expect(waited.results[other.id]?.status).toBe("completed");
  await rt.close();
});

test("failFast ends it, and the others go on", async () => {
  const { rt } = await stage().open();
  const { thread, release } = await slow(rt);
  const one = await bad(rt);
  const waited = await rt.wait([one, thread], { failFast: true });
  expect(waited).toMatchObject({ success: false, failed: one.id });
  expect(Object.keys(waited.results)).toEqual([one.id]);
  release();
  expect(await thread.result()).toMatchObject({ status: "completed" });
  await rt.close();
});

test("cancelSiblings stops them", async () => {
  const { rt } = await stage().open();
  const { thread } = await slow(rt);
  const one = await bad(rt);
  await rt.wait([one, thread], { failFast: true, cancelSiblings: true });
  const reason = `Sibling thread ${one.id} failed`;
  expect(await thread.result()).toMatchObject({ status: "cancelled", reason });
  await rt.close();
});

test("as many as are required", async () => {
  const { rt } = await stage().open();
  const { thread } = await slow(rt);
  const waited = await rt.wait([thread, await good(rt), await bad(rt)], { require: 1 });
  expect(waited.success).toBe(true);
  expect(waited.results[thread.id]).toBeUndefined();
  await rt.close();
});

test.each([{ require: 0 }, { require: 3 }, { require: 1.5 }, { timeout: -1 }])(
  "%j is refused",
  async (ask) => {
    const { rt } = await stage().open();
    const threads = [await good(rt), await good(rt)];
    await expect(rt.wait(threads, ask)).rejects.toMatchObject({ code: "E_USAGE" });
    await rt.close();
  },
);

test("time that runs out is nobody's failure, and stops nobody", async () => {
  const { rt } = await stage().open();
  const { thread, release } = await slow(rt);
  const waited = await rt.wait([thread, await bad(rt)], { timeout: 3, cancelSiblings: true });
  expect(waited).toMatchObject({ success: false, timedOut: true });
  release();
  expect(await thread.result()).toMatchObject({ status: "completed" });
  await rt.close();
});

test("a signal ends it with its reason", async () => {
  const { rt } = await stage().open();
  const { thread } = await slow(rt);
  const stop = new AbortController();
  const waiting = rt.wait([thread], { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await rt.close();
});

test("one that asks has not failed: nobody is cancelled for it, and nobody waits for it for ever", async () => {
  const { rt } = await stage().open();
  const [asks, other] = [await asking(rt), await good(rt)];
  const waited = await rt.wait([asks, other], { failFast: true, cancelSiblings: true });
  expect(waited).toMatchObject({ success: false, failed: null });
  expect(waited.results[asks.id]?.status).toBe("suspended");
  expect(waited.results[other.id]?.status).toBe("completed");
  await rt.close();
});

test("one that was answered while others went on is told as what it came to", async () => {
  const { rt } = await stage().open();
  const { thread, release } = await slow(rt);
  const asks = await asking(rt);
  await asks.result();
  const waiting = rt.wait([asks, thread]);
  await new Promise((resolve) => setImmediate(resolve));
  rt.onApproval((question) => question.approve());
  expect(await asks.result()).toMatchObject({ status: "completed" });
  release();
  const waited = await waiting;
  expect(waited.success).toBe(true);
  expect(waited.results[asks.id]).toMatchObject({ status: "completed", text: "Answered." });
  await rt.close();
});
