/**
 * The proof of the demo: from the journals before the kill, the journals at the end, the ledger, and the effects that
 * really happened. It believes nothing that the runtime says of itself.
 */
import type { Event } from "../../../core/event.ts";
import { showDollars } from "../../../core/money.ts";
import { isTerminal, type Status } from "../../../core/status.ts";
import { billOf } from "./money.ts";

export type Journals = ReadonlyMap<string, readonly Event[]>;

/** A thread as the registry has it; money in nano-dollars. */
interface Kept {
  readonly thread_id: string;
  readonly parent_id: string | null;
  readonly status: Status;
  /** Its own requests. */
  readonly spent: number;
}

export interface Evidence {
  /** The journals as the killed process left them; undefined where nobody was killed. */
  readonly before: Journals | undefined;
  /** The journals when all was over. */
  readonly after: Journals;
  readonly threads: readonly Kept[];
  /** What the ledger says that the whole tree cost. */
  readonly total: number;
  /** Lines of the effects log: `begin KEY PATH` or `done KEY PATH`. */
  readonly effects: readonly string[];
  /** Processes that were started for a thread and are still there. */
  readonly left: readonly number[];
}

export interface Check {
  readonly claim: string;
  /** What speaks against it; the claim holds when there is nothing. */
  readonly against: readonly string[];
}

export function prove(evidence: Evidence): readonly Check[] {
  const always = [
    { claim: "every call has exactly one result", against: results(evidence) },
    { claim: "no call failed", against: failed(evidence) },
    { claim: "no answer was asked for twice, and none was paid twice", against: answers(evidence) },
    { claim: "every effect happened exactly once", against: effects(evidence) },
    { claim: "the ledger is the sum of the bills in the journals", against: ledger(evidence) },
    { claim: "every thread has ended, and the app is built", against: endings(evidence) },
    { claim: "no process is left", against: evidence.left.map((pid) => `pid ${pid} is still there`) },
  ];
  if (!evidence.before) return always;
  return [
    { claim: "what was stored before the kill is still there, unchanged", against: changed(evidence) },
    { claim: "the call that was cut off came to its end", against: cutOff(evidence) },
    ...always,
  ];
}

/** How much work was done again: results, answers and effects beyond the first of each. */
export function redone({ after, effects: lines }: Pick<Evidence, "after" | "effects">): number {
  const all = everything(after);
  return (
    beyondFirst(ofType(all, "tool_call_result").map(({ call_id }) => call_id)) +
    beyondFirst(ofType(all, "cognition_out").map(turnName)) +
    beyondFirst(doneKeys(lines))
  );
}

/** What was paid for an answer that had been paid for: by a second bill, or for a request that a kill cut off. */
export function repaid({ after }: Pick<Evidence, "after">): number {
  const paid = new Set<string>();
  let again = 0;
  for (const event of everything(after)) {
    if (event.type === "crash_recovered") again += billOf(event);
    if (event.type !== "cognition_out") continue;
    if (paid.has(turnName(event))) again += billOf(event);
    paid.add(turnName(event));
  }
  return again;
}

/** Model calls that a kill cut off: they are made again. */
export function cutOffCalls({ after }: Pick<Evidence, "after">): number {
  return ofType(everything(after), "crash_recovered").filter(({ model_call_again }) => model_call_again)
    .length;
}

function everything(journals: Journals): Event[] {
  return [...journals.values()].flat();
}

export function ofType<T extends Event["type"]>(events: readonly Event[], type: T): Event<T>[] {
  return events.filter((event): event is Event<T> & Event => event.type === type) as Event<T>[];
}

function turnName({ thread_id, turn }: { readonly thread_id: string; readonly turn: number }): string {
  return `${thread_id} turn ${turn}`;
}

function beyondFirst(keys: readonly string[]): number {
  return keys.length - new Set(keys).size;
}

function doneKeys(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.startsWith("done ") ? [line.split(" ")[1] ?? ""] : []));
}

function changed({ before = new Map(), after }: Evidence): string[] {
  return [...before].flatMap(([id, events]) =>
    events.flatMap((event, index) =>
      JSON.stringify(event) === JSON.stringify(after.get(id)?.[index])
        ? []
        : [`event ${event.seq} of ${id} (${event.type}) differs`],
    ),
  );
}

function results({ after }: Evidence): string[] {
  const all = everything(after);
  const counts = countBy(ofType(all, "tool_call_result").map(({ call_id }) => call_id));
  const started = new Set(ofType(all, "tool_call_start").map(({ call_id }) => call_id));
  const wrong = [...started].filter((call) => counts.get(call) !== 1);
  const strays = [...counts.keys()].filter((call) => !started.has(call));
  return [
    ...wrong.map((call) => `${call} has ${counts.get(call) ?? 0} results`),
    ...strays.map((call) => `${call} has a result and never started`),
  ];
}

function failed({ after }: Evidence): string[] {
  return ofType(everything(after), "tool_call_result").flatMap(({ tool, call_id, status }) =>
    status === "ok" ? [] : [`${tool} ${call_id} is recorded as ${status}`],
  );
}

function answers({ after }: Evidence): string[] {
  const all = everything(after);
  const counts = countBy(ofType(all, "cognition_out").map(turnName));
  const again = repaid({ after });
  return [
    ...[...counts].flatMap(([turn, count]) => (count === 1 ? [] : [`${turn} has ${count} answers`])),
    ...(again === 0 ? [] : [`$${showDollars(again)} was paid again`]),
  ];
}

/** Calls of the tool that keeps the log, by what is recorded of them and by what the log says. */
function effects({ after, effects: lines }: Evidence): string[] {
  const all = everything(after);
  const happened = countBy(doneKeys(lines));
  const begun = new Set(lines.map((line) => line.split(" ")[1] ?? ""));
  const calls = new Set(ofType(all, "tool_call_start").map(({ call_id }) => call_id));
  const recorded = ofType(all, "tool_call_result").filter(({ call_id }) => begun.has(call_id));
  return [
    ...[...happened].flatMap(([key, count]) => (count > 1 ? [`${key} happened ${count} times`] : [])),
    ...[...begun].flatMap((key) => (calls.has(key) ? [] : [`${key} happened without a call`])),
    ...recorded.flatMap(({ call_id, status }) =>
      status === "ok" && !happened.has(call_id) ? [`${call_id} is recorded as done and did not happen`] : [],
    ),
    ...(happened.size === 0 ? ["nothing happened at all"] : []),
  ];
}

/** The call that ran when the kill came may be run again, and only it. */
function cutOff({ before = new Map(), after, effects: lines }: Evidence): string[] {
  const all = everything(before);
  const finished = new Set(ofType(all, "tool_call_result").map(({ call_id }) => call_id));
  const open = ofType(all, "tool_call_start").filter(
    ({ call_id, effect }) => effect === "keyed" && !finished.has(call_id),
  );
  const ends = new Map(
    ofType(everything(after), "tool_call_result").map(({ call_id, status }) => [call_id, status]),
  );
  const begun = countBy(
    lines.flatMap((line) => (line.startsWith("begin ") ? [line.split(" ")[1] ?? ""] : [])),
  );
  const cut = new Set(open.map(({ call_id }) => call_id));
  return [
    ...(open.length === 0 ? ["no call was running when the kill came"] : []),
    ...open.flatMap(({ call_id, tool }) =>
      ends.get(call_id) === "ok"
        ? []
        : [`${tool} ${call_id} is recorded as ${ends.get(call_id) ?? "nothing"}`],
    ),
    ...[...begun].flatMap(([key, count]) =>
      count > 1 && !cut.has(key) ? [`${key} had ended and was begun ${count} times`] : [],
    ),
  ];
}

function ledger({ after, threads, total }: Evidence): string[] {
  const own = threads.flatMap(({ thread_id, spent }) => {
    const billed = (after.get(thread_id) ?? []).reduce((sum, event) => sum + billOf(event), 0);
    return billed === spent
      ? []
      : [`${thread_id} has bills of $${showDollars(billed)} and spent $${showDollars(spent)}`];
  });
  const sum = threads.reduce((all, { spent }) => all + spent, 0);
  return [
    ...own,
    ...(sum === total ? [] : [`its threads spent $${showDollars(sum)}, and the tree $${showDollars(total)}`]),
  ];
}

function endings({ threads }: Evidence): string[] {
  const living = threads.filter(({ status }) => !isTerminal(status));
  const root = threads.find(({ parent_id }) => parent_id === null);
  return [
    ...living.map(({ thread_id, status }) => `${thread_id} is ${status}`),
    ...(root?.status === "completed" ? [] : [`the root is ${root?.status ?? "not there"}`]),
  ];
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
