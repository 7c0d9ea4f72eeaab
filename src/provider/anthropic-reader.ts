/** Anthropic's stream: blocks open, grow and close; the one that closed is handed on at once. */
import type { RawBlock, Usage } from "../core/message.ts";
import type { ModelEvent } from "../core/model.ts";
import { callBlock } from "./arguments.ts";
import { errorIn, isObject, parseJson } from "./provider-error.ts";
import { estimatedTokens, type StreamEnd, type StreamReader, tokenCount } from "./stream-reader.ts";

type Fields = Readonly<Record<string, unknown>>;

interface OpenBlock {
  readonly start: Fields;
  text: string;
  signature: string;
}

const BUCKETS = {
  input: "input_tokens",
  cache_read: "cache_read_input_tokens",
  cache_write: "cache_creation_input_tokens",
  output: "output_tokens",
} as const;

export class AnthropicReader implements StreamReader {
  readonly #on: (event: ModelEvent) => void;
  readonly #open = new Map<unknown, OpenBlock>();
  /** The last that was reported; later reports are totals, not additions. */
  #reported: Fields | undefined;
  #stop = "end_turn";
  #characters = 0;

  constructor(on: (event: ModelEvent) => void) {
    this.#on = on;
  }

  take(data: string, event: string | undefined): StreamEnd | undefined {
    const value = parseJson(data);
    const error = errorIn(value);
    if (error || event === "error") return { type: "error", error: error ?? { message: data } };
    if (!isObject(value)) return { type: "garbled", why: "an event is not a JSON object" };
    switch (value["type"]) {
      case "message_start":
        this.#report(fields(value["message"])["usage"]);
        return undefined;
      case "content_block_start":
        this.#begin(value["index"], fields(value["content_block"]));
        return undefined;
      case "content_block_delta":
        this.#grow(value["index"], fields(value["delta"]));
        return undefined;
      case "content_block_stop":
        this.#finish(value["index"]);
        return undefined;
      case "message_delta":
        this.#stop = text(fields(value["delta"])["stop_reason"]) || this.#stop;
        this.#report(value["usage"]);
        return undefined;
      case "message_stop":
        return this.#end();
      default:
        // `ping`, and what is yet to be invented.
        return undefined;
    }
  }

  close(): StreamEnd | undefined {
    return undefined;
  }

  heard(): number {
    return this.#characters;
  }

  usage(): Usage | undefined {
    const usage = this.#usage();
    if (!usage) return undefined;
    const output = Math.max(usage.output, estimatedTokens(this.#characters));
    return { ...usage, output, estimated: true };
  }

  #begin(index: unknown, start: Fields): void {
    this.#open.set(index, { start, text: "", signature: text(start["signature"]) });
    const opening = text(start["text"]) || text(start["thinking"]);
    if (opening !== "") this.#grow(index, { text: opening });
  }

  #grow(index: unknown, delta: Fields): void {
    const block = this.#open.get(index);
    if (!block) return;
    block.signature += text(delta["signature"]);
    const more = text(delta["text"]) || text(delta["partial_json"]) || text(delta["thinking"]);
    block.text += more;
    this.#characters += more.length;
    if (block.start["type"] === "text" && more !== "") this.#on({ type: "text_delta", text: more });
  }

  #finish(index: unknown): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    const block = open && closed(open);
    if (block) this.#on({ type: "block", block });
  }

  /** A block that nobody closed ends with the message. */
  #end(): StreamEnd {
    for (const index of [...this.#open.keys()]) this.#finish(index);
    const usage = this.#usage();
    return { type: "end", stop: this.#stop, ...(usage ? { usage } : {}) };
  }

  #report(usage: unknown): void {
    const told = Object.entries(fields(usage)).filter(([, count]) => count !== null);
    if (told.length > 0) this.#reported = { ...this.#reported, ...Object.fromEntries(told) };
  }

  #usage(): Usage | undefined {
    const reported = this.#reported;
    if (!reported) return undefined;
    const count = (bucket: keyof typeof BUCKETS, unsaid?: number) =>
      tokenCount(reported[BUCKETS[bucket]] ?? unsaid);
    const [input, cache_read, cache_write, output] = [
      count("input"),
      count("cache_read", 0),
      count("cache_write", 0),
      count("output"),
    ];
    // What was sent cannot be guessed from here; left out, or a nonsense, it counts as if nobody had reported anything.
    if (input === undefined || cache_read === undefined || cache_write === undefined) return undefined;
    if (output !== undefined) return { input, cache_read, cache_write, output };
    return { input, cache_read, cache_write, output: estimatedTokens(this.#characters), estimated: true };
  }
}

/** Undefined: a kind of block that we never asked for. */
function closed({ start, text: said, signature }: OpenBlock): RawBlock | undefined {
  switch (start["type"]) {
    case "text":
      return said === "" ? undefined : { type: "text", text: said };
    case "thinking":
      if (said === "" && signature === "") return undefined;
      return { type: "reasoning", text: said, ...(signature === "" ? {} : { signature }) };
    case "redacted_thinking":
      return { type: "reasoning", text: "", data: text(start["data"]) };
    case "tool_use":
      // Some servers send the whole input with the start, and nothing after it.
      return said === "" && isObject(start["input"])
        ? { type: "call", tool: text(start["name"]), input: start["input"] }
        : callBlock(text(start["name"]), said);
    default:
      return undefined;
  }
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
