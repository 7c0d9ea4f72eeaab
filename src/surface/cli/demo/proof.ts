/**
 * The proof of the demo: from the journal before the kill, the journal at the end, and the effects that really
 * happened. It believes nothing that the runtime says of itself.
 */
import type { Event } from "../../../core/event.ts";

export interface Evidence {
  /** The journal as the killed process left it. */
  readonly before: readonly Event[];
  /** The journal when all was over. */
  readonly after: readonly Event[];
  /** Lines of the effects file, one per effect that took place. */
  readonly effects: readonly string[];
}

export interface Check {
  readonly claim: string;
  /** What speaks against it; the claim holds when there is nothing. */
  readonly against: readonly string[];
}

export function prove(evidence: Evidence): readonly Check[] {
  return [
    { claim: "what was stored before the kill is still there, unchanged", against: changed(evidence) },
    { claim: "every call has exactly one result", against: results(evidence) },
    { claim: "no answer was asked for twice", against: answers(evidence) },
    {
      claim: "every effect happened at most once, and what is recorded as done was done",
      against: effects(evidence),
    },
    { claim: "the call that was cut off is recorded as unknown, not guessed", against: cutOff(evidence) },
    { claim: "the thread completed", against: completed(evidence) },
  ];
}

/** How much work was done again: results, answers and effects beyond the first of each. */
export function redone({ after, effects: lines }: Evidence): number {
  const beyondFirst = (keys: readonly string[]) => keys.length - new Set(keys).size;
  return (
    beyondFirst(ofType(after, "tool_call_result").map(({ call_id }) => call_id)) +
    beyondFirst(ofType(after, "cognition_out").map(({ turn }) => String(turn))) +
    beyondFirst(lines)
  );
}

function ofType<T extends Event["type"]>(events: readonly Event[], type: T): Event<T>[] {
  return events.filter((event): event is Event<T> & Event => event.type === type) as Event<T>[];
}

function changed({ before, after }: Evidence): string[] {
  return before.flatMap((event, index) =>
    JSON.stringify(event) === JSON.stringify(after[index])
      ? []
      : [`event ${event.seq} (${event.type}) differs`],
  );
}

function results({ after }: Evidence): string[] {
  const counts = countBy(ofType(after, "tool_call_result").map(({ call_id }) => call_id));
  const started = new Set(ofType(after, "tool_call_start").map(({ call_id }) => call_id));
  const wrong = [...started].filter((call) => counts.get(call) !== 1);
  const strays = [...counts.keys()].filter((call) => !started.has(call));
  return [
    ...wrong.map((call) => `${call} has ${counts.get(call) ?? 0} results`),
    ...strays.map((call) => `${call} has a result and never started`),
  ];
}

function answers({ after }: Evidence): string[] {
  const counts = countBy(ofType(after, "cognition_out").map(({ turn }) => String(turn)));
  const turns = new Set(ofType(after, "step_start").map(({ turn }) => String(turn)));
  return [...turns].flatMap((turn) =>
    counts.get(turn) === 1 ? [] : [`turn ${turn} has ${counts.get(turn) ?? 0} answers`],
  );
}

const EFFECT = /echo '([^']+)' >> /;

/** The label that a call writes into the effects file. */
export function labelOf(input: unknown): string | undefined {
  const command = (input as { command?: unknown } | null)?.command;
  return typeof command === "string" ? EFFECT.exec(command)?.[1] : undefined;
}

function effects({ after, effects: lines }: Evidence): string[] {
  const happened = countBy(lines);
  const done = new Set(
    ofType(after, "tool_call_result").flatMap(({ call_id, status }) => (status === "ok" ? [call_id] : [])),
  );
  const labels = new Set(ofType(after, "tool_call_start").map(({ input }) => labelOf(input)));
  return [
    ...[...happened].flatMap(([label, count]) => (count > 1 ? [`"${label}" happened ${count} times`] : [])),
    ...[...happened.keys()].flatMap((label) =>
      labels.has(label) ? [] : [`"${label}" happened without a call`],
    ),
    ...ofType(after, "tool_call_start").flatMap((call) => {
      const label = labelOf(call.input);
      const isMissing = label !== undefined && done.has(call.call_id) && !happened.has(label);
      return isMissing ? [`"${label}" is recorded as done and did not happen`] : [];
    }),
  ];
}

function cutOff({ before, after }: Evidence): string[] {
  const finished = new Set(ofType(before, "tool_call_result").map(({ call_id }) => call_id));
  const open = ofType(before, "tool_call_start").filter(({ call_id }) => !finished.has(call_id));
  const manual = open.filter(({ effect }) => effect === "manual");
  if (manual.length === 0) return ["no manual call was running when the kill came"];
  return manual.flatMap(({ call_id, tool }) => {
    const result = ofType(after, "tool_call_result").find((one) => one.call_id === call_id);
    return result?.status === "unknown"
      ? []
      : [`${tool} ${call_id} is recorded as ${result?.status ?? "nothing"}`];
  });
}

function completed({ after }: Evidence): string[] {
  const last = after.at(-1)?.type ?? "nothing";
  return last === "thread_completed" ? [] : [`its last event is ${last}`];
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
