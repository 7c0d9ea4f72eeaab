import { expect, test } from "vitest";
import type { Event, LiveEvent } from "../core/event.ts";
import { redactor } from "../core/redact.ts";
import type { Store } from "../core/store.ts";
import type { Notice } from "../core/world.ts";
import { redactedHook, redactedModel, redactedNotify, redactedStore } from "./redacted.ts";

const KEY = "k3y-0f-the-test";
const known = redactor([{ name: "KEY", value: KEY }]);
const envelope = { v: 1 as const, ts: "2026-01-02T03:04:05.000Z", thread_id: "t" };
const delta = (text: string): Notice => {
  return { type: "live", event: { ...envelope, type: "cognition_out_delta", turn: 1, text } };
};
const fact = (type: "tool_call_start" | "cognition_out"): Notice => {
  return { type: "event", event: { ...envelope, seq: 1, type } as Event };
};

function heard(): { notices: Notice[]; notify: (notice: Notice) => void; text: () => string } {
  const notices: Notice[] = [];
  const text = () =>
    notices.map((each) => ("event" in each ? ((each.event as { text?: string }).text ?? "") : "")).join("");
  return { notices, notify: redactedNotify((notice) => notices.push(notice), known), text };
}

test("whatever is stored goes without secrets: facts, their tail, births, stops and requests", async () => {
  const written: unknown[] = [];
  const store = redactedStore(
    {
      create: async (birth: unknown) => written.push(birth),
      commit: async (_: unknown, batch: unknown) => written.push(batch),
      post: async (requests: unknown) => written.push(requests),
    } as unknown as Store,
    known,
  );
  const said = { type: "cognition_in" as const, source: "directive", text: KEY };
  const request = { kind: "message" as const, request_id: "r", thread_id: "t", by: "me", text: KEY };
  await store.create({ threadId: "t", events: [said], requests: [request] });
  await store.commit(
    { threadId: "t", chainRootId: "t", epoch: 1, owner: "o" },
    {
      events: [said],
      tail: [said],
      births: [{ threadId: "child", events: [said], requests: [request] }],
      stops: [{ thread_id: "child", reason: KEY, by: "t" }],
    },
  );
  await store.post([request]);
  expect(JSON.stringify(written)).not.toContain(KEY);
  expect(JSON.stringify(written).match(/\[secret KEY\]/g)).toHaveLength(8);
});

test("a secret that is split over two pieces of an answer is shown in neither", () => {
  const { notices, notify, text } = heard();
  for (const piece of ["It is k3y-0", "f-the-te", "st, I th", "ink."]) notify(delta(piece));
  expect(text()).toBe("It is [secret KEY], I ");
  // Calls start while the answer goes on: what is held back stays held back.
  notify(fact("tool_call_start"));
  expect(text()).toBe("It is [secret KEY], I ");
  notify(fact("cognition_out"));
  expect(text()).toBe("It is [secret KEY], I think.");
  expect(notices.at(-1)?.type).toBe("event");
});

test("threads do not wait for each other's words", () => {
  const { notify, text } = heard();
  notify(delta("k3y-0f"));
  const other: LiveEvent = {
    ...envelope,
    thread_id: "other",
    type: "cognition_out_delta",
    turn: 1,
    text: "-the-test. ",
  };
  notify({ type: "live", event: other });
  expect(text()).toBe("-the-test. ");
});

test("progress shows no secret and no beginning of one, warnings neither", () => {
  const { notices, notify } = heard();
  const progress: LiveEvent = {
    ...envelope,
    type: "tool_call_progress",
    turn: 1,
    call_id: "c",
    tool: "bash",
    message: `${KEY} k3y-0f`,
  };
  notify({ type: "live", event: progress });
  notify({ type: "tool_ignored", message: `no ${KEY}` });
  expect(notices).toMatchObject([{ event: { message: "[secret KEY] …" } }, { message: "no [secret KEY]" }]);
});

test("failures of models and answers of hooks have none before a question is made of them", async () => {
  const failure = { kind: "http" as const, message: `no ${KEY}`, headers: { echo: KEY } };
  const model = redactedModel(
    () => ({ streams: true, ask: async () => ({ type: "failure", failure }) }),
    known,
  )("m");
  expect(JSON.stringify(await model?.ask({} as never, () => {}, new AbortController().signal))).not.toContain(
    KEY,
  );
  const hook = redactedHook(async () => ({ action: "suspend", message: KEY }), known);
  expect(await hook({} as never, {}, {} as never)).toEqual({ action: "suspend", message: "[secret KEY]" });
});
