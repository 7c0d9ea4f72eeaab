/**
 * Conditions of hooks: read once, against the facts of their event, and asked often.
 *   C1. What is wrong with one is said when it is read: unknown names, clashing kinds, functions there are none of.
 *   C2. None of them can hold us up: no loops, no backtracking, limits on size (condition-engine.ts, like.ts).
 *   C3. One that fails when it is asked does not match, and says why.
 */
import { closest } from "./closest.ts";
import { compileText } from "./condition-engine.ts";
import { mappingText } from "./condition-mapping.ts";
import type { Facts, HookEvent } from "./hook.ts";
import { type Fact, factsOf } from "./hook-facts.ts";

export { loadConditions } from "./condition-engine.ts";

export interface Condition {
  /** As CEL, also where a mapping was written. */
  readonly source: string;
  test(facts: Facts): boolean | Untold;
}

/** It cannot be told. `missing`: only because what it asks about is not there, as with the arguments of another tool. */
interface Untold {
  readonly error: string;
  readonly missing?: boolean;
}

interface ConditionFault {
  readonly message: string;
  /** What to write instead, where that is known. */
  readonly fix?: string;
  /** In the text, from 0. */
  readonly offset: number;
  /** To the wrong part of a mapping. */
  readonly path: readonly (string | number)[];
}

/** CEL, a bare code of a limit, or a mapping. */
export type When = string | Readonly<Record<string, unknown>>;

export type Compiled = Condition | { readonly fault: ConditionFault };

/** `loadConditions` must have been awaited. */
export function compileCondition(when: When, event: HookEvent): Compiled {
  const whole =
    typeof when === "string" ? readText(when, event) : mappingText(when, (text) => readText(text, event));
  if ("fault" in whole) return faulty(whole.fault);
  const compiled = compileText(whole.text, event);
  if ("fault" in compiled) return faulty(compiled.fault);
  const source = typeof when === "string" ? when : whole.text;
  return { source: source.trim(), test: compiled.test };
}

type Told = { readonly message: string; readonly fix?: string };

/** One text as CEL, or what is wrong with it. */
function readText(text: string, event: HookEvent): { text: string } | { fault: Told & { offset?: number } } {
  const bare = /^\s*([A-Za-z_]+)\s*$/.exec(text)?.[1];
  const code = bare === undefined ? undefined : bareCode(bare, event);
  if (code && "message" in code) return { fault: code };
  const spelled = code?.text ?? text;
  const compiled = compileText(spelled, event);
  return "fault" in compiled ? compiled : { text: spelled };
}

/** Undefined: no code, so let it be read as CEL. */
function bareCode(word: string, event: HookEvent): { readonly text: string } | Told | undefined {
  const facts = factsOf(event);
  if (word === "true" || word === "false" || facts.some(({ name }) => isAbout(name, word))) return undefined;
  const codes = allCodes();
  const home = codes.find(({ fact }) => fact.values?.includes(word));
  if (event === "limit") {
    const own = facts.find(({ name }) => name === "code")?.values ?? [];
    if (own.includes(word)) return { text: `code == '${word}'` };
    const [meant] = closest(word.slice(0, 100), own);
    const hint = meant ? `did you mean "${meant}"?` : `there are ${own.join(", ")}`;
    return {
      message: `there is no code "${word.slice(0, 60)}"; ${hint}`,
      ...(meant && { fix: `write ${meant}` }),
    };
  }
  if (!home) return undefined;
  if (home.event !== event)
    return { message: `"${word}" is a word of the event ${home.event}, not of ${event}` };
  const whole = `${home.fact.name} == '${word}'`;
  return { message: `"${word}" alone is no condition here; write ${whole}`, fix: `write ${whole}` };
}

function isAbout(name: string, word: string): boolean {
  return name === word || name.startsWith(`${word}.`);
}

function allCodes(): { event: HookEvent; fact: Fact }[] {
  const events = ["limit", "error"] as const;
  return events.flatMap((event) =>
    factsOf(event)
      .filter(({ values }) => values !== undefined)
      .map((fact) => ({ event, fact })),
  );
}

function faulty(fault: Partial<ConditionFault> & Pick<ConditionFault, "message">): { fault: ConditionFault } {
  return { fault: { offset: 0, path: [], ...fault } };
}
