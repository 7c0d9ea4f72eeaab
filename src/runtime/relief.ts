/**
 * A conversation that is too full is made shorter where it stands, or handed on (X1, X2).
 *   H1. Notes are made by a thread of its own, with its own small budget; whatever goes wrong there, the work goes on
 *       without them, and more of the last exchanges is carried over.
 *   H2. The successor, both links and the end of this thread are one commit: there is never a second head.
 */
import { handOff } from "../core/chain.ts";
import { compactionEnd, notShorter, turnToKeepFrom, withoutOldOutputs } from "../core/compaction.ts";
import { pressureOf, tokensIn, tokensOf } from "../core/context.ts";
import { logOf } from "../core/context-fold.ts";
import type { NewEvent } from "../core/event.ts";
import { handOn } from "../core/hand-off.ts";
import { randomName } from "../core/id.ts";
import { toArray } from "../core/log.ts";
import { affordableRecord, recordFor } from "../core/notes.ts";
import { Problem } from "../core/problem.ts";
import { planSummary, type SummaryPlan, summaryOf } from "../core/summary.ts";
import type { Thread } from "../core/thread.ts";
import { type Active, momentOf, record } from "./active.ts";

export async function relieve(active: Active): Promise<void> {
  const { thread, world } = active;
  const { compaction } = thread;
  const pressure = pressureOf(thread, momentOf(active).windowOf?.(thread));
  const keep = world.settings.continuation.keep_output_tokens;
  const dropped = !compaction && pressure ? withoutOldOutputs(thread, pressure, keep) : undefined;
  if (dropped) {
    await record(active, { events: dropped });
    return;
  }
  if (!compaction?.childId) {
    const begun: NewEvent[] = compaction ? [] : [started(thread, pressure?.window ?? 0)];
    const plan = await planNotes(active);
    if (plan) {
      const { birth, started: child } = plan;
      const { tailLanded } = await record(active, { events: begun, tail: [child], births: [birth] });
      // A cancel came first, or there is no money for notes: the first is looked at, the second goes on without.
      if (tailLanded || active.open.length > 0) return;
      active.shortage = undefined;
    } else if (begun.length > 0) await record(active, { events: begun });
  }
  await finish(active);
}

function started(thread: Thread, window: number): NewEvent {
  return { type: "context_compaction_start", why: "pressure", tokens: tokensOf(thread), window };
}

/** The thread that makes the notes; undefined when there can be none. */
async function planNotes({ thread, world }: Active): Promise<SummaryPlan | undefined> {
  const { summary_directive, summary_model, summary_limit_overrides: limits } = world.settings.continuation;
  const { summary_max_tokens: max_tokens } = world.settings.continuation;
  try {
    const ask = { directive: summary_directive, model: summary_model };
    const prepared = await world.prepare?.({ ...ask, inputs: { transcript: "", max_tokens } });
    if (!prepared) return undefined;
    const price = world.model(prepared.directive.model)?.price;
    const transcript = recordFor(toArray(thread.messages), affordableRecord(limits.spend, price));
    const inputs = { ...prepared.inputs, transcript };
    const nonce = randomName(world.random(16));
    return planSummary(thread, { ...prepared, inputs }, { limits, nonce, sha256: world.sha256 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return undefined;
  }
}

/** What was noted is put to use; who is still at it is told to stop. */
async function finish(active: Active): Promise<void> {
  const { thread, world } = active;
  const { compaction } = thread;
  if (!compaction) return;
  const { summary_max_tokens, resume_ceiling_tokens: ceilingTokens } = world.settings.continuation;
  const { summary, stops } = summaryOf(thread, summary_max_tokens);
  if (compaction.why === "person") {
    const pruneBeforeTurn = turnToKeepFrom(thread, ceilingTokens);
    const end =
      summary === undefined
        ? notShorter(tokensOf(thread), "no notes could be made")
        : compactionEnd(thread, { summary, pruneBeforeTurn: pruneBeforeTurn ?? 0 });
    await record(active, { events: [end], stops });
    return;
  }
  const inTokens = (chars: number) => tokensIn(thread, chars);
  const handed = handOn(toArray(thread.messages), {
    ...{ summary, ceilingTokens },
    tokensIn: inTokens,
  });
  const { birth, continued } = handOff(thread, {
    ...{ ...handed, system: await systemNow(active) },
    why: compaction.why === "overflow" ? "overflow" : "context",
    sha256: world.sha256,
  });
  const { chars } = logOf(handed.conversation);
  const told = { tokens_before: tokensOf(thread), tokens_after: tokensOf({ ...thread, chars }) };
  const end: NewEvent = { type: "context_compaction_end", ...told };
  await record(active, { events: [], tail: [end, continued], births: [birth], stops });
}

/** Rules are read from where they stand, not from notes; where that is gone, they stay as they were. */
async function systemNow({ thread, world }: Active): Promise<string> {
  const { directive, inputs, model } = thread;
  try {
    return (await world.prepare?.({ directive, inputs, model }))?.system ?? thread.system;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return thread.system;
  }
}
