/** The model's port: a request out, blocks in, an ending. */
import type { Failure } from "./failure.ts";
import type { Log } from "./log.ts";
import type { Message, RawBlock, Usage } from "./message.ts";
import type { Price } from "./price.ts";
import type { Settings } from "./settings.ts";
import type { ToolSpec } from "./tool.ts";

export interface ModelRequest {
  readonly threadId: string;
  readonly model: string;
  readonly system: string;
  readonly messages: Log<Message>;
  readonly tools: readonly ToolSpec[];
  /** Cap of one answer; never the thread's lifetime allowance. */
  readonly maxOutputTokens: number;
  /** What the model is shown of one tool result; the journal keeps all of it. */
  readonly maxResultChars: number;
  /** Which of the provider's keys is used; the first when there is none of this number. */
  readonly key?: number;
  /** Answers in the fold and number of this request in its turn. */
  readonly answers: number;
  readonly attempt: number;
}

export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "block"; readonly block: RawBlock };

export type Ending =
  | { readonly type: "end"; readonly stop: string; readonly usage?: Usage }
  | { readonly type: "failure"; readonly failure: Failure; readonly usage?: Usage };

/** Never throws and never retries: a failure is an ending. */
export interface Model {
  readonly streams: boolean;
  /** Why it cannot be asked at all: no key, no script. Every request ends in that failure. */
  readonly unusable?: string;
  /** How many keys there are to go round with (E9); one when it does not say. */
  readonly keys?: number;
  /** The gate that requests with this key go through (E10); none when it does not say. */
  readonly gate?: (key: number) => string;
  /** Its provider's own say in how failures are retried, over the settings of user and system (E4). */
  readonly retry?: Settings["retry"];
  /** What its tokens cost; none when nobody knows, which is not the same as nothing (B3). */
  readonly price?: Price | undefined;
  /** Tokens that a conversation may have. */
  readonly window?: number | undefined;
  /** Tokens that one answer may have, whatever is asked for. */
  readonly maxOutput?: number | undefined;
  ask(request: ModelRequest, on: (event: ModelEvent) => void, signal: AbortSignal): Promise<Ending>;
}
