/** What we and a tool host say to each other: one JSON value a line. It answers each request once, in order. */

import type { JsonSchema } from "../../core/input.ts";
import type { Told } from "../../core/progress.ts";
import type { Effect, ProbeAnswer, ToolContext, ToolOutcome } from "../../core/tool.ts";

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  readonly effect: Effect;
  readonly hasLanes: boolean;
  readonly hasProbe: boolean;
  readonly timeoutSeconds?: number;
  readonly env?: readonly string[];
}

export interface LoadFailure {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What of the context can travel. */
type CallFacts = Pick<ToolContext, "threadId" | "chainRootId" | "turn" | "callKey">;

export interface CallRequest {
  readonly type: "run" | "probe";
  readonly file: string;
  readonly name: string;
  readonly input: unknown;
  readonly facts: CallFacts;
  readonly env: Readonly<Record<string, string>>;
  readonly maxBytes: number;
}

export type Request = { readonly type: "load"; readonly file: string } | CallRequest;
export type ToHost = Request | { readonly type: "abort" };

export type Reply =
  | { readonly type: "loaded"; readonly tools: readonly ListedTool[] }
  | { readonly type: "failed"; readonly failure: LoadFailure }
  | { readonly type: "outcome"; readonly outcome: ToolOutcome }
  | { readonly type: "probed"; readonly answer: ProbeAnswer };
export type FromHost = Reply | ({ readonly type: "progress" } & Told);
