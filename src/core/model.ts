/** The model's port: a request out, blocks in, an ending. */
import type { Failure } from "./failure.ts";
import type { Log } from "./log.ts";
import type { Message, RawBlock, Usage } from "./message.ts";
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
  ask(request: ModelRequest, on: (event: ModelEvent) => void, signal: AbortSignal): Promise<Ending>;
}
