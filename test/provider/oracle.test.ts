// The official SDKs as oracles: the same stream, cut at the same places, means the same to them and to us.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawBlock, Usage } from "../../src/core/message.ts";
import { ask, modelAt, type Wire } from "./asking.ts";
import { answers, StandIn, streams } from "./stand-in.ts";
import { anthropic, openai } from "./wire.ts";

interface Understood {
  readonly blocks: readonly RawBlock[];
  readonly stop: string;
  readonly usage: Usage | undefined;
}

const SMALL: Record<Wire, string> = {
  anthropic:
    anthropic.start({ input_tokens: 2, output_tokens: 1 }) +
    anthropic.text(0, "ü🎉\n") +
    anthropic.call(1, { id: "a", name: "ls", json: '{"p":"é\\"}"}' }) +
    anthropic.stop("tool_use"),
  openai:
    openai.chunk({ role: "assistant", content: "ü🎉\n" }) +
    openai.chunk({
      tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "ls", arguments: '{"p":"é' } }],
    }) +
    openai.chunk({ tool_calls: [{ index: 0, function: { arguments: '\\"}"}' } }] }) +
    openai.stop("tool_calls"),
};

const CALLS = [
  {
    id: "call_a",
    name: "read",
    json: '{"path":"src/a b.ts","lines":[1,2,{"deep":"\\\\ \\" } ]"}],"none":null}',
  },
  { id: "call_b", name: "bash", json: '{ "command" : "echo \\u00fc\\ud83c\\udf89 | cat" }' },
  { id: "call_c", name: "ls", json: "{}" },
];
const PROSE = "First I look – „größer“ 🎉, then:\r\n\tdata: not an event\n\nevent: neither.";

const FIXTURES: readonly { name: string; wire: Wire; stream: string }[] = [
  { name: "text", wire: "anthropic", stream: anthropic.answer(PROSE) },
  { name: "text and three calls", wire: "anthropic", stream: anthropic.answer(PROSE, CALLS) },
  {
    name: "reasoning, with comments and CRLF",
    wire: "anthropic",
    stream: (
      `: hello\n\n${anthropic.start()}` +
      anthropic.thinking(0, "Let me think about „it“.", "RXFRQkNn") +
      anthropic.redacted(1, "RW1JS2Vt") +
      anthropic.ping() +
      anthropic.text(2, "Done.") +
      anthropic.stop("max_tokens", { output_tokens: 11, input_tokens: 30, cache_read_input_tokens: 4 })
    ).replaceAll("\n", "\r\n"),
  },
  { name: "text", wire: "openai", stream: openai.answer(PROSE) },
  { name: "text and three calls", wire: "openai", stream: openai.answer(PROSE, CALLS) },
  {
    name: "a refusal, with CRLF",
    wire: "openai",
    stream: (
      openai.start() +
      openai.chunk({ refusal: "I cannot help with that." }) +
      openai.stop("stop")
    ).replaceAll("\n", "\r\n"),
  },
  {
    name: "an answer that hit its cap",
    wire: "openai",
    stream: openai.start() + openai.text("Once upon") + openai.stop("length"),
  },
];

let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.close());

async function ours(wire: Wire, stream: string, cuts: readonly number[]): Promise<Understood> {
  standIn.will(streams(stream, cuts));
  const { ending, blocks } = await ask(modelAt(standIn.url, { wire, options: {} }));
  if (ending.type !== "end") throw new Error(JSON.stringify(ending));
  return { blocks, stop: ending.stop, usage: ending.usage };
}

describe.each(FIXTURES)("$wire: $name", ({ wire, stream }) => {
  test("means the same, whole", async () => {
    expect(await ours(wire, stream, [])).toEqual(await theirs(wire, stream, []));
  });

  test("means the same, cut at every event and in the middle of every event", async () => {
    const ends = [...stream.matchAll(/\n\r?\n/g)].map(({ index }) =>
      Buffer.byteLength(stream.slice(0, index + 1)),
    );
    const cuts = ends.flatMap((end, at) => [Math.floor(((ends[at - 1] ?? 0) + end) / 2), end]);
    expect(await ours(wire, stream, cuts)).toEqual(await theirs(wire, stream, cuts));
  });

  test("means the same, byte by byte", async () => {
    const cuts = Array.from({ length: Buffer.byteLength(stream) - 1 }, (_, index) => index + 1);
    expect(await ours(wire, stream, cuts)).toEqual(await theirs(wire, stream, cuts));
  });
});

test.each(["anthropic", "openai"] as const)(
  "%s: a small stream means the same, cut in two at any byte",
  async (wire) => {
    const stream = SMALL[wire];
    const whole = await theirs(wire, stream, []);
    expect(whole.blocks).toHaveLength(2);
    for (let cut = 1; cut < Buffer.byteLength(stream); cut += 1) {
      expect(await ours(wire, stream, [cut]), `cut at ${cut}`).toEqual(whole);
      if (cut % 10 === 0) expect(await theirs(wire, stream, [cut])).toEqual(whole);
    }
  },
);

test("a refusal is as structured as theirs", async () => {
  const body = { type: "error", error: { type: "rate_limit_error", message: "slow" }, request_id: "req_9" };
  const headers = { "request-id": "req_9", "retry-after": "3" };
  standIn.will(answers(429, body, headers), answers(429, body, headers));
  const { ending } = await ask(modelAt(standIn.url));
  const client = new Anthropic({ apiKey: "k", baseURL: standIn.url, maxRetries: 0 });
  const error = await client.messages
    .create({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "x" }] })
    .then(
      () => undefined,
      (cause: unknown) => cause,
    );
  if (!(error instanceof Anthropic.RateLimitError) || ending.type !== "failure")
    throw new Error("no refusal");
  expect(ending.failure).toMatchObject({
    status: error.status,
    type: error.type,
    requestId: error.requestID,
  });
  expect(ending.failure.headers?.["retry-after"]).toBe(error.headers.get("retry-after"));
});

function theirs(wire: Wire, stream: string, cuts: readonly number[]): Promise<Understood> {
  return wire === "anthropic" ? byAnthropic(stream, cuts) : byOpenAi(stream, cuts);
}

function fetchOf(stream: string, cuts: readonly number[]) {
  const bytes = Buffer.from(stream);
  const pieces = [...cuts, bytes.length].map((cut, at) => bytes.subarray(cuts[at - 1] ?? 0, cut));
  const body = () =>
    new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(new Uint8Array(piece));
        else controller.close();
      },
    });
  return async () => new Response(body(), { status: 200, headers: { "content-type": "text/event-stream" } });
}

async function byAnthropic(stream: string, cuts: readonly number[]): Promise<Understood> {
  const client = new Anthropic({ apiKey: "k", maxRetries: 0, fetch: fetchOf(stream, cuts) });
  const messages = [{ role: "user" as const, content: "x" }];
  const message = await client.messages.stream({ model: "m", max_tokens: 1, messages }).finalMessage();
  const blocks = message.content.map((block): RawBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "tool_use") return { type: "call", tool: block.name, input: block.input };
    if (block.type === "thinking")
      return { type: "reasoning", text: block.thinking, signature: block.signature };
    if (block.type === "redacted_thinking") return { type: "reasoning", text: "", data: block.data };
    throw new Error(`unexpected ${block.type}`);
  });
  const { input_tokens: input, output_tokens: output } = message.usage;
  const cache_read = message.usage.cache_read_input_tokens ?? 0;
  const cache_write = message.usage.cache_creation_input_tokens ?? 0;
  return { blocks, stop: message.stop_reason ?? "", usage: { input, cache_read, cache_write, output } };
}

async function byOpenAi(stream: string, cuts: readonly number[]): Promise<Understood> {
  const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: fetchOf(stream, cuts) });
  const runner = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "x" }] });
  const completion = await runner.finalChatCompletion();
  const [choice] = completion.choices;
  if (!choice) throw new Error("no choice");
  const said = [choice.message.content, choice.message.refusal].flatMap((text) => (text ? [text] : []));
  const calls = (choice.message.tool_calls ?? []).map((call): RawBlock => {
    if (call.type !== "function") throw new Error(`unexpected ${call.type}`);
    return { type: "call", tool: call.function.name, input: JSON.parse(call.function.arguments) };
  });
  const cache_read = completion.usage?.prompt_tokens_details?.cached_tokens ?? 0;
  const { prompt_tokens = 0, completion_tokens: output = 0 } = completion.usage ?? {};
  const stops = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" } as Record<string, string>;
  return {
    blocks: [...said.map((text): RawBlock => ({ type: "text", text })), ...calls],
    stop: choice.message.refusal ? "refusal" : (stops[choice.finish_reason ?? ""] ?? ""),
    usage: { input: prompt_tokens - cache_read, cache_read, cache_write: 0, output },
  };
}
