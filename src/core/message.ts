/** What a conversation is made of. Calls carry our key, never the model's id. */
import type { CallId } from "./id.ts";

export type Block = { readonly type: "text"; readonly text: string } | ReasoningBlock | CallBlock;

/** Goes back to its provider as it came: `signature` proves the text, `data` is text that only the provider can read. */
interface ReasoningBlock {
  readonly type: "reasoning";
  readonly text: string;
  readonly signature?: string | undefined;
  readonly data?: string | undefined;
}

export interface CallBlock {
  readonly type: "call";
  readonly call_id: CallId;
  readonly tool: string;
  readonly input: unknown;
  /** The model said it with `execute`, of an item of this type; it is the call that this means. */
  readonly executes?: "tool" | "directive" | undefined;
}

/** A block as a provider hands it over: a call has no key yet, and its arguments may not have parsed. */
export type RawBlock =
  | Exclude<Block, CallBlock>
  | { readonly type: "call"; readonly tool: string; readonly input: unknown; readonly inputError?: string };

export type Message =
  /** `origin: runtime`: said by us, not by a person. */
  | { readonly role: "user"; readonly text: string; readonly origin?: "runtime" | undefined }
  | { readonly role: "assistant"; readonly blocks: readonly Block[]; readonly turn?: number | undefined }
  | { readonly role: "tool"; readonly results: readonly CallResult[]; readonly turn?: number | undefined };

/** How one call ended. `unknown`: it was started and nobody can say whether it took effect (P5). */
export interface CallResult {
  readonly call_id: CallId;
  readonly tool: string;
  readonly status: "ok" | "error" | "stopped" | "unknown";
  readonly output: string;
  /** It was stopped by force. */
  readonly killed?: true | undefined;
}

/** Tokens in disjoint buckets; `estimated` when the provider did not report them. */
export interface Usage {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly estimated?: boolean | undefined;
}

export const noUsage: Usage = { input: 0, cache_read: 0, cache_write: 0, output: 0 };

/** The text a person reads: all text blocks in order. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

/** No request has this many tokens; sums of counts up to here, and of their prices, stay exact. */
const MOST_TOKENS = 1_000_000_000;

/** What a provider reported, as it may be stored: whole counts from 0 up, none of them beyond all reason. */
export function countable({ input, cache_read, cache_write, output, estimated }: Usage): Usage {
  const counted = {
    input: countOf(input),
    cache_read: countOf(cache_read),
    cache_write: countOf(cache_write),
    output: countOf(output),
  };
  return estimated ? { ...counted, estimated } : counted;
}

/** NaN fails every comparison, and so counts as none. */
function countOf(value: number): number {
  return value > 0 ? Math.min(Math.ceil(value), MOST_TOKENS) : 0;
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    cache_read: left.cache_read + right.cache_read,
    cache_write: left.cache_write + right.cache_write,
    output: left.output + right.output,
    ...(left.estimated || right.estimated ? { estimated: true } : {}),
  };
}
