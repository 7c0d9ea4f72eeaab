/** What a model, a tool and a hook said then, read back from the journal. */
import type { Event } from "../core/event.ts";
import type { Failure } from "../core/failure.ts";
import type { HookResult } from "../core/hook.ts";
import type { Block, RawBlock } from "../core/message.ts";
import type { Ending } from "../core/model.ts";
import type { ToolOutcome } from "../core/tool.ts";

/** The blocks of the answer that these events tell of, by their place; those that never came are not there. */
export function blocksOf(events: readonly Event[], turn: number): (Block | undefined)[] {
  const blocks: (Block | undefined)[] = [];
  for (const event of events) {
    if (event.type === "tool_call_start" && event.turn === turn) {
      for (const { at, block } of event.preceding) blocks[at] = block as Block;
      const { call_id, tool, input, at } = event;
      blocks[at] = { type: "call", call_id, tool, input } as Block;
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

/** As a provider hands it over. */
export function rawBlock(block: Block, inputError?: string): RawBlock {
  if (block.type !== "call") return block;
  const { tool, input } = block;
  return { type: "call", tool, input, ...(inputError === undefined ? {} : { inputError }) };
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

/** What a hook said at a moment; undefined when nothing was written down of it. */
export function hookAnswer(
  events: readonly Event[],
  { point, hook }: { readonly point: string; readonly hook: string },
): HookResult | { readonly problem: string } | undefined {
  const at = events.findIndex(
    (event) => event.type === "hook_matched" && event.point === point && event.hook === hook,
  );
  const found = events[at];
  if (found?.type !== "hook_matched") return undefined;
  if (found.problem !== undefined) return { problem: found.problem };
  const said = events[at + 1];
  const context = said?.type === "cognition_in" && said.source === `hook ${hook}` ? said.text : undefined;
  return {
    action: found.action,
    ...(found.message === undefined ? {} : { message: found.message }),
    ...(context === undefined ? {} : { context: { message: context } }),
    ...compactionAfter(events.slice(at), found.event),
  };
}

function compactionAfter(events: readonly Event[], event: string): Pick<HookResult, "compaction"> {
  if (event !== "context_window_pressure") return {};
  const begun = events.findIndex((each) => each.type === "context_compaction_start" && each.why === "hook");
  const end = begun < 0 ? undefined : events[begun + 1];
  if (end?.type !== "context_compaction_end") return {};
  const { summary = "", prune_before_turn: pruneBeforeTurn } = end;
  return { compaction: { summary, ...(pruneBeforeTurn === undefined ? {} : { pruneBeforeTurn }) } };
}
