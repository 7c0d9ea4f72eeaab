/** What a model, a tool and a hook said then, read back from the journal. */
import type { Event } from "../core/event.ts";
import { asSaid } from "../core/execute.ts";
import type { Failure } from "../core/failure.ts";
import type { HookResult } from "../core/hook.ts";
import type { Block, RawBlock } from "../core/message.ts";
import type { Ending } from "../core/model.ts";
import type { ToolOutcome } from "../core/tool.ts";
import type { Tape } from "./tape.ts";

/** The blocks of the answer that these events tell of, by their place; those that never came are not there. */
export function blocksOf(events: Iterable<Event>, turn: number): (Block | undefined)[] {
  const blocks: (Block | undefined)[] = [];
  for (const event of events) {
    if (event.type === "tool_call_start" && event.turn === turn) {
      for (const { at, block } of event.preceding) blocks[at] = block as Block;
      const { call_id, tool, input, executes, at } = event;
      blocks[at] = { type: "call", call_id, tool, input, ...(executes ? { executes } : {}) } as Block;
    }
    if (event.type === "cognition_out" && event.turn === turn) {
      event.content.forEach((slot, at) => {
        if (slot.type !== "journaled") blocks[at] = slot as Block;
      });
      break;
    }
    if (event.type === "crash_detected" || event.type === "error_classified") break;
  }
  return blocks;
}

/** As a provider hands it over: in the model's words. What it said with `execute` was whole, or it would not be taken so. */
export function rawBlock(block: Block, inputError?: string): RawBlock {
  if (block.type !== "call") return block;
  const error = inputError === undefined || block.executes ? {} : { inputError };
  return { type: "call", ...asSaid(block), ...error };
}

export function endingOf({ truncated, stop, usage }: Event<"cognition_out">): Ending {
  // Nobody reported it: what stands there is our own estimate of the answer alone.
  const isOurs = usage.estimated && usage.input + usage.cache_read + usage.cache_write === 0;
  const used = isOurs ? {} : { usage };
  if (!truncated) return { type: "end", stop, ...used };
  return { type: "failure", failure: { kind: "stream_cut", message: "the stream was cut off" }, ...used };
}

/** Without a cause it was written by an older version: then its status says where it failed, as far as anything does. */
function failureOf(event: Event<"error_classified">): Failure {
  const { error, status, retry_after_ms, request_id, cause, undecided } = event;
  const { kind = status === undefined ? "connection" : "http", type, type_family, protocol } = cause ?? {};
  return {
    kind,
    message: error,
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(type_family === undefined ? {} : { typeFamily: type_family }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms }),
    ...(request_id === undefined ? {} : { requestId: request_id }),
    ...((undecided?.failure ?? {}) as Partial<Failure>),
  };
}

/** A request that was stopped by us; or one that failed by itself. */
export function failedEnding(event: Event<"error_classified">): Ending {
  const { usage } = event;
  const failure: Failure =
    event.rule === "aborted" ? { kind: "aborted", message: "the request was stopped" } : failureOf(event);
  return { type: "failure", failure, ...(usage ? { usage } : {}) };
}

export function outcomeOf({ status, output, killed }: Event<"tool_call_result">): ToolOutcome {
  return { status, output, ...(killed ? { killed } : {}) };
}

/** What a hook said at a moment that comes next; undefined when nothing was written down of it. */
export function hookAnswer(
  tape: Tape,
  { point, hook }: { readonly point: string; readonly hook: string },
): HookResult | { readonly problem: string } | undefined {
  const isOfPoint = (event: Event) => event.type === "hook_matched" && event.point === point;
  const at = tape.placeOf((event) =>
    isOfPoint(event) ? (event as Event<"hook_matched">).hook === hook : event.type !== "cognition_in",
  );
  const found = tape.ahead(at);
  if (found?.type !== "hook_matched" || !isOfPoint(found)) return undefined;
  if (found.problem !== undefined) return { problem: found.problem };
  const said = tape.ahead(at + 1);
  const context = said?.type === "cognition_in" && said.source === `hook ${hook}` ? said.text : undefined;
  return {
    action: found.action,
    ...(found.message === undefined ? {} : { message: found.message }),
    ...(context === undefined ? {} : { context: { message: context } }),
    ...compactionAfter(tape, at, found.event),
  };
}

function compactionAfter(tape: Tape, at: number, event: string): Pick<HookResult, "compaction"> {
  if (event !== "context_window_pressure") return {};
  const next = tape.placeOf(({ type }) => type === "context_compaction_start" || type === "step_start", at);
  const begun = tape.ahead(next);
  const isAsked = begun?.type === "context_compaction_start" && begun.why === "hook";
  const end = isAsked ? tape.ahead(next + 1) : undefined;
  if (end?.type !== "context_compaction_end") return {};
  const { summary = "", prune_before_turn: pruneBeforeTurn } = end;
  return { compaction: { summary, ...(pruneBeforeTurn === undefined ? {} : { pruneBeforeTurn }) } };
}

/** Why there are no notes where there was money for none. */
export const UNPAID_NOTES = "there is no money left for them";

/** Why nobody made notes for what comes next; undefined when somebody did. */
export function notesMissing(tape: Tape): string | undefined {
  const isNext = ({ type }: Event) => ["context_compaction_end", "step_start"].includes(type);
  const end = tape.ahead(tape.placeOf(isNext));
  if (end?.type !== "context_compaction_end") return undefined;
  return end.without_notes ?? /^no notes could be made: (.*)$/s.exec(end.failed ?? "")?.[1];
}
