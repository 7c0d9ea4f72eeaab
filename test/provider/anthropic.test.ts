// Anthropic's wire: what is sent, and what is made of what comes.
import { afterEach, describe, expect, test } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import { append } from "../../src/core/log.ts";
import type { Block, Message } from "../../src/core/message.ts";
import type { ProviderEntry } from "../../src/core/provider.ts";
import { ask, CANARY, logOf, modelAt, requestOf } from "./asking.ts";
import { StandIn, streams } from "./stand-in.ts";
import { anthropic } from "./wire.ts";

let standIn: StandIn;
afterEach(() => standIn.close());

async function heard(stream: string, options?: ProviderEntry) {
  standIn = await StandIn.start(streams(stream));
  return ask(modelAt(standIn.url, options ? { options } : {}));
}

async function sent(messages: Message[], options: ProviderEntry = {}) {
  standIn = await StandIn.start(streams(anthropic.answer("ok")));
  await ask(modelAt(standIn.url, { options }), requestOf(logOf(...messages)));
  return standIn.seen[0]!;
}

const callId = (id: string) => id as CallId;
const user = (text: string): Message => ({ role: "user", text });
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const call = (id: string, input: unknown = {}): Block => ({
  type: "call",
  call_id: callId(id),
  tool: "ls",
  input,
});
const result = (id: string, output: string, status: "ok" | "error" = "ok") => ({
  call_id: callId(id),
  tool: "ls",
  status,
  output,
});
const MARK = { cache_control: { type: "ephemeral" } };

describe("a request", () => {
  test("has the key in its header, the messages last, and the marks of the cache", async () => {
    standIn = await StandIn.start(streams(anthropic.answer("ok")));
    const tools = [{ name: "ls", description: "Lists.", input: { type: "object" } }];
    await ask(modelAt(standIn.url), { ...requestOf(), tools });
    const { path, headers, body, text } = standIn.seen[0]!;
    expect(path).toBe("/v1/messages");
    expect(headers).toMatchObject({ "x-api-key": CANARY, "anthropic-version": "2023-06-01" });
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect(Object.keys(body).at(-1)).toBe("messages");
    expect(body).toEqual({
      model: "some-model",
      max_tokens: 1000,
      stream: true,
      system: [{ type: "text", text: "Be brief.", ...MARK }],
      tools: [{ name: "ls", description: "Lists.", input_schema: { type: "object" } }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello", ...MARK }] }],
    });
  });

  test("goes out with the key that was asked for, and with the first where there is none of that number", async () => {
    standIn = await StandIn.start(streams(anthropic.answer("ok")));
    const model = modelAt(standIn.url, { environment: { STAND_IN_KEY_2: "second" } });
    expect(model.keys).toBe(2);
    for (const key of [0, 1, 2, -1]) await ask(model, { ...requestOf(), key });
    expect(standIn.seen.map(({ headers }) => headers["x-api-key"])).toEqual([
      CANARY,
      "second",
      CANARY,
      CANARY,
    ]);
  });

  test("alternates: results in one message, and what is said after them in the same", async () => {
    const { body } = await sent(
      [
        user("do"),
        assistant({ type: "text", text: "I look." }, call("call_1", { path: "." }), call("call_2")),
        { role: "tool", results: [result("call_1", "a\nb"), result("call_2", "no", "error")] },
        user("and hurry"),
      ],
      { prompt_cache: false },
    );
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "do" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "call_1", name: "ls", input: { path: "." } },
          { type: "tool_use", id: "call_2", name: "ls", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "a\nb" },
          { type: "tool_result", tool_use_id: "call_2", content: "no", is_error: true },
          { type: "text", text: "and hurry" },
        ],
      },
    ]);
  });

  test("says a call by execute as the model said it", async () => {
    const said = { ...call("call_1", { path: "." }), executes: "tool" } as Block;
    const { body } = await sent([
      user("do"),
      assistant(said),
      { role: "tool", results: [result("call_1", "a")] },
    ]);
    const input = { item_type: "tool", item_id: "ls", parameters: { path: "." } };
    expect(body.messages[1].content).toEqual([{ type: "tool_use", id: "call_1", name: "execute", input }]);
  });

  test("leaves out what the provider would refuse, and shows arguments that were none", async () => {
    const { body } = await sent(
      [
        user("do"),
        assistant(
          { type: "text", text: " \n" },
          { type: "reasoning", text: "unsigned" },
          call("call_1", '{"a":'),
        ),
        { role: "tool", results: [result("call_1", "not JSON", "error")] },
        assistant({ type: "text", text: "" }),
        user("go on"),
      ],
      { prompt_cache: false },
    );
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user"]);
    expect(body.messages[1].content).toEqual([
      { type: "tool_use", id: "call_1", name: "ls", input: { unreadable_arguments: '{"a":' } },
    ]);
  });

  test("gives reasoning back as it came", async () => {
    const thinking: Block = { type: "reasoning", text: "Hm", signature: "c2ln" };
    const redacted: Block = { type: "reasoning", text: "", data: "b3BhcXVl" };
    const { body } = await sent([
      user("do"),
      assistant(thinking, redacted, call("call_1")),
      { role: "tool", results: [result("call_1", "")] },
    ]);
    expect(body.messages[1].content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "Hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
    ]);
  });

  test("shows the model no more of a result than it should see, and has the fields of the declaration", async () => {
    const results = [result("call_1", "x".repeat(50_000))];
    const options = { body: { temperature: 0 } };
    const { body } = await sent([user("do"), assistant(call("call_1")), { role: "tool", results }], options);
    const { content } = body.messages[2].content[0];
    expect(content.length).toBeLessThan(31_000);
    expect(content).toContain("20000 characters left out");
    expect(body.temperature).toBe(0);
  });

  test("appends to what was sent, moves the mark, and knows an older conversation from a newer", async () => {
    standIn = await StandIn.start(...Array.from({ length: 4 }, () => streams(anthropic.answer("ok"))));
    const model = modelAt(standIn.url);
    const first = logOf(user("one – ü 🎉"));
    const second = append(append<Message>(first, assistant({ type: "text", text: "two" })), user("three"));
    const fork = append<Message>(
      append<Message>(first, assistant({ type: "text", text: "other" })),
      user("way"),
    );
    for (const log of [first, second, first, fork]) await ask(model, requestOf(log));
    const texts = standIn.seen.map(({ body }) =>
      body.messages.map(({ content }: { content: { text: string }[] }) => content[0]!.text).join(", "),
    );
    expect(texts).toEqual(["one – ü 🎉", "one – ü 🎉, two, three", "one – ü 🎉", "one – ü 🎉, other, way"]);
    const marks = standIn.seen.map(({ body }) => JSON.stringify(body.messages).match(/ephemeral/g)?.length);
    expect(marks).toEqual([1, 1, 1, 1]);
  });
});

describe("an answer", () => {
  test("of reasoning, text and calls comes block by block", async () => {
    const stream =
      anthropic.start() +
      anthropic.ping() +
      anthropic.thinking(0, "Let me see", "c2lnbmF0dXJl") +
      anthropic.redacted(1, "b3BhcXVl") +
      anthropic.text(2, "I look at „ü🎉“.") +
      anthropic.call(3, { id: "toolu_1", name: "ls", json: '{"path":"a b","deep":{"list":[1,"}"]}}' }) +
      anthropic.call(4, { id: "toolu_1", name: "pwd", json: "" }) +
      anthropic.stop("tool_use");
    const { blocks, ending, deltas } = await heard(stream);
    expect(blocks).toEqual([
      { type: "reasoning", text: "Let me see", signature: "c2lnbmF0dXJl" },
      { type: "reasoning", text: "", data: "b3BhcXVl" },
      { type: "text", text: "I look at „ü🎉“." },
      { type: "call", tool: "ls", input: { path: "a b", deep: { list: [1, "}"] } } },
      { type: "call", tool: "pwd", input: {} },
    ]);
    expect(deltas).toBe("I look at „ü🎉“.");
    expect(ending).toEqual({
      type: "end",
      stop: "tool_use",
      usage: { input: 25, cache_read: 7, cache_write: 3, output: 42 },
    });
  });

  test("with arguments that are no JSON keeps them and says why", async () => {
    const { blocks } = await heard(
      anthropic.answer("", [
        { id: "1", name: "ls", json: '{"path": "a' },
        { id: "2", name: "ls", json: `{"a":${"[".repeat(100_000)}` },
      ]),
    );
    expect(blocks).toMatchObject([
      {
        type: "call",
        input: '{"path": "a',
        inputError: expect.stringContaining("not JSON: Unterminated string"),
      },
      { type: "call", inputError: expect.stringContaining("nested deeper than") },
    ]);
  });

  test("whose input comes with the start, and whose blocks nobody closes, is whole", async () => {
    const start = { type: "tool_use", id: "1", name: "ls", input: { path: "." } };
    const { blocks, ending } = await heard(
      anthropic.start() +
        anthropic.event("content_block_start", { index: 0, content_block: start }) +
        anthropic.event("content_block_start", { index: 1, content_block: { type: "text", text: "Hi" } }) +
        anthropic.event("content_block_start", {
          index: 2,
          content_block: { type: "server_tool_use", id: "s" },
        }) +
        anthropic.stop("tool_use"),
    );
    expect(blocks).toEqual([
      { type: "call", tool: "ls", input: { path: "." } },
      { type: "text", text: "Hi" },
    ]);
    expect(ending.type).toBe("end");
  });

  test.each([
    ["none", undefined, undefined, undefined],
    [
      "later totals",
      { input_tokens: 5, output_tokens: 1 },
      { input_tokens: 6, output_tokens: 9 },
      { input: 6, output: 9 },
    ],
    [
      "nulls",
      { input_tokens: 5, cache_read_input_tokens: null, output_tokens: 1 },
      { output_tokens: 9 },
      { input: 5, cache_read: 0 },
    ],
    [
      "nonsense of what was answered",
      { input_tokens: 5, output_tokens: 1 },
      { output_tokens: "many" },
      { input: 5, output: 1, estimated: true },
    ],
    // As good as none: what was held is charged, not nothing.
    ["nothing of what was sent", undefined, { output_tokens: 9 }, undefined],
    ["nonsense of what was sent", { input_tokens: -3, output_tokens: 1 }, { output_tokens: 9 }, undefined],
    [
      "nonsense of the cache",
      { input_tokens: 3, cache_read_input_tokens: "x" },
      { output_tokens: 9 },
      undefined,
    ],
  ])("reports usage: %s", async (_, first, last, expected) => {
    const { ending } = await heard(
      anthropic.start(first ?? {}) + anthropic.text(0, "Hi") + anthropic.stop("end_turn", last ?? {}),
    );
    if (expected) expect(ending.usage).toMatchObject(expected);
    else expect(ending.usage).toBeUndefined();
  });

  test.each([
    ["rate_limit_error", 429],
    ["api_error", 500],
    ["invalid_request_error", 400],
    ["new_kind_of_error", undefined],
  ])("broken off with %s", async (type, status) => {
    const { ending } = await heard(
      anthropic.start() + anthropic.event("error", { error: { type, message: "no" } }),
    );
    expect(ending).toMatchObject({
      failure: { kind: "http", type, message: `stand-in broke off with ${type}: no` },
    });
    expect(ending.type === "failure" && ending.failure.status).toBe(status);
  });
});
