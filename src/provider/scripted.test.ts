import { describe, expect, test } from "vitest";
import type { CallId } from "../core/id.ts";
import { append, emptyLog } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import type { ModelEvent, ModelRequest } from "../core/model.ts";
import type { ScriptStep } from "../core/script.ts";
import type { Clock } from "../core/world.ts";
import { scriptedModel } from "./scripted.ts";

/** Every sleep is over at once, and is remembered. */
function instantClock() {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms) => {
      slept.push(ms);
    },
  };
  return { clock, slept };
}

const request = (answers = 0, attempt = 1): ModelRequest => ({
  threadId: "t",
  model: "scripted/t",
  system: "",
  messages: append<Message>(emptyLog, { role: "user", text: "x".repeat(400) }),
  tools: [],
  maxOutputTokens: 100,
  maxResultChars: 30_000,
  answers,
  attempt,
});

async function ask(steps: readonly ScriptStep[], asked = request(), signal = new AbortController().signal) {
  const { clock, slept } = instantClock();
  const events: ModelEvent[] = [];
  const ending = await scriptedModel(steps, { clock }).ask(asked, (event) => events.push(event), signal);
  return { ending, events, slept };
}

const textBlock = (text: string) => ({ type: "block", block: { type: "text", text } });
const callBlock = (tool: string, input: unknown = {}) => ({
  type: "block",
  block: { type: "call", tool, input },
});

describe("an answer", () => {
  test("is text first, then calls", async () => {
    const { ending, events } = await ask([
      { calls: [{ tool: "ls", input: { path: "." } }], says: "Looking." },
    ]);
    expect(events).toEqual([
      { type: "text_delta", text: "Looking." },
      textBlock("Looking."),
      callBlock("ls", { path: "." }),
    ]);
    expect(ending).toMatchObject({ type: "end", stop: "tool_use" });
  });

  test("streams in chunks, as fast as the script says", async () => {
    const { ending, events, slept } = await ask([{ streams: { chunks: ["He", "", "llo"], every_ms: 20 } }]);
    expect(events).toEqual([
      { type: "text_delta", text: "He" },
      { type: "text_delta", text: "llo" },
      textBlock("Hello"),
    ]);
    expect(slept).toEqual([20, 20, 20]);
    expect(ending).toMatchObject({ type: "end", stop: "end_turn" });
  });

  test("gives each call a turn of its own, so that a tool can start before the next one comes", async () => {
    const order: string[] = [];
    const steps = [{ calls: ["a", "b"].map((tool) => ({ tool, input: {} })) }];
    const on = (event: ModelEvent) => {
      if (event.type !== "block" || event.block.type !== "call") return;
      const { tool } = event.block;
      order.push(`block ${tool}`);
      void Promise.resolve().then(() => order.push(`started ${tool}`));
    };
    await scriptedModel(steps, instantClock()).ask(request(), on, new AbortController().signal);
    expect(order).toEqual(["block a", "started a", "block b", "started b"]);
  });

  test("is chosen by the answers in the fold", async () => {
    const steps = [{ says: "one" }, { fails: { status: 503 } }, { says: "two" }];
    expect((await ask(steps, request(1, 2))).events.at(-1)).toEqual(textBlock("two"));
    expect((await ask(steps, request(1, 1))).ending).toMatchObject({ failure: { status: 503 } });
  });
});

describe("usage", () => {
  test("is what the script says", async () => {
    const { ending } = await ask([{ says: "a", usage: { input: 7, output: 3 } }]);
    expect(ending.usage).toEqual({ input: 7, output: 3, cache_read: 0, cache_write: 0 });
  });

  test("else is estimated, and says so", async () => {
    const { usage } = (await ask([{ says: "a".repeat(400) }])).ending;
    expect(usage?.estimated).toBe(true);
    expect(usage?.input).toBeGreaterThanOrEqual(100);
    expect(usage?.output).toBeGreaterThanOrEqual(100);
  });

  test("of what a tool said counts what a model is shown, or a long output would cost more than was held", async () => {
    const output = "x".repeat(4_000_000);
    const results = [{ call_id: "call_1" as CallId, tool: "bash", status: "ok" as const, output }];
    const messages = append<Message>(emptyLog, { role: "tool", results });
    const { usage } = (await ask([{ says: "a" }], { ...request(1), messages, answers: 0 })).ending;
    expect(usage?.input).toBeGreaterThanOrEqual(7_500);
    expect(usage?.input).toBeLessThan(8_000);
  });

  test("of a request refused at once is nothing", async () => {
    expect((await ask([{ fails: { status: 503 } }])).ending.usage).toBeUndefined();
  });
});

describe("a failure", () => {
  test("with a status is the provider's", async () => {
    const named = await ask([{ fails: { type: "insufficient_quota" } }]);
    expect(named.ending).toMatchObject({
      failure: {
        kind: "http",
        type: "insufficient_quota",
        message: "the provider answered with insufficient_quota",
      },
    });
    const { ending } = await ask([{ fails: { status: 429, message: "slow down", retry_after_ms: 5 } }]);
    expect(ending).toEqual({
      type: "failure",
      failure: { kind: "http", status: 429, message: "slow down", retryAfterMs: 5 },
    });
  });

  test("without one is a cut stream, after what stands beside it", async () => {
    const { ending, events } = await ask([{ says: "I", calls: [{ tool: "ls", input: {} }], fails: {} }]);
    expect(events).toHaveLength(3);
    expect(ending).toMatchObject({
      type: "failure",
      failure: { kind: "stream_cut" },
      usage: { estimated: true },
    });
  });

  test("is what comes after the last step", async () => {
    const { ending } = await ask([{ says: "one" }], request(1));
    expect(ending).toEqual({
      type: "failure",
      failure: {
        kind: "script",
        message: "the script of scripted/t was asked for answer 2; it has 1 step, and no more answers",
      },
    });
  });

  test("of the listener does not come out as a throw", async () => {
    const model = scriptedModel([{ says: "a" }], instantClock());
    const on = () => {
      throw new Error("listener");
    };
    expect(await model.ask(request(), on, new AbortController().signal)).toMatchObject({
      type: "failure",
      failure: { kind: "misuse" },
    });
  });
});

describe("a stop", () => {
  test("before the start sends nothing", async () => {
    for (const step of [{ says: "a" }, { hangs: true as const }, { calls: [{ tool: "ls", input: {} }] }]) {
      const { ending, events } = await ask([step], request(), AbortSignal.abort());
      expect(events).toEqual([]);
      expect(ending).toMatchObject({ type: "failure", failure: { kind: "aborted" } });
    }
  });

  test("in the middle sends no more", async () => {
    const stop = new AbortController();
    const events: ModelEvent[] = [];
    const model = scriptedModel(
      [{ streams: { chunks: ["a", "b", "c"] }, fails: { status: 500 } }],
      instantClock(),
    );
    const ending = await model.ask(
      request(),
      (event) => events.push(event) === 2 && stop.abort(),
      stop.signal,
    );
    expect(events.map(({ type }) => type)).toEqual(["text_delta", "text_delta"]);
    expect(ending).toMatchObject({ type: "failure", failure: { kind: "aborted" } });
  });

  test("ends what would hang for ever", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 10);
    const { ending, events } = await ask([{ says: "Hm", hangs: true }], request(), stop.signal);
    expect(events).toHaveLength(2);
    expect(ending).toMatchObject({ failure: { kind: "aborted" } });
  });
});

test("a hang of some seconds passes, and then the answer ends or fails", async () => {
  const ended = await ask([{ says: "a", hangs: 3 }]);
  expect(ended.slept).toEqual([3000]);
  expect(ended.ending.type).toBe("end");
  expect((await ask([{ hangs: 3, fails: { status: 500 } }])).ending).toMatchObject({
    failure: { status: 500 },
  });
});
