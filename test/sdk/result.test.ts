import { describe, expect, test } from "vitest";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { gate, stage, until } from "./stage.ts";

describe("a result is a value", () => {
  test("completed, with its text, its cost and its thread", async () => {
    const { rt } = await stage().open();
    const thread = await rt.start({ prompt: "Hi", model: scripted(["Hello."]), limits: { spend: 0.5 } });
    expect(await thread.result()).toMatchObject({
      status: "completed",
      text: "Hello.",
      data: null,
      cost: { turns: 1, spend: expect.stringMatching(/^0\.\d+$/) },
      thread: { thread_id: thread.id, root_id: thread.id, directive: "prompt" },
    });
    await rt.close();
  });

  test("after a backoff, which no one sees, it is what came of the last try", async () => {
    const { universe, open } = stage();
    const { rt } = await open();
    const model = scripted([{ fails: { status: 429 } }, { fails: { status: 503 } }, "At last."]);
    const thread = await rt.start({ prompt: "Hi", model });
    expect(await thread.result()).toMatchObject({ status: "completed", text: "At last." });
    expect(universe.clock.monotonic()).toBeGreaterThan(30_000);
    await rt.close();
  });

  test("error, with its code and what was said before", async () => {
    const { rt } = await stage().open();
    const model = scripted([{ fails: { status: 401, message: "bad key" } }]);
    const thread = await rt.start({ prompt: "Hi", model });
    const result = await thread.result();
    expect(result).toMatchObject({ status: "error", error: { code: "E_AUTH" } });
    expect(result.status === "error" && result.error.message).toContain("bad key");
    await rt.close();
  });

  test("cancelled, with its reason; a second cancel finds nothing", async () => {
    const { rt } = await stage().open();
    const { tool, state } = gate();
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({})]) });
    await until(() => state.runs === 1);
    expect(await thread.cancel("enough")).toBe(true);
    expect(await thread.result()).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(await thread.cancel()).toBe(false);
    expect(await thread.send("more")).toBe(false);
    await rt.close();
  });

  test("suspended, with the question", async () => {
    const { rt } = await stage().open();
    const thread = await rt.start(looping());
    expect(await thread.result()).toMatchObject({
      status: "suspended",
      reason: "limit",
      approval: { limit_code: "turns_exceeded", current_max: 1, proposed_max: 2, state: "open" },
      resumes_at: null,
    });
    await rt.close();
  });

  test("suspended until a time, which it tells", async () => {
    const { rt } = await stage().open();
    const model = scripted([{ fails: { status: 429, retry_after_ms: 3_600_000 } }, "Later."]);
    const thread = await rt.start({ prompt: "Hi", model });
    const first = await thread.result();
    expect(first).toMatchObject({ status: "suspended", reason: "quota" });
    expect(first.status === "suspended" && first.resumes_at).toMatch(/^2026-01-01T01:/);
    await rt.close();
  });

  test("a message that is taken by a thread that stays suspended is no answer, and no end of the wait", async () => {
    const { rt } = await stage().open();
    const thread = await rt.start(looping());
    await thread.result();
    await thread.send("be brief");
    expect(await thread.result()).toMatchObject({ status: "suspended" });
    await rt.close();
  });
});

describe("a wait for it", () => {
  test("ends by its time, and the thread goes on", async () => {
    const { rt } = await stage().open();
    const { tool, release } = gate();
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]) });
    await expect(thread.result({ timeout: 5 })).rejects.toMatchObject({ code: "E_TIMEOUT" });
    release();
    expect(await thread.result({ timeout: 5 })).toMatchObject({ status: "completed" });
    await rt.close();
  });

  test.each([-1, Number.NaN, "5" as unknown as number])("a timeout of %s is refused", async (timeout) => {
    const { rt } = await stage().open();
    const thread = await rt.start({ prompt: "Hi", model: scripted(["x"]) });
    await expect(thread.result({ timeout })).rejects.toMatchObject({ code: "E_USAGE" });
    await rt.close();
  });

  test("ends by a signal, before it begins and while it lasts", async () => {
    const { rt } = await stage().open();
    const { tool } = gate();
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({})]) });
    const stop = new AbortController();
    const waiting = thread.result({ signal: stop.signal });
    stop.abort(new Error("enough of it"));
    await expect(waiting).rejects.toThrow("enough of it");
    await expect(thread.result({ signal: stop.signal })).rejects.toThrow("enough of it");
    await rt.close();
  });

  test("ends when the project is closed, and says so", async () => {
    const { rt } = await stage().open();
    const { tool } = gate();
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({})]) });
    const waiting = expect(thread.result()).rejects.toMatchObject({ code: "E_CLOSED" });
    await rt.close();
    await waiting;
  });

  test("ends when a thread is found damaged", async () => {
    const { open, universe } = stage();
    const { rt, store, premises } = await open();
    const { tool, state } = gate();
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({})]) });
    await until(() => state.runs === 1);
    const waiting = thread.result();
    // Whoever begins to wait looks once more by itself.
    await universe.clock.sleep(300);
    const [row] = await store.find({ threadId: thread.id });
    const lease = {
      threadId: thread.id,
      chainRootId: thread.id,
      owner: premises.world.machine.owner,
      epoch: row?.epoch ?? 0,
    };
    const damage = { last_good: 2, why: "a byte changed" };
    await store.markCorrupt(lease, damage);
    const before = universe.clock.monotonic();
    premises.world.notify({ type: "damaged", threadId: thread.id, damage });
    expect(await waiting).toMatchObject({ status: "suspended", reason: "corrupt" });
    expect(universe.clock.monotonic() - before).toBeLessThan(1_000);
    await rt.close();
  });
});

function looping() {
  const { tool, release } = gate();
  release();
  return { prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]), limits: { turns: 1 } };
}
