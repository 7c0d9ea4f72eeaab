/** The stream of a chat completion. */
import type { Usage } from "../core/message.ts";
import type { ModelEvent } from "../core/model.ts";
import { OpenAiCalls } from "./openai-calls.ts";
import { errorIn, isObject, parseJson } from "./provider-error.ts";
import { estimatedTokens, type StreamEnd, type StreamReader, tokenCount } from "./stream-reader.ts";

type Fields = Readonly<Record<string, unknown>>;
type Spoken = "text" | "reasoning";

const STOPS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

export class OpenAiReader implements StreamReader {
  readonly #on: (event: ModelEvent) => void;
  readonly #calls: OpenAiCalls;
  #spoken: { readonly type: Spoken; text: string } | undefined;
  #finish: string | undefined;
  #refused = false;
  #reported: Fields | undefined;
  #characters = 0;

  constructor(on: (event: ModelEvent) => void) {
    this.#on = on;
    this.#calls = new OpenAiCalls((block) => on({ type: "block", block }));
  }

  take(data: string, event: string | undefined): StreamEnd | undefined {
    if (data.trim() === "[DONE]") return this.#end();
    const value = parseJson(data);
    const error = errorIn(value);
    if (error || event === "error") return { type: "error", error: error ?? { message: data } };
    if (!isObject(value)) return { type: "garbled", why: "an event is not a JSON object" };
    if (isObject(value["usage"])) this.#reported = value["usage"];
    const choices = Array.isArray(value["choices"]) ? value["choices"].filter(isObject) : [];
    const choice = choices.find(({ index }) => (index ?? 0) === 0);
    return choice && this.#choose(choice);
  }

  /** Some servers leave out the last line; that they said why they stopped is as good. */
  close(): StreamEnd | undefined {
    return this.#finish === undefined ? undefined : this.#end();
  }

  heard(): number {
    return this.#characters;
  }

  usage(): Usage | undefined {
    const usage = this.#usage();
    return usage && { ...usage, estimated: true };
  }

  #choose({ delta, finish_reason: finish }: Fields): StreamEnd | undefined {
    if (isObject(delta)) this.#hear(delta);
    if (finish === "error") return { type: "error", error: { message: "it stopped with an error" } };
    if (typeof finish === "string" && finish !== "") {
      this.#finish = finish;
      this.#closeAll();
    }
    return undefined;
  }

  #hear(delta: Fields): void {
    this.#say("reasoning", textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]));
    this.#say("text", textOf(delta["content"]));
    const refusal = textOf(delta["refusal"]);
    if (refusal !== "") this.#refused = true;
    this.#say("text", refusal);
    const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
    if (calls.length > 0) this.#closeSpoken();
    for (const call of calls) this.#characters += this.#calls.take(call);
  }

  #say(type: Spoken, text: string): void {
    if (text === "") return;
    if (this.#spoken?.type !== type) this.#closeSpoken();
    this.#spoken ??= { type, text: "" };
    this.#spoken.text += text;
    this.#characters += text.length;
    if (type === "text") this.#on({ type: "text_delta", text });
  }

  #closeSpoken(): void {
    const spoken = this.#spoken;
    this.#spoken = undefined;
    if (spoken) this.#on({ type: "block", block: spoken });
  }

  #closeAll(): void {
    this.#closeSpoken();
    this.#calls.end();
  }

  #end(): StreamEnd {
    if (this.#finish === undefined && this.#characters === 0 && this.#calls.count === 0) {
      return { type: "garbled", why: "the stream ended with nothing in it" };
    }
    this.#closeAll();
    const usage = this.#usage();
    return { type: "end", stop: this.#stop(), ...(usage ? { usage } : {}) };
  }

  #stop(): string {
    if (this.#refused) return "refusal";
    // Some servers say `stop` although they call.
    if (this.#calls.count > 0 && (this.#finish ?? "stop") === "stop") return "tool_use";
    const finish = this.#finish ?? "stop";
    return STOPS[finish] ?? finish;
  }

  /** `prompt_tokens` includes what was read from the cache and written to it; our buckets are disjoint. */
  #usage(): Usage | undefined {
    const reported = this.#reported;
    if (!reported) return undefined;
    const prompt = tokenCount(reported["prompt_tokens"]);
    const output = tokenCount(reported["completion_tokens"]);
    // As good as no report: what was sent cannot be guessed from here.
    if (prompt === undefined) return undefined;
    const details = reported["prompt_tokens_details"];
    const detail = (name: string) => tokenCount((isObject(details) ? details[name] : 0) ?? 0);
    const [read, written] = [detail("cached_tokens"), detail("cache_write_tokens")];
    const isOdd = [output, read, written].includes(undefined) || (read ?? 0) + (written ?? 0) > prompt;
    const cache_read = Math.min(read ?? 0, prompt);
    const cache_write = Math.min(written ?? 0, prompt - cache_read);
    return {
      input: prompt - cache_read - cache_write,
      cache_read,
      cache_write,
      output: output ?? estimatedTokens(this.#characters),
      ...(isOdd ? { estimated: true } : {}),
    };
  }
}

/** Text, or a list of parts that have text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}
