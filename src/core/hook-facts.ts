/**
 * What a hook may know, per event, declared once: conditions are checked against it when they are read, placeholders
 * are filled from it, and docs/hooks.md is made of it. The runtime hands over every fact that stands here, as nested
 * objects; what is not known is 0 or "", and only those marked `optional` may be unknown.
 */
import { closest } from "./closest.ts";
import { CATEGORIES } from "./failure.ts";
import type { Facts, HookEvent } from "./hook.ts";
import { LIMIT_CODES } from "./limit.ts";

export interface Fact {
  /** With its group: `cost.spend`. */
  readonly name: string;
  /** `anything`: fields and items of whatever kind, known only when it happens. */
  readonly type: "text" | "number" | "anything";
  readonly meaning: string;
  readonly optional?: boolean;
  /** All it can be; comparing it with another word is a mistake. */
  readonly values?: readonly string[];
}

export interface Moment {
  /** When the event is fired. */
  readonly fires: string;
  /** What happens when no hook decides otherwise. */
  readonly follows: string;
  /** Beside those that every event has. */
  readonly facts: readonly Fact[];
}

const text = (name: string, meaning: string): Fact => ({ name, type: "text", meaning });
const number = (name: string, meaning: string): Fact => ({ name, type: "number", meaning });
const optional = (fact: Fact): Fact => ({ ...fact, optional: true });
const oneOf = (fact: Fact, values: readonly string[]): Fact => ({ ...fact, values });

const ALWAYS: readonly Fact[] = [
  text("thread_id", "The thread."),
  text("directive", "Name of its directive."),
  number("turn", "The turn it is in, from 1; 0 before the first."),
  number("cost.turns", "Answers so far."),
  number("cost.tokens", "Tokens so far, in and out."),
  number("cost.input_tokens", "Tokens so far that were sent."),
  number("cost.output_tokens", "Tokens so far that were answered."),
  number("cost.spawns", "Children started."),
  optional(number("cost.spend", "Dollars; 0 while no price is known.")),
  number("cost.duration_seconds", "Seconds at work."),
  optional(number("limits.turns", "Its limit of turns; 0: none.")),
  optional(number("limits.tokens", "Its limit of tokens; 0: none.")),
  optional(number("limits.spend", "Its limit of dollars; 0: none.")),
  optional(number("limits.spawns", "Its limit of children; 0: none.")),
  optional(number("limits.duration", "Its limit of seconds; 0: none.")),
  optional(number("limits.depth", "Its limit of generations; 0: none.")),
];

const TOOL: readonly Fact[] = [
  text("tool", "Name of the tool."),
  {
    name: "input",
    type: "anything",
    meaning: "What the model handed to it: `input.path`, `input.command`, …",
  },
];

const MOMENTS: Readonly<Record<HookEvent, Moment>> = {
  before_step: {
    fires: "before each request to the model",
    follows: "the model is asked",
    facts: [],
  },
  after_step: {
    fires: "when an answer and the results of its tools are stored",
    follows: "the next turn begins, or the thread completes",
    facts: [],
  },
  error: {
    fires: "when a request to the model has failed",
    follows: "the retry rules decide: wait and ask again, suspend, or fail",
    facts: [
      oneOf(text("error_category", "What kind of failure it is."), CATEGORIES),
      optional(text("rule", "Id of the rule that told the category.")),
      optional(number("status", "HTTP status; 0 when the provider did not answer.")),
      number("attempt", "Which request of this turn failed, from 1."),
      text("message", "What went wrong, in words."),
    ],
  },
  limit: {
    fires: "when the next step would break a limit, before anything is spent",
    follows: "the thread is suspended and a person is asked, as limits.escalation says",
    facts: [
      oneOf(text("code", "Which limit; a code alone as condition means `code == '…'`."), LIMIT_CODES),
      number("current", "How much is used."),
      number("max", "The limit."),
      number("remaining", "What is left of it, 0 or more."),
    ],
  },
  before_tool: {
    fires: "before a tool is called",
    follows: "the tool is called",
    facts: TOOL,
  },
  after_tool: {
    fires: "when a tool has answered",
    follows: "the result goes to the model",
    facts: [...TOOL, text("result", "What the tool answered.")],
  },
  after_complete: {
    fires: "when a thread has done its work, never when it failed",
    follows: "the thread completes",
    facts: [text("result", "The final answer.")],
  },
  context_window_pressure: {
    fires:
      "before a turn, when the conversation has come to fill 0.8 of the model's window; again once it has been below 0.7",
    follows: "the turn begins; from `continuation.trigger_threshold` on, the thread is handed on first",
    facts: [
      number("tokens_used", "Tokens that the next request would send."),
      number("max_tokens", "Tokens that the model's window holds."),
      number("pressure_ratio", "The one over the other."),
    ],
  },
};

export function momentOf(event: HookEvent): Moment {
  return MOMENTS[event];
}

/** Everything known at an event. */
export function factsOf(event: HookEvent): readonly Fact[] {
  return [...ALWAYS, ...MOMENTS[event].facts];
}

/** Names of facts that somebody may have meant, and why what he wrote is none. */
export function unknownFact(name: string, event: HookEvent): { message: string; fix?: string } {
  const shown = JSON.stringify(name.slice(0, 60));
  const names = factsOf(event).map((fact) => fact.name);
  const sameEnd = names.filter((known) => known.endsWith(`.${name}`));
  const [meant] = sameEnd.length > 0 ? sameEnd : closest(name.slice(0, 100), names);
  if (meant) return { message: `there is no ${shown}; did you mean "${meant}"?`, fix: `write ${meant}` };
  const elsewhere = Object.entries(MOMENTS).find(([, moment]) =>
    moment.facts.some((fact) => fact.name === name),
  );
  if (elsewhere) return { message: `${shown} is known at ${elsewhere[0]}, not at ${event}` };
  return { message: `there is no ${shown} at ${event}; there are ${roots(names).join(", ")}` };
}

function roots(names: readonly string[]): string[] {
  const groups = names.map((name) => (name.includes(".") ? `${name.split(".")[0]}.…` : name));
  return [...new Set(groups)];
}

/** Every fact with the value of one that is not known, and what is given laid over them in its order; or what does not fit. */
export function completeFacts(
  event: HookEvent,
  ...given: readonly Facts[]
): { readonly facts: Facts } | { readonly problem: string; readonly fix?: string } {
  const facts: Record<string, unknown> = {};
  const declared = factsOf(event);
  for (const { name, type } of declared) place(facts, name, EMPTY[type]);
  for (const [name, value] of given.flatMap((some) => flat(some, declared))) {
    const fact = declared.find((candidate) => candidate.name === name);
    if (!fact) {
      const { message, fix } = unknownFact(name, event);
      return { problem: message, ...(fix === undefined ? {} : { fix }) };
    }
    if (fact.type !== "anything" && typeof value !== (fact.type === "text" ? "string" : "number"))
      return { problem: `"${name}" must be ${fact.type === "text" ? "text" : "a number"}` };
    place(facts, name, value);
  }
  return { facts };
}

const EMPTY: Readonly<Record<Fact["type"], unknown>> = { text: "", number: 0, anything: {} };

function place(facts: Record<string, unknown>, name: string, value: unknown): void {
  const [first = "", second] = name.split(".");
  if (second === undefined) facts[first] = value;
  else facts[first] = { ...(facts[first] as Facts | undefined), [second]: value };
}

/** Groups are opened, so that each fact stands under its full name. */
function flat(given: Facts, declared: readonly Fact[]): [string, unknown][] {
  return Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = declared.some((fact) => fact.name.startsWith(`${name}.`));
    if (!isGroup || typeof value !== "object" || value === null) return [[name, value]];
    return Object.entries(value).map(([field, item]) => [`${name}.${field}`, item]);
  });
}
