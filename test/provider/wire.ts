// Streams as the two providers send them.

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

const PIECE = 7;

function pieces(text: string, size = PIECE): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

export const anthropic = {
  event: (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,

  start: (
    usage: object = {
      input_tokens: 25,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 3,
      output_tokens: 1,
    },
  ) =>
    anthropic.event("message_start", {
      message: {
        id: "msg_01",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    }),

  block: (index: number, content_block: object, deltas: readonly object[]) =>
    [
      anthropic.event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => anthropic.event("content_block_delta", { index, delta })),
      anthropic.event("content_block_stop", { index }),
    ].join(""),

  text: (index: number, text: string) =>
    anthropic.block(
      index,
      { type: "text", text: "" },
      pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
    ),

  thinking: (index: number, thinking: string, signature: string) =>
    anthropic.block(index, { type: "thinking", thinking: "", signature: "" }, [
      ...pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature },
    ]),

  redacted: (index: number, data: string) => anthropic.block(index, { type: "redacted_thinking", data }, []),

  call: (index: number, { id, name, json }: WireCall) =>
    anthropic.block(
      index,
      { type: "tool_use", id, name, input: {} },
      ["", ...pieces(json)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ),

  ping: () => anthropic.event("ping", {}),

  stop: (stop_reason: string, usage: object = { output_tokens: 42 }) =>
    anthropic.event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }) +
    anthropic.event("message_stop", {}),

  /** Text, then calls. */
  answer: (text: string, calls: readonly WireCall[] = []) =>
    anthropic.start() +
    anthropic.text(0, text) +
    calls.map((call, at) => anthropic.call(at + 1, call)).join("") +
    anthropic.stop(calls.length > 0 ? "tool_use" : "end_turn"),
};

export const openai = {
  data: (value: object | string): string =>
    `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`,

  chunk: (delta: object, finish_reason: string | null = null, more: object = {}) =>
    openai.data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "gpt-4.1",
      choices: [{ index: 0, delta, finish_reason, logprobs: null }],
      usage: null,
      ...more,
    }),

  start: () => openai.chunk({ role: "assistant", content: "", refusal: null }),

  text: (text: string) =>
    pieces(text)
      .map((content) => openai.chunk({ content }))
      .join(""),

  call: (index: number, { id, name, json }: WireCall) =>
    openai.chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }) +
    pieces(json)
      .map((piece) => openai.chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
      .join(""),

  /** A call in one piece, as Ollama sends it. */
  wholeCall: (entry: object) => openai.chunk({ tool_calls: [entry] }),

  usage: (
    usage: object = {
      prompt_tokens: 35,
      completion_tokens: 42,
      total_tokens: 77,
      prompt_tokens_details: { cached_tokens: 7 },
    },
  ) =>
    openai.data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "gpt-4.1",
      choices: [],
      usage,
    }),

  stop: (finish_reason: string) => openai.chunk({}, finish_reason) + openai.usage() + openai.data("[DONE]"),

  answer: (text: string, calls: readonly WireCall[] = []) =>
    openai.start() +
    openai.text(text) +
    calls.map((call, at) => openai.call(at, call)).join("") +
    openai.stop(calls.length > 0 ? "tool_calls" : "stop"),
};
