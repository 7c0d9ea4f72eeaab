/** What a thread writes down about its waits, and about its children when it ends (O2–O4, T7). */
import type { Stop } from "./cascade.ts";
import type { ChannelEnd } from "./channel-read.ts";
import type { NewEvent } from "./event.ts";
import { livingChildren } from "./family.ts";
import type { WaitInput } from "./orchestration.ts";
import type { ThreadRow } from "./row.ts";
import type { Thread } from "./thread.ts";
import type { WaitEnd } from "./wait.ts";

interface Facts {
  readonly events: readonly NewEvent[];
  readonly stops?: readonly Stop[];
}

type Further = NonNullable<NewEvent<"wait_started">["further"]>;

export function waitStarted(
  callId: string,
  ask: WaitInput,
  now: number,
  further: Further = [],
): NewEvent<"wait_started"> {
  const { thread_ids, timeout, require, require_all, fail_fast, cancel_siblings_on_failure } = ask;
  // Named twice, it is one.
  const ids = [...new Set(thread_ids)];
  return {
    type: "wait_started",
    call_id: callId,
    thread_ids: ids,
    require: Math.min(require ?? (require_all ? ids.length : 1), ids.length),
    fail_fast,
    cancel_siblings_on_failure,
    include_suspended: ask.include_suspended,
    ...(timeout > 0 ? { until: new Date(now + timeout * 1_000).toISOString() } : {}),
    ...(further.length > 0 ? { further } : {}),
  };
}

/** Those that a wait names and the thread has not heard of: no children of its own, and no wait has named them. */
export function unheardOf({ children, further }: Thread, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => !Object.hasOwn(children, id) && !Object.hasOwn(further, id));
}

/**
 * Who of them is below the thread, and who is in between; `rows` are those of its tree. Whose child a thread is never
 * changes: this may be looked at before the wait is written down. Strangers, itself and those above it are nowhere here.
 */
export function furtherBelow(
  { chainRootId }: Pick<Thread, "chainRootId">,
  ids: readonly string[],
  rows: readonly Pick<ThreadRow, "thread_id" | "chain_root_id" | "parent_id" | "directive">[],
): Further {
  const byId = new Map(rows.map((row) => [row.thread_id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    const above: string[] = [];
    for (let up = row?.parent_id; up !== chainRootId; up = byId.get(up)?.parent_id) {
      if (up === null || up === undefined || above.includes(up)) return [];
      above.push(up);
    }
    return row && row.chain_root_id === id ? [{ id, directive: row.directive, above }] : [];
  });
}

/** The result goes to the model; siblings that are told to stop are so in the same commit. */
export function waitFinished(thread: Thread, end: WaitEnd | ChannelEnd | undefined): Facts {
  const { wait, step } = thread;
  const callId = wait?.callId ?? null;
  const finished: NewEvent = { type: "wait_finished", call_id: callId, why: end?.why ?? whyOver(thread) };
  if (wait?.hook !== undefined) return { events: [finished], stops: unheard(thread, wait.hook, wait.ids) };
  const call = step?.calls.find(({ call_id }) => call_id === callId);
  if (!end || !step || !call) return { events: [finished] };
  const { call_id, tool } = call;
  const result: NewEvent = {
    type: "tool_call_result",
    turn: step.turn,
    call_id,
    tool,
    status: "ok",
    output: JSON.stringify(end.result),
    source: "run",
    duration_ms: Math.round(end.result.elapsed_seconds * 1_000),
  };
  if ("facts" in end) return { events: [finished, ...end.facts, result] };
  const by = thread.id;
  const stops = end.cancels.map(({ id, reason }) => ({ thread_id: id, reason, by }));
  return { events: [finished, result], stops };
}

/** A hook that stopped for a person, or took too long, is not waited for any longer: nobody would hear its answer. */
function unheard(thread: Thread, hook: string, ids: readonly string[]): Stop[] {
  const reason = `the hook ${hook} is not waited for any longer`;
  return livingChildren(thread)
    .filter(({ id }) => ids.includes(id))
    .map(({ id }) => ({ thread_id: id, reason, by: thread.id }));
}

/** Its children have ended, or somebody gave it more to do. */
function whyOver(thread: Thread): NewEvent<"wait_finished">["why"] {
  return livingChildren(thread).length > 0 ? "interrupted" : "met";
}

/** Something came in between: what it waits for is said again, so that nobody takes it for one that could go on. */
export function waitedAgain({ wait, stopping }: Thread): NewEvent {
  if (!wait) {
    if (!stopping) throw new Error("it waits for nothing");
    return { type: "thread_stopping", end: stopping };
  }
  return {
    type: "wait_started",
    call_id: wait.callId,
    thread_ids: [...wait.ids],
    require: wait.require,
    fail_fast: wait.failFast,
    cancel_siblings_on_failure: wait.cancelSiblings,
    include_suspended: wait.includeSuspended,
    since: wait.since,
    ...(wait.until === undefined ? {} : { until: wait.until }),
    ...(wait.hook === undefined ? {} : { hook: wait.hook }),
    ...(wait.channel === undefined ? {} : { channel: wait.channel }),
  };
}

/** Its work is done and children live: they are waited for, or told to stop; nobody waits for one never started. */
export function joined(thread: Thread): Facts {
  const living = livingChildren(thread);
  const { halting, onExit } = thread;
  const isEach = halting !== undefined || onExit === "cancel";
  const stopped = living.filter(({ status }) => status === "created" || isEach);
  const reason = halting
    ? (halting.reason ?? "what it worked for was stopped")
    : "the thread that started it has done its work";
  return {
    events: [
      {
        type: "wait_started",
        call_id: null,
        thread_ids: living.map(({ id }) => id),
        require: living.length,
        fail_fast: false,
        cancel_siblings_on_failure: false,
        include_suspended: false,
      },
    ],
    stops: stopped.map(({ id }) => ({ thread_id: id, reason, by: thread.id })),
  };
}
