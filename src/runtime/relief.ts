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
import { type Notes, notesOf, planSummary, type SummaryPlan } from "../core/summary.ts";
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
  if (compaction?.childId) {
    await finish(active, undefined);
    return;
  }
  const begun: NewEvent[] = compaction ? [] : [started(thread, pressure?.window ?? 0)];
  const plan = await planNotes(active);
  if ("missing" in plan) {
    if (begun.length > 0) await record(active, { events: begun });
    await finish(active, plan);
    return;
  }
  const { birth, started: child } = plan;
  const { tailLanded, shortage } = await record(active, { events: begun, tail: [child], births: [birth] });
  // A cancel came first: it is looked at. Where there is no money for notes, it goes on without.
  if (tailLanded || !shortage) return;
  active.shortage = undefined;
  await finish(active, { missing: "there is no money left for them" });
}

function started(thread: Thread, window: number): NewEvent {
  return { type: "context_compaction_start", why: "pressure", tokens: tokensOf(thread), window };
}

/** The thread that makes the notes; or why there can be none. */
async function planNotes({ thread, world }: Active): Promise<SummaryPlan | { readonly missing: string }> {
  const { summary_directive, summary_model, summary_limit_overrides: limits } = world.settings.continuation;
  const { summary_max_tokens: max_tokens } = world.settings.continuation;
  try {
    const ask = { directive: summary_directive, model: summary_model };
    const { instructions } = thread.compaction ?? {};
    const prepared = await world.prepare?.({
      ...{ ...ask, inputs: { transcript: "", max_tokens } },
      ...(instructions === undefined ? {} : { offers: { instructions } }),
    });
    if (!prepared) return { missing: "there are no directives here" };
    const price = world.model(prepared.directive.model)?.price;
    const transcript = recordFor(toArray(thread.messages), affordableRecord(limits.spend, price));
    const inputs = { ...prepared.inputs, transcript };
    const nonce = randomName(world.random(16));
    return planSummary(
      thread,
      { ...prepared, inputs },
      {
        ...{ limits, nonce, defaults: world.settings.limits.defaults },
        sha256: world.sha256,
      },
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { missing: [error.message, error.why].filter(Boolean).join(" ") };
  }
}

/** What was noted is put to use; who is still at it is told to stop. */
async function finish(active: Active, none: { readonly missing: string } | undefined): Promise<void> {
  const { thread, world } = active;
  const { compaction } = thread;
  if (!compaction) return;
  const { summary_max_tokens, resume_ceiling_tokens: ceilingTokens } = world.settings.continuation;
  const notes: Notes = none ?? notesOf(thread, summary_max_tokens) ?? { missing: "nobody made any" };
  const summary = "summary" in notes ? notes.summary : undefined;
  const { missing, stops = [] } = "missing" in notes ? notes : { missing: undefined };
  if (compaction.why === "person") {
    const pruneBeforeTurn = turnToKeepFrom(thread, ceilingTokens);
    const end =
      summary === undefined
        ? notShorter(tokensOf(thread), `no notes could be made: ${missing}`)
        : compactionEnd(thread, { summary, pruneBeforeTurn: pruneBeforeTurn ?? 0 });
    await record(active, { events: [end], stops });
    return;
  }
  const inTokens = (chars: number) => tokensIn(thread, chars);
  const handed = handOn(toArray(thread.messages), {
    ...{ summary, ceilingTokens, shownChars: thread.shownChars },
    tokensIn: inTokens,
  });
  const { birth, continued } = handOff(thread, {
    ...{ ...handed, system: await systemNow(active) },
    why: compaction.why === "overflow" ? "overflow" : "context",
    sha256: world.sha256,
  });
  const { chars } = logOf(handed.conversation, thread.shownChars);
  const told = { tokens_before: tokensOf(thread), tokens_after: inTokens(chars + thread.system.length) };
  const end: NewEvent = {
    type: "context_compaction_end",
    ...told,
    ...(missing === undefined ? {} : { without_notes: missing }),
  };
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
