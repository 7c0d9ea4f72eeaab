// Everything that can go wrong between us and a provider, over a real connection, on both wires.
import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { classify } from "../../src/core/rule.ts";
import { ask, CANARY, modelAt, requestOf, type Setting, type Wire } from "./asking.ts";
import {
  after,
  answers,
  ends,
  fallsSilent,
  type Play,
  resets,
  StandIn,
  says,
  streams,
  streamsThen,
} from "./stand-in.ts";
import { anthropic, openai } from "./wire.ts";

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.close();
  standIn = undefined;
});

async function heard(play: Play, setting: Setting = {}) {
  standIn = await StandIn.start(play);
  const said = await ask(modelAt(standIn.url, setting));
  expect(JSON.stringify(said)).not.toContain(CANARY);
  return said;
}

async function failureOf(play: Play, setting: Setting = {}) {
  const { ending } = await heard(play, setting);
  if (ending.type !== "failure") throw new Error("it did not fail");
  expect(ending.failure.receivedBytes).toBeGreaterThanOrEqual(0);
  return ending.failure;
}

const WIRES: readonly { wire: Wire; answer: string; half: string }[] = [
  {
    wire: "anthropic",
    answer: anthropic.answer("Hello there"),
    half: anthropic.start() + anthropic.text(0, "Hello"),
  },
  { wire: "openai", answer: openai.answer("Hello there"), half: openai.start() + openai.text("Hello") },
];

describe.each(WIRES)("on the wire of $wire", ({ wire, answer, half }) => {
  test("an answer is an answer, and its connection serves the next request", async () => {
    standIn = await StandIn.start(streams(answer), streams(answer));
    const model = modelAt(standIn.url, { wire });
    for (let turn = 0; turn < 2; turn += 1) {
      const { ending, blocks, deltas } = await ask(model);
      expect(ending).toEqual({
        type: "end",
        stop: "end_turn",
        usage: expect.objectContaining({ cache_read: 7, output: 42 }),
      });
      expect(blocks).toEqual([{ type: "text", text: "Hello there" }]);
      expect(deltas).toBe("Hello there");
    }
    expect(standIn.seen[0]?.port).toBe(standIn.seen[1]?.port);
    expect(standIn.seen).toHaveLength(2);
  });

  test("no deltas come without a stream section", async () => {
    const { deltas, blocks } = await heard(streams(answer), { wire, options: {} });
    expect(deltas).toBe("");
    expect(blocks).toHaveLength(1);
    expect(modelAt("http://127.0.0.1", { wire, options: {} }).streams).toBe(false);
    expect(modelAt("http://127.0.0.1", { wire, options: { stream: false } }).streams).toBe(false);
    expect(modelAt("http://127.0.0.1", { wire, options: { stream: {} } }).streams).toBe(true);
  });

  test("a clean end before the last event is a cut", async () => {
    const failure = await failureOf(streamsThen(half, ends), { wire });
    expect(failure).toMatchObject({ kind: "stream_cut", receivedBytes: "Hello".length });
  });

  test("a stream that ends before it began is a cut", async () => {
    expect(await failureOf(streams(""), { wire })).toMatchObject({ kind: "stream_cut", receivedBytes: 0 });
  });

  test("a reset in the middle is the connection's", async () => {
    const failure = await failureOf(streamsThen(half, resets), { wire });
    expect(failure).toMatchObject({ kind: "connection", type: "ECONNRESET" });
    expect(failure.message).toContain("stand-in was cut off in the middle of its answer");
    expect(failure.receivedBytes).toBe("Hello".length);
  });

  test("a reset before the answer too", async () => {
    expect(await failureOf(resets, { wire })).toMatchObject({ kind: "connection", type: "ECONNRESET" });
  });

  test("silence is a stall: before the answer, before the first event, and in the middle", async () => {
    for (const play of [fallsSilent, streamsThen("", fallsSilent), streamsThen(half, fallsSilent)]) {
      const failure = await failureOf(play, { wire, stallSeconds: 0.05 });
      expect(failure).toMatchObject({ kind: "stalled", message: "stand-in: nothing came for 50 ms" });
      await standIn?.close();
    }
    standIn = undefined;
  });

  test("an answer that goes on and on ends at the overall timeout", async () => {
    const chatter: Play = async (turn) => {
      let isGone = false;
      turn.left.then(() => {
        isGone = true;
      });
      while (!isGone) await says(": still there\n\n", () => {})(turn);
    };
    const failure = await failureOf(streamsThen(half, chatter), { wire, totalSeconds: 0.1 });
    expect(failure).toMatchObject({ kind: "stalled", message: "stand-in: no end after 100 ms in all" });
  });

  test("a stop is told apart: before the start, before the answer, in the middle", async () => {
    const stop = new AbortController();
    standIn = await StandIn.start(fallsSilent, streamsThen(half, fallsSilent));
    const model = modelAt(standIn.url, { wire });
    const early = await ask(model, requestOf(), AbortSignal.abort());
    expect(early.ending).toMatchObject({ failure: { kind: "aborted" } });
    expect(standIn.seen).toHaveLength(0);
    const waiting = ask(model, requestOf(), stop.signal);
    await standIn.asked(1);
    stop.abort();
    expect((await waiting).ending).toMatchObject({ failure: { kind: "aborted", receivedBytes: 0 } });
    const middle = new AbortController();
    let count = 0;
    const stopFirst = () => {
      count += 1;
      middle.abort();
    };
    const ending = await model.ask(requestOf(), stopFirst, middle.signal);
    expect(ending).toMatchObject({ failure: { kind: "aborted" } });
    expect(count).toBe(1);
  });

  test("a listener that throws is a failure, not a throw", async () => {
    standIn = await StandIn.start(streams(answer));
    const angry = () => {
      throw new Error("not now");
    };
    const ending = await modelAt(standIn.url, { wire }).ask(requestOf(), angry, new AbortController().signal);
    expect(ending).toMatchObject({ failure: { kind: "misuse", message: "stand-in: not now" } });
  });

  test("an event that is no JSON is as good as a cut", async () => {
    const failure = await failureOf(streams(`${half}data: {"type": "mess\n\n`), { wire });
    expect(failure).toMatchObject({ kind: "stream_cut", message: "stand-in: an event is not a JSON object" });
  });

  test("a web page in place of a stream is shown in part", async () => {
    const page = `<!doctype html>\n<html><body><h1>Sign in</h1>${"x".repeat(100_000)}`;
    const failure = await failureOf(answers(200, page), { wire });
    expect(failure).toMatchObject({ kind: "http", status: 200 });
    expect(failure.message).toContain("answered with a web page, not with a stream of events");
    expect(failure.message).toContain("<h1>Sign in</h1>");
    expect(failure.message.length).toBeLessThan(700);
  });

  test("a page that calls itself a stream too", async () => {
    const failure = await failureOf(streams("<html>proxy</html>"), { wire });
    expect(failure.message).toContain("a web page");
  });

  test("plain words, an answer that is no stream, and a good status around an error", async () => {
    expect(await failureOf(answers(200, "upstream is sad"), { wire })).toMatchObject({
      kind: "http",
      status: 200,
    });
    await standIn?.close();
    expect((await failureOf(answers(200, { id: "whole", choices: [] }), { wire })).message).toContain(
      "not with a stream",
    );
    await standIn?.close();
    const error = { error: { type: "overloaded_error", message: "busy" } };
    expect(await failureOf(answers(200, error), { wire })).toMatchObject({
      kind: "http",
      type: "overloaded_error",
      status: 529,
      message: "stand-in answered with an error (overloaded_error): busy",
    });
  });

  test("a stream of the wrong type is a stream", async () => {
    const { ending } = await heard(streams(answer, [1, 3, 5], { "content-type": "text/plain" }), { wire });
    expect(ending.type).toBe("end");
  });

  test("a redirect is not followed", async () => {
    const elsewhere = await StandIn.start(streams(answer));
    const failure = await failureOf(answers(307, "", { location: `${elsewhere.url}/v1/messages?token=1` }), {
      wire,
    });
    expect(failure).toMatchObject({ kind: "http", status: 307 });
    expect(failure.message).toContain(`a redirect to ${elsewhere.url}, which is not followed`);
    expect(failure.message).not.toContain("token");
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });

  test("a refusal keeps its structure, but no cookie and no key", async () => {
    const body = {
      type: "error",
      error: { type: "authentication_error", message: `bad key ${CANARY}, sk-ab***9xyz` },
    };
    const headers = { "request-id": "req_1", "set-cookie": "a=b", "x-echo": CANARY };
    const failure = await failureOf(answers(401, body, headers), { wire });
    expect(failure).toMatchObject({
      kind: "http",
      status: 401,
      type: "authentication_error",
      requestId: "req_1",
      message: "stand-in answered 401 (authentication_error): bad key [secret], [secret]",
    });
    expect(failure.headers).toMatchObject({ "x-echo": "[secret]" });
    expect(failure.headers).not.toHaveProperty("set-cookie");
  });

  test("a refusal without reason, with a huge one, and with half of one", async () => {
    expect(await failureOf(answers(503, ""), { wire })).toMatchObject({ status: 503, kind: "http" });
    await standIn?.close();
    const huge = await failureOf(answers(500, "y".repeat(5_000_000)), { wire });
    expect(huge.receivedBytes).toBe(0);
    await standIn?.close();
    const half: Play = async (turn) => {
      turn.response.writeHead(529, { "content-type": "application/json", "content-length": "1000" });
      await says('{"error": {"type":', resets)(turn);
    };
    expect(await failureOf(half, { wire })).toMatchObject({ kind: "http", status: 529 });
  });

  test("a no costs nothing, however long: what is counted as heard is an answer", async () => {
    const error = { error: { type: "overloaded_error", message: "z".repeat(9_000) } };
    for (const play of [
      answers(502, "<html>"),
      answers(429, error),
      answers(302, "moved"),
      answers(200, error),
    ]) {
      expect(await failureOf(play, { wire })).toMatchObject({ kind: "http", receivedBytes: 0 });
      await standIn?.close();
    }
    // A server that does not stream has done the work, and may bill it.
    const whole = await failureOf(answers(200, { content: "Hello" }), { wire });
    expect(whole.receivedBytes).toBe(JSON.stringify({ content: "Hello" }).length);
    await standIn?.close();
    // A stream that only began has an answer of no words yet: what was sent may be billed.
    const begun = await failureOf(streamsThen(": ping\n\n", ends), { wire });
    expect(begun.receivedBytes).toBe(1);
  });

  test("nobody there, no such host, and no TLS there", async () => {
    const port = await closedPort();
    const { ending } = await ask(modelAt(`http://127.0.0.1:${port}`, { wire }));
    expect(ending).toMatchObject({ failure: { kind: "connection", type: "ECONNREFUSED" } });
    const nowhere = await ask(modelAt("http://no-such..host", { wire }));
    expect(nowhere.ending).toMatchObject({ failure: { kind: "connection", type: "ENOTFOUND" } });
    standIn = await StandIn.start(streams(answer));
    const { ending: plain } = await ask(modelAt(`https://127.0.0.1:${standIn.port}`, { wire }));
    expect(plain).toMatchObject({ failure: { kind: "connection" } });
  });

  test("a tool's block is there before the stream goes on", async () => {
    const call = { id: "x", name: "ls", json: '{"path":"."}' };
    const first =
      wire === "anthropic"
        ? anthropic.start() + anthropic.call(0, call)
        : openai.start() + openai.call(0, call);
    const rest = wire === "anthropic" ? anthropic.stop("tool_use") : openai.stop("tool_calls");
    let arrived: () => void = () => {};
    const block = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    // The server says no more until the block was handed over: if it were held back, this would stall.
    standIn = await StandIn.start(streamsThen(first, after(block, says(rest, ends))));
    const ending = await modelAt(standIn.url, { wire }).ask(
      requestOf(),
      () => arrived(),
      new AbortController().signal,
    );
    expect(ending).toMatchObject({ type: "end", stop: "tool_use" });
  });
});

describe("how long to wait", () => {
  const NOW = Date.parse("2026-11-15T12:00:00Z");
  test.each([
    ["retry-after-ms", { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    ["seconds", { "retry-after": "7" }, 7000],
    ["a part of a second", { "retry-after": "0.25" }, 250],
    ["a date", { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
    ["a date that has passed", { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, undefined],
    ["less than nothing", { "retry-after": "-5" }, undefined],
    ["nonsense", { "retry-after": "soon" }, undefined],
    ["nothing", {}, undefined],
    ["a reset by date", { "anthropic-ratelimit-requests-reset": "2026-11-15T12:00:12Z" }, 12_000],
    [
      "a reset by duration",
      { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" },
      360_000,
    ],
    [
      "the budget that is used up",
      {
        "x-ratelimit-reset-requests": "20ms",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "5000",
      },
      20,
    ],
  ])("%s", async (_, headers, expected) => {
    const failure = await failureOf(answers(429, { error: { message: "slow down" } }, headers), { now: NOW });
    expect(failure.status).toBe(429);
    expect(failure.retryAfterMs).toBe(expected);
    expect(failure.retryAfterSource === undefined).toBe(expected === undefined);
  });
});

test.each<[string, number, object, object]>([
  [
    "money",
    429,
    {
      error: {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    },
    { type: "insufficient_quota", category: "quota" },
  ],
  [
    "money by a finer name",
    429,
    { error: { message: "empty", type: "insufficient_quota", code: "brand_new" } },
    { type: "brand_new", typeFamily: "insufficient_quota", category: "quota" },
  ],
  [
    "a context that is too long",
    400,
    { error: { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" } },
    { type: "context_length_exceeded", typeFamily: "invalid_request_error", category: "context_overflow" },
  ],
  [
    "a number as code, in words",
    429,
    { error: { message: "slow", type: "throttling_error", code: "429" } },
    { type: "throttling_error", category: "rate_limited" },
  ],
  [
    "Google's list",
    429,
    [{ error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } }],
    { type: "RESOURCE_EXHAUSTED", category: "rate_limited" },
  ],
  [
    "a 404 that may pass",
    404,
    { error: { message: "hm", type: "invalid_request_error" } },
    { category: "transient" },
  ],
  [
    "an unknown model",
    404,
    { error: { message: "no", type: "invalid_request_error", code: "model_not_found" } },
    { category: "permanent" },
  ],
])(
  "OpenAI's wire, told apart: %s",
  async (_, status, body, { category, ...expected }: { category?: string }) => {
    const failure = await failureOf(answers(status, body), { wire: "openai" });
    expect(failure).toMatchObject({ status, protocol: "openai", ...expected });
    expect(classify(failure).category).toBe(category);
  },
);

test("an error in the middle of a stream has the status it would have had", async () => {
  const overloaded = anthropic.event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
  const { ending, blocks } = await heard(streams(anthropic.start() + anthropic.text(0, "Hi") + overloaded));
  expect(blocks).toHaveLength(1);
  expect(ending).toMatchObject({
    failure: {
      kind: "http",
      type: "overloaded_error",
      status: 529,
      message: expect.stringContaining("Overloaded"),
    },
    usage: { input: 25, cache_read: 7, cache_write: 3, estimated: true },
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
