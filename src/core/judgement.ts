/** What the hooks of one moment come to (L2, §10): the first decisive one wins; none of them lifts anything. */

import { callQuestion } from "./call-question.ts";
import { closing } from "./closing.ts";
import { compactionEnd } from "./compaction.ts";
import type { HookPoint } from "./decide.ts";
import type { NewEvent } from "./event.ts";
import type { Hook, HookAction, HookResult } from "./hook.ts";
import { type AskingNeeds, suspend } from "./question.ts";
import type { Thread } from "./thread.ts";

export interface HookRun {
  readonly hook: Pick<Hook, "id" | "where">;
  /** A problem of a hook that ran, or of a condition that could not be told. */
  readonly outcome: HookResult | { readonly problem: string; readonly ran: boolean };
  readonly durationMs: number;
  /** The thread that answered for it. */
  readonly childId?: string;
}

export interface Judgement {
  /** What is written about the hooks themselves, whatever follows. */
  readonly events: readonly NewEvent[];
  readonly action: HookAction;
  readonly hook?: string;
  readonly message?: string | undefined;
  readonly compaction?: HookResult["compaction"];
}

/**
 * A hook that hangs, throws or answers nonsense is told of and passed over. Not so before a tool: there it may stand
 * for a guard, and a guard that fell over lets nobody in without asking.
 */
export function judgement(point: Pick<HookPoint, "key" | "event">, runs: readonly HookRun[]): Judgement {
  const { key, event } = point;
  const events = runs.flatMap(({ hook, outcome, durationMs, childId }): NewEvent[] => {
    const said = "problem" in outcome ? undefined : outcome;
    const fellOver = "problem" in outcome && outcome.ran && event === "before_tool";
    const action = said?.action ?? (fellOver ? "suspend" : "continue");
    const matched: NewEvent = {
      type: "hook_matched",
      hook: hook.id,
      where: hook.where,
      event,
      point: key,
      action,
      ...(said?.message === undefined ? {} : { message: said.message }),
      ...("problem" in outcome ? { problem: outcome.problem } : {}),
      duration_ms: durationMs,
      ...(childId === undefined ? {} : { child_id: childId }),
    };
    const text = said?.context?.message;
    return text === undefined
      ? [matched]
      : [matched, { type: "cognition_in", source: `hook ${hook.id}`, text }];
  });
  const decisive = events.find(
    (each): each is NewEvent<"hook_matched"> => each.type === "hook_matched" && each.action !== "continue",
  );
  const compaction = runs.flatMap(({ outcome }) =>
    "problem" in outcome ? [] : (outcome.compaction ?? []),
  )[0];
  if (!decisive) return { events, action: "continue", ...(compaction ? { compaction } : {}) };
  const message = decisive.message ?? decisive.problem;
  return { events, action: decisive.action, hook: decisive.hook, message };
}

/** A patch of the conversation, where one is asked for: the runtime writes what becomes of it (V3). */
function shorter(thread: Thread, { event, facts }: HookPoint, { compaction }: Judgement): NewEvent[] {
  if (event !== "context_window_pressure" || !compaction) return [];
  const { summary, pruneBeforeTurn = thread.turns } = compaction;
  const [tokens, window] = [Number(facts["tokens_used"] ?? 0), Number(facts["max_tokens"] ?? 0)];
  return [
    { type: "context_compaction_start", why: "hook", tokens, window },
    compactionEnd(thread, { summary, pruneBeforeTurn }),
  ];
}

/** Facts that follow a judgement at any moment but an error, whose default is asked first. */
export function afterJudgement(
  thread: Thread,
  point: HookPoint,
  judged: Judgement,
  needs: AskingNeeds,
): NewEvent[] {
  const { action, hook = "", message } = judged;
  // A thread that has nothing more to do is not sent back to work by what follows a turn: `after_complete` may do that.
  const isOver = point.event === "after_step" && !thread.wantsMore;
  const told = judged.events.filter(({ type }) => !(isOver && type === "cognition_in"));
  const events = [...told, ...shorter(thread, point, judged)];
  if (action === "fail" || action === "abort") {
    const words = action === "fail" ? "Failed by hook" : "Aborted by hook";
    const why = message === undefined ? `${words} ${hook}` : `${words} ${hook}: ${message}`;
    return [...events, ...closing(thread), { type: "thread_failed", code: "E_HOOK", message: why }];
  }
  // A limit that was reached is asked for by the default, with its numbers; a hook cannot ask for more than that.
  const asks = (action === "suspend" || action === "escalate") && point.event !== "limit";
  if (!asks) return events;
  const { call } = point;
  const said = message ?? `the hook ${hook} asks for a person (${point.event})`;
  const question = call
    ? callQuestion(thread, call, said)
    : {
        reason: "approval" as const,
        message: said,
        prompt: `Thread '${thread.directive}': ${said}\n\nApprove to go on?`,
        what: "a person's yes or no",
      };
  return [...events, ...suspend(thread, question, needs)];
}
