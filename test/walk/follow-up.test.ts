// Words for the time when a thread would end, and what somebody says about its retries.
import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problem.ts";
import type { World } from "../../src/core/world.ts";
import { call, stage, types } from "./stage.ts";

const send = { name: "send", effect: "manual" } as const;
const spoken = (messages: readonly { role: string; text?: string }[]) =>
  messages.flatMap((said) => (said.role === "user" ? [said.text] : [])).slice(1);

test("a follow-up is kept until the thread would end, and then it goes on with it", async () => {
  const { play, ask, seen, thread, events } = stage(
    [{ calls: [call("send")] }, { says: "first" }, { says: "second" }],
    [{ ...send, rounds: 50 }],
  );
  const hosted = play();
  await seen("tool_call_start");
  await ask({ kind: "message", text: "and then?", after: "end" });
  await ask({ kind: "message", text: "now" });
  await hosted;
  const { messages, status, result, followUps } = await thread();
  expect({ status, result, followUps }).toEqual({ status: "completed", result: "second", followUps: [] });
  expect(spoken(toArray(messages) as never)).toEqual(["now", "and then?"]);
  const told = types(await events());
  // Read only after the answer that would have been the last one.
  expect(told.lastIndexOf("cognition_in")).toBeGreaterThan(told.indexOf("step_finish", 12));
});

test("several are read one at a time, in the order in which they came", async () => {
  const { play, ask, seen, thread, events } = stage(
    [{ calls: [call("send")] }, { says: "1" }, { says: "2" }, { says: "3" }],
    [{ ...send, rounds: 50 }],
  );
  const hosted = play();
  await seen("tool_call_start");
  await ask({ kind: "message", text: "a", after: "end" });
  await ask({ kind: "message", text: "b", after: "end" });
  await hosted;
  expect((await thread()).result).toBe("3");
  const order = (await events()).flatMap((event) =>
    event.type === "cognition_in" ? [event.text] : event.type === "step_finish" ? ["."] : [],
  );
  expect(order.slice(1)).toEqual([".", ".", "a", ".", "b", "."]);
});

test("retries that were turned off: the first failure stops it; turned on again, it is tried again", async () => {
  const dead = { fails: { status: 503 } };
  const { play, rehost, ask, seen, row, thread } = stage(
    [{ calls: [call("send")] }, dead, dead, dead, { says: "done" }],
    [{ ...send, rounds: 50 }],
  );
  const hosted = play();
  await seen("tool_call_start");
  await ask({ kind: "auto_retry", enabled: false });
  await hosted;
  expect(await row()).toMatchObject({ status: "suspended", suspend_reason: "error" });
  expect(await thread()).toMatchObject({ autoRetry: false, step: { attempt: 2 } });
  await ask({ kind: "auto_retry", enabled: true });
  await ask({ kind: "resume" });
  await rehost();
  expect(await thread()).toMatchObject({ status: "completed", autoRetry: true, result: "done" });
});

test("whoever has a conversation made shorter says what its notes should look at", async () => {
  const { play, ask, seen, world, events, thread } = stage(
    [{ calls: [call("send")] }, { says: "done" }],
    [{ ...send, rounds: 50 }],
  );
  const asked: Parameters<NonNullable<World["prepare"]>>[0][] = [];
  (world as { prepare?: World["prepare"] }).prepare = async (wish) => {
    asked.push(wish);
    throw new Problem("E_MODEL_UNKNOWN", { what: "There is nobody to make notes." });
  };
  const hosted = play();
  await seen("tool_call_start");
  await ask({ kind: "compact", instructions: "only names" });
  await hosted;
  expect((await thread()).status).toBe("completed");
  expect(asked).toMatchObject([{ offers: { instructions: "only names" } }]);
  const start = (await events()).find(({ type }) => type === "context_compaction_start");
  expect(start).toMatchObject({ why: "person", instructions: "only names" });
});
