/**
 * How full a conversation is, without a tokenizer (X1): what the provider counted last is the truth, and what came
 * since is counted in characters, at the rate at which characters turned out to be tokens so far with this model.
 */
import type { Event } from "./event.ts";
import type { Message } from "./message.ts";
import { cutMiddle } from "./text.ts";
import type { Thread } from "./thread.ts";

export interface Measure {
  readonly model: string;
  /** Characters of the conversation that was sent, and the tokens that it was counted as, with all that went along. */
  readonly chars: number;
  readonly tokens: number;
  /** Tokens per character. */
  readonly density: number;
}

export interface Pressure {
  readonly tokens: number;
  readonly window: number;
  readonly ratio: number;
}

/** Before anything was counted: plain text has about four characters to a token, code and other scripts fewer. */
const FIRST_DENSITY = 0.3;
/** What no text goes beyond: long runs of one letter on one side, single signs of several tokens on the other. */
const [LEAST_DENSITY, MOST_DENSITY] = [0.05, 3];
/** Fewer new characters than this say nothing about the rest. */
const TELLING_CHARS = 1_000;
/** What the model is shown of one result, where no request said otherwise. */
export const SHOWN_CHARS = 30_000;

export function charsOf(message: Message, shownChars = SHOWN_CHARS): number {
  switch (message.role) {
    case "user":
      return message.text.length;
    case "assistant":
      return message.blocks.reduce((sum, block) => sum + charsOfBlock(block), 0);
    case "tool":
      return message.results.reduce((sum, { output }) => sum + Math.min(output.length, shownChars), 0);
  }
}

function charsOfBlock(block: (Message & { role: "assistant" })["blocks"][number]): number {
  if (block.type !== "call") return block.text.length;
  return block.tool.length + JSON.stringify(block.input ?? null).length;
}

/** What an answer tells about the conversation that was sent for it; an estimate of our own tells nothing. */
export function measured(
  { measure: before, chars, model: own }: Pick<Thread, "measure" | "chars" | "model">,
  { usage, model = own }: Event<"cognition_out">,
): Measure | undefined {
  if (usage.estimated) return before;
  const tokens = usage.input + usage.cache_read + usage.cache_write;
  const known = before?.model === model ? before : undefined;
  const more = chars - (known?.chars ?? 0);
  const isTelling = known !== undefined && more >= TELLING_CHARS && tokens > known.tokens;
  const density = isTelling ? (tokens - known.tokens) / more : (known?.density ?? FIRST_DENSITY);
  return { model, chars, tokens, density: Math.min(MOST_DENSITY, Math.max(LEAST_DENSITY, density)) };
}

/** Of everything that the next request would send. */
export function tokensOf({ measure, chars, system }: Pick<Thread, "measure" | "chars" | "system">): number {
  if (!measure) return Math.ceil((chars + system.length) * FIRST_DENSITY);
  return Math.max(0, Math.ceil(measure.tokens + (chars - measure.chars) * measure.density));
}

export function pressureOf(
  thread: Pick<Thread, "measure" | "chars" | "system">,
  window: number | undefined,
): Pressure | undefined {
  if (window === undefined || !(window > 0)) return undefined;
  const tokens = tokensOf(thread);
  return { tokens, window, ratio: tokens / window };
}

/** Tokens that a piece of the conversation comes to. */
export function tokensIn({ measure }: Pick<Thread, "measure">, chars: number): number {
  return Math.ceil(chars * (measure?.density ?? FIRST_DENSITY));
}

/** So much of a text that it comes to at most these tokens; what is missing is said. */
export function cutTo({ measure }: Pick<Thread, "measure">, text: string, tokens: number): string {
  return cutMiddle(text, Math.floor(tokens / (measure?.density ?? FIRST_DENSITY)));
}
