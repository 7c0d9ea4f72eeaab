import { describe, expect, test } from "vitest";
import { readThread } from "../../src/testing/index.ts";
import { family, outputs, says, send, spawn } from "./family.ts";
import { call, ID, stage } from "./stage.ts";

describe("dealing with children", () => {
  const short = {
    steps: [{ calls: [call("send")] }, { says: "whole" }],
    limits: { spend: "0.20", turns: 1 },
  };
  const children = { short, good: says("good") };

  /** The id of the first child is the same in every run of a script that begins with the same call. */
  async function childId(directive: string, more: Record<string, unknown> = {}) {
    const probe = stage([{ calls: [spawn(directive, more)] }, { says: "x" }], [send], {}, { children });
    probe.play().catch(() => {});
    await probe.seen("child_thread_started");
    const [started] = (await probe.events()).filter((event) => event.type === "child_thread_started");
    await probe.first.kill();
    return started && "child_id" in started ? started.child_id : "";
  }

  test("one that was only registered is started when its parent says so", async () => {
    const thread_id = await childId("good", { start: false });
    const s = stage(
      [
        { calls: [spawn("good", { start: false })] },
        { calls: [call("wait_threads", { thread_ids: [thread_id] })] },
        { calls: [call("resume_thread", { thread_id })] },
        { calls: [call("wait_threads", { thread_ids: [thread_id] })] },
        { says: "done" },
      ],
      [],
      {},
      { children },
    );
    await s.play();
    const waits = outputs(await s.events(), "wait_threads");
    expect(waits.map(({ threads }) => threads[thread_id].status)).toEqual(["created", "completed"]);
  });

  test("a child at a limit goes on with more, out of its parent's; never past what a person must say", async () => {
    const thread_id = await childId("short");
    const wait = call("wait_threads", { thread_ids: [thread_id], include_suspended: true });
    const resume = (more: Record<string, unknown>) => call("resume_thread", { thread_id, ...more });
    const s = stage(
      [
        { calls: [spawn("short")] },
        { calls: [wait] },
        { calls: [resume({})] },
        { calls: [resume({ action: "bump_and_resume", new_limits: { turns: 1_000 } })] },
        { calls: [resume({ action: "bump_and_resume", new_limits: { turns: 5 }, message: "go on" })] },
        { calls: [wait] },
        { says: "done" },
      ],
      [send],
      {},
      { children },
    );
    await s.play();
    expect((await s.row()).status).toBe("completed");
    expect(outputs(await s.events(), "resume_thread")).toEqual([
      `${thread_id} stopped at a limit: use bump_and_resume with new_limits`,
      "new_limits: turns 1000 is too much: this thread's own is 25, and a child has no more",
      { success: true, thread_id, status: "resumed" },
    ]);
    expect(outputs(await s.events(), "wait_threads").map(({ threads }) => threads[thread_id].status)).toEqual(
      ["suspended", "completed"],
    );
  });

  test("messages and cancels reach those below, and nobody else", async () => {
    const thread_id = await childId("short");
    const s = stage(
      [
        { calls: [spawn("short")] },
        {
          calls: [
            call("send_message", { thread_id, text: "hurry" }),
            call("send_message", { thread_id: ID, text: "me" }),
            call("cancel_thread", { thread_id, reason: "enough" }),
            call("cancel_thread", { thread_id: "stranger-1-aaaaaa" }),
          ],
        },
        { says: "done" },
      ],
      [{ ...send, rounds: 5_000 }],
      {},
      { children },
    );
    await s.play();
    expect(outputs(await s.events(), "send_message").sort()).toEqual(
      [{ success: true, thread_id, status: "sent" }, `${ID} is no thread below this one`].sort(),
    );
    expect(await family(s)).toEqual([
      ["story", "completed"],
      ["short", "cancelled"],
    ]);
    const { events } = await readThread(s.world, thread_id);
    expect(events.find(({ type }) => type === "thread_cancelled")).toMatchObject({ reason: "enough" });
  });
});

describe("money of a tree (B2, B3)", () => {
  test("who finds less on the account than it counted on is content with a shorter answer", async () => {
    const s = stage(
      [
        { calls: [spawn("holder"), spawn("sharer"), spawn("sharer", { inputs: { n: 2 } })] },
        { says: "done" },
      ],
      [{ ...send, rounds: 300 }],
      {},
      {
        children: {
          holder: { steps: [{ calls: [call("send")] }, { says: "x" }], limits: { spend: "0.85" } },
          sharer: { ...says("shared"), limits: { spend: "shared" } },
        },
        limits: { spend: "1.05" },
      },
    );
    await s.play();
    expect((await s.row()).status).toBe("completed");
    const rows = await s.world.store.find({});
    const sharers = rows.filter(({ directive }) => directive === "sharer");
    const holds = await Promise.all(
      sharers.map(async ({ thread_id }) => {
        const { events } = await readThread(s.world, thread_id);
        const [first] = events.filter((event) => event.type === "step_start");
        return first?.type === "step_start" ? (first.hold?.output_tokens ?? 0) : 0;
      }),
    );
    expect(Math.max(...holds)).toBe(8_192);
    expect(Math.min(...holds)).toBeGreaterThanOrEqual(1_024);
    expect(Math.min(...holds)).toBeLessThan(8_192);
    const [root] = rows.filter(({ directive }) => directive === "story");
    const { account } = (await s.world.store.balance(ID)) ?? {};
    expect(account?.spent).toBe((root?.spent ?? 0) + (root?.below ?? 0));
  });
});
