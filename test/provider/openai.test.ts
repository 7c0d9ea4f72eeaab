// The wire of chat completions, with the habits of the servers that speak it.
import { afterEach, describe, expect, test } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import type { Message } from "../../src/core/message.ts";
import type { ProviderEntry } from "../../src/core/provider.ts";
import { ask, CANARY, logOf, modelAt, requestOf } from "./asking.ts";
import { StandIn, streams } from "./stand-in.ts";
import { openai } from "./wire.ts";

let standIn: StandIn;
afterEach(() => standIn.close());

async function heard(stream: string) {
  standIn = await StandIn.start(streams(stream));
  return ask(modelAt(standIn.url, { wire: "openai" }));
}

async function sent(messages: Message[], options: ProviderEntry = {}) {
  standIn = await StandIn.start(streams(openai.answer("ok")));
  await ask(modelAt(standIn.url, { wire: "openai", options }), requestOf(logOf(...messages)));
  return standIn.seen[0]!;
}

const call = (tool: string, input: unknown) => ({ type: "call", tool, input });
const fn = (name: string, args: unknown, more: object = {}) => ({
  ...more,
  function: { name, arguments: args },
});

describe("a request", () => {
  const callId = "call_1" as CallId;
  const conversation: Message[] = [
    { role: "user", text: "do" },
    {
      role: "assistant",
      blocks: [
        { type: "reasoning", text: "Hm" },
        { type: "text", text: "I look." },
        { type: "call", call_id: callId, tool: "ls", input: { path: "." } },
      ],
    },
    { role: "tool", results: [{ call_id: callId, tool: "ls", status: "error", output: "gone" }] },
    { role: "assistant", blocks: [] },
    { role: "user", text: "go on" },
  ];

  test("has the key in its header, the messages last, and asks for usage", async () => {
    const { path, headers, body } = await sent(conversation);
    expect(path).toBe("/v1/chat/completions");
    expect(headers.authorization).toBe(`Bearer ${CANARY}`);
    expect(Object.keys(body).at(-1)).toBe("messages");
    const fields = {
      model: "some-model",
      max_tokens: 1000,
      stream: true,
      stream_options: { include_usage: true },
    };
    expect(body).toMatchObject(fields);
    expect(body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "do" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "ls", arguments: '{"path":"."}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "[error] gone" },
      { role: "user", content: "go on" },
    ]);
  });

  test("says a call by execute as the model said it", async () => {
    const input = { directive: "plan", inputs: {} };
    const said = {
      type: "call",
      call_id: callId,
      tool: "thread_tool",
      input,
      executes: "directive",
    } as const;
    const results = [{ call_id: callId, tool: "thread_tool", status: "ok" as const, output: "{}" }];
    const { body } = await sent([
      { role: "user", text: "do" },
      { role: "assistant", blocks: [said] },
      { role: "tool", results },
    ]);
    const [{ function: called }] = body.messages[2].tool_calls;
    expect([called.name, JSON.parse(called.arguments)]).toEqual([
      "execute",
      { item_type: "directive", item_id: "plan", parameters: {} },
    ]);
  });

  test("follows the options of the declaration", async () => {
    const { body } = await sent(conversation, {
      max_tokens_field: "max_completion_tokens",
      stream_usage: false,
      reasoning_field: "reasoning_content",
    });
    expect(body).toMatchObject({ max_completion_tokens: 1000 });
    expect(body).not.toHaveProperty("stream_options");
    expect(body).not.toHaveProperty("max_tokens");
    expect(body.messages[2].reasoning_content).toBe("Hm");
  });
});

describe("calls", () => {
  const bodies = (...entries: object[]) =>
    openai.start() + entries.map(openai.wholeCall).join("") + openai.stop("tool_calls");

  test.each<[string, object[], object[]]>([
    [
      "with index 0 for every one",
      [fn("ls", "{}", { index: 0, id: "a" }), fn("pwd", '{"x":1}', { index: 0, id: "b" })],
      [call("ls", {}), call("pwd", { x: 1 })],
    ],
    [
      "with index 0 and without ids",
      [fn("ls", "{}", { index: 0, id: "" }), fn("ls", '{"x":1}', { index: 0 }), fn("pwd", "", { index: 0 })],
      [call("ls", {}), call("ls", { x: 1 }), call("pwd", {})],
    ],
    [
      "with the same id twice",
      [fn("ls", '{"x":1}', { index: 0, id: "a" }), fn("ls", '{"x":2}', { index: 0, id: "a" })],
      [call("ls", { x: 1 }), call("ls", { x: 2 })],
    ],
    [
      "with the same id at two places",
      [fn("ls", '{"x":1}', { index: 0, id: "a" }), fn("ls", '{"x":1}', { index: 1, id: "a" })],
      [call("ls", { x: 1 }), call("ls", { x: 1 })],
    ],
    ["with arguments as an object", [fn("ls", { x: [1] }, { index: 0, id: "a" })], [call("ls", { x: [1] })]],
    [
      "without arguments",
      [fn("ls", null, { index: 0, id: "a" }), fn("pwd", "", { index: 1 })],
      [call("ls", {}), call("pwd", {})],
    ],
    [
      "without an index",
      [fn("ls", "{}", { id: "a" }), fn("pwd", "{}", { id: "b" })],
      [call("ls", {}), call("pwd", {})],
    ],
    [
      "in pieces whose id and name are repeated",
      [
        fn("ls", '{"x"', { index: 0, id: "a" }),
        fn("ls", ":1}", { index: 0, id: "a" }),
        fn("ls", "", { index: 0, id: "a" }),
      ],
      [call("ls", { x: 1 })],
    ],
    [
      "cut short by the next one with another id",
      [fn("ls", '{"x"', { index: 0, id: "a" }), fn("pwd", "{}", { index: 0, id: "b" })],
      [{ ...call("ls", '{"x"'), inputError: expect.stringContaining("not JSON") }, call("pwd", {})],
    ],
    [
      "whose pieces are mixed",
      [
        fn("a", '{"x"', { index: 0, id: "a" }),
        fn("b", '{"y"', { index: 1, id: "b" }),
        fn("", ":1}", { index: 0 }),
        fn("", ":2}", { index: 1 }),
      ],
      [call("a", { x: 1 }), call("b", { y: 2 })],
    ],
    [
      "whose id comes late",
      [fn("ls", "", { index: 0 }), fn("", "{}", { index: 0, id: "a" })],
      [call("ls", {})],
    ],
    [
      "with something behind the end",
      [fn("ls", '{"x":1}}  ', { index: 0, id: "a" })],
      [call("ls", { x: 1 })],
    ],
    ["that are no objects", [fn("ls", '"text"', { index: 0, id: "a" })], [call("ls", "text")]],
    ["that are nothing", [{}, { index: 0 }, { index: 1, function: {} }], []],
  ])("%s", async (_, entries, expected) => {
    const { blocks, ending } = await heard(bodies(...entries));
    expect(blocks).toEqual(expected);
    expect(ending).toMatchObject({ type: "end", stop: "tool_use" });
  });

  test("come after the text that stands before them", async () => {
    const { blocks } = await heard(
      openai.answer("Both:", [
        { id: "a", name: "ls", json: '{"path":"{\\"}"}' },
        { id: "b", name: "pwd", json: "{}" },
      ]),
    );
    expect(blocks).toEqual([{ type: "text", text: "Both:" }, call("ls", { path: '{"}' }), call("pwd", {})]);
  });
});

describe("an answer", () => {
  test.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["something_new", "something_new"],
  ])("that stops with %s", async (finish, stop) => {
    const { ending } = await heard(openai.start() + openai.text("Hi") + openai.stop(finish));
    expect(ending).toEqual({
      type: "end",
      stop,
      usage: { input: 28, cache_read: 7, cache_write: 0, output: 42 },
    });
  });

  test("that says stop and calls all the same is a call", async () => {
    const entry = fn("ls", "{}", { index: 0, id: "a" });
    const { ending } = await heard(openai.start() + openai.wholeCall(entry) + openai.stop("stop"));
    expect(ending).toMatchObject({ stop: "tool_use" });
  });

  test("without its last line is whole if it said why it stopped", async () => {
    const { ending, blocks } = await heard(openai.start() + openai.text("Hi") + openai.chunk({}, "stop"));
    expect(ending).toEqual({ type: "end", stop: "end_turn" });
    expect(blocks).toHaveLength(1);
  });

  test("without a reason is whole if it has its last line, and is not if it has nothing", async () => {
    const { ending } = await heard(openai.start() + openai.text("Hi") + openai.data("[DONE]"));
    expect(ending).toEqual({ type: "end", stop: "end_turn" });
    await standIn.close();
    expect((await heard(openai.data("[DONE]"))).ending).toMatchObject({ failure: { kind: "stream_cut" } });
  });

  test("whose last line has no end is whole", async () => {
    const { ending } = await heard(openai.answer("Hi").trimEnd());
    expect(ending).toMatchObject({ type: "end", usage: { output: 42 } });
  });

  test("with reasoning beside it has both", async () => {
    const { blocks, deltas } = await heard(
      openai.chunk({ reasoning_content: "Let " }) +
        openai.chunk({ reasoning: "me" }) +
        openai.text("Done") +
        openai.stop("stop"),
    );
    expect(blocks).toEqual([
      { type: "reasoning", text: "Let me" },
      { type: "text", text: "Done" },
    ]);
    expect(deltas).toBe("Done");
  });

  test("that refuses says so", async () => {
    const { blocks, ending } = await heard(
      openai.start() + openai.chunk({ refusal: "I won't." }) + openai.stop("stop"),
    );
    expect(blocks).toEqual([{ type: "text", text: "I won't." }]);
    expect(ending).toMatchObject({ stop: "refusal" });
  });

  test.each([
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { input: 10, cache_read: 0, output: 5 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null },
      { input: 10, output: 5 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 99 } },
      { input: 0, cache_read: 10, estimated: true },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 4 },
      },
      { input: 3, cache_read: 3, cache_write: 4, output: 5 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 7 },
      },
      { input: 0, cache_read: 6, cache_write: 4, estimated: true },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 1.5 },
      { input: 10, output: 1, estimated: true },
    ],
    // As good as none: what was held is charged, not nothing.
    [{ prompt_tokens: "10", completion_tokens: 5 }, undefined],
  ])("reports usage %j", async (usage, expected) => {
    const { ending } = await heard(
      openai.text("Hi") + openai.chunk({}, "stop") + openai.usage(usage) + openai.data("[DONE]"),
    );
    if (expected) expect(ending.usage).toMatchObject(expected);
    else expect(ending.usage).toBeUndefined();
  });

  test.each([
    [
      "an object",
      { error: { message: "no", type: "server_error", code: null } },
      { type: "server_error", status: 500 },
    ],
    [
      "a code in words",
      { error: { message: "no", type: "tokens", code: "rate_limit_exceeded" } },
      { type: "rate_limit_exceeded", status: 429 },
    ],
    ["a code in numbers", { error: { message: "no", code: 502 } }, { status: 502 }],
    ["bare words", { error: "no" }, {}],
    [
      "a server's own shape",
      { object: "error", message: "no", type: "BadRequestError", code: 400 },
      { status: 400, type: "BadRequestError" },
    ],
  ])("with an error inside: %s", async (_, value, expected) => {
    const { ending } = await heard(openai.start() + openai.text("Hi") + openai.data(value));
    expect(ending).toMatchObject({
      failure: { kind: "http", message: expect.stringMatching(/: no$/), ...expected },
    });
  });

  test("with an error in a field of that name", async () => {
    const { ending } = await heard(`${openai.text("Hi")}error: {"code":503,"message":"Loading model"}\n\n`);
    expect(ending).toMatchObject({ failure: { kind: "http", status: 503 } });
  });
});
