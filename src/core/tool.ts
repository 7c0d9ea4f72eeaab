/** What the runtime knows of a tool (D3–D7). Running one is the business of the room `tool/`. */
import type { NewEvent } from "./event.ts";
import type { CallId } from "./id.ts";
import type { Progress } from "./progress.ts";

/**
 * What may be done with a call that was cut off (D6): `pure` re-run at will, `keyed` re-run with the same key,
 * `probe` ask the tool what happened, `manual` never re-run by the machine.
 */
export type Effect = "pure" | "keyed" | "probe" | "manual";

/** Runtime values reach a tool here, never in the model's arguments (D7). */
export interface ToolContext {
  readonly threadId: string;
  readonly chainRootId: string;
  readonly turn: number;
  readonly callKey: CallId;
  readonly signal: AbortSignal;
  /** Whether what it starts may reach the network, where a sandbox could keep it from that (K6). */
  readonly network?: boolean;
  /** `progress("asking Oslo")`, or with the part that is done: `progress(0.5, "asking Oslo")`. */
  readonly progress: (...said: Progress) => void;
}

export interface ToolOutcome {
  readonly status: "ok" | "error" | "stopped" | "unknown";
  readonly output: string;
  /** Of one that was stopped: by force, since it did not end when it was told to. */
  readonly killed?: true | undefined;
  /** What else is written down with it, by tools of the runtime. */
  readonly facts?: readonly NewEvent[];
}

export type ProbeAnswer =
  | { readonly type: "done"; readonly outcome: ToolOutcome }
  | { readonly type: "not_done" }
  | { readonly type: "cannot_tell" };

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The description for a thread with or without a right to the network, where that makes a difference. */
  readonly describe?: ((network: boolean) => string) | undefined;
  /** JSON Schema of the input. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** What a call touches: calls that share a lane run in order. Default: one lane per tool, none when pure. */
  readonly lanes?: (input: unknown) => readonly string[];
  /** Checks the input; undefined when it fits, else what is wrong, naming the field. */
  readonly complaint?: (input: unknown) => string | undefined;
  readonly run: (input: unknown, context: ToolContext) => Promise<ToolOutcome>;
  readonly probe?: (input: unknown, context: ToolContext) => Promise<ProbeAnswer>;
  /** Its own time limit and the variables it reads, for whoever runs it in a process of its own. */
  readonly timeoutSeconds?: number;
  readonly env?: readonly string[];
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function lanesOf(tool: Tool | undefined, input: unknown): readonly string[] {
  if (!tool) return [];
  if (tool.lanes) return tool.lanes(input);
  return tool.effect === "pure" ? [] : [`tool:${tool.name}`];
}
