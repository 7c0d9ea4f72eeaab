/**
 * CEL as conditions use it. Every number is a double, as it is in JavaScript: whole numbers in the text are written as
 * decimals before it is compiled, so that `turn == 3` and `turn in [3, 4]` mean what they say. Facts are declared,
 * so no name reaches a prototype; what may be called is a short list (condition-tree.ts).
 */
import type * as Cel from "@marcbachmann/cel-js";
import { type Fault, inspectTree, type Rewrite } from "./condition-tree.ts";
import { isMissing, parseFault, runFault, typeFault } from "./condition-words.ts";
import type { Facts, HookEvent } from "./hook.ts";
import { type Fact, factsOf } from "./hook-facts.ts";
import { type Like, loadPatterns } from "./like.ts";

let cel: typeof Cel | undefined;

/** To be awaited before the first condition. Not at the start: most runs have none, and it takes its time. */
export async function loadConditions(): Promise<void> {
  cel ??= await import("@marcbachmann/cel-js");
  await loadPatterns();
}

const MOST_CHARS = 4_000;
const LIMITS: Cel.Limits = {
  maxAstNodes: 1_000,
  maxDepth: 50,
  maxListElements: 200,
  maxMapEntries: 1,
  maxCallArguments: 4,
};

interface Program {
  test(facts: Facts): boolean | { readonly error: string; readonly missing?: boolean };
}

export function compileText(text: string, event: HookEvent): Program | { readonly fault: Fault } {
  if (!cel) return { fault: { message: "conditions are not loaded yet", offset: 0 } };
  if (text.trim() === "") return { fault: { message: "the condition is empty", offset: 0 } };
  if (text.length > MOST_CHARS)
    return {
      fault: { message: `the condition is longer than ${MOST_CHARS} characters`, offset: MOST_CHARS },
    };
  const environment = environmentOf(cel, event);
  const parsed = parse(environment, text);
  if ("fault" in parsed) return parsed;
  const tree = inspectTree(parsed.ast, event);
  if ("fault" in tree) return tree;
  return compile(withLike(environment, tree.patterns), text, tree.rewrites);
}

function compile(
  environment: Cel.Environment,
  text: string,
  rewrites: readonly Rewrite[],
): Program | { readonly fault: Fault } {
  const parsed = parse(environment, rewritten(text, rewrites));
  if ("fault" in parsed) return { fault: { ...parsed.fault, offset: 0 } };
  const { valid, type, error } = parsed.check();
  if (!valid) return { fault: typeFault(error, (offset) => originalOffset(offset, rewrites)) };
  if (type !== "bool" && type !== "dyn")
    return { fault: { message: "it is neither true nor false: compare it with something", offset: 0 } };
  return { test: (facts) => ask(parsed, facts) };
}

/** The edge to the library: it throws for whatever the text or the facts bring along. */
function parse(environment: Cel.Environment, text: string): Cel.ParseResult | { readonly fault: Fault } {
  try {
    return environment.parse(text);
  } catch (cause) {
    return { fault: parseFault(cause) };
  }
}

function ask(
  program: Cel.ParseResult,
  facts: Facts,
): boolean | { readonly error: string; readonly missing?: boolean } {
  try {
    const answer: unknown = program({ __proto__: null, ...facts });
    return typeof answer === "boolean" ? answer : { error: "it is neither true nor false" };
  } catch (cause) {
    return { error: runFault(cause), ...(isMissing(cause) ? { missing: true } : {}) };
  }
}

const environments = new Map<HookEvent, Cel.Environment>();

function environmentOf({ Environment }: typeof Cel, event: HookEvent): Cel.Environment {
  const known = environments.get(event);
  if (known) return known;
  const made = new Environment({
    unlistedVariablesAreDyn: false,
    // A list may hold numbers and texts.
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  });
  for (const [name, fact] of variablesOf(factsOf(event))) {
    if (typeof fact === "string") made.registerVariable(name, fact);
    else made.registerVariable(name, { schema: fact });
  }
  made.registerOperator("double % double: double", (left: number, right: number) => left % right);
  environments.set(event, made);
  return made;
}

const KINDS: Readonly<Record<Fact["type"], string>> = { text: "string", number: "double", anything: "dyn" };

function variablesOf(facts: readonly Fact[]): Map<string, string | Record<string, string>> {
  const variables = new Map<string, string | Record<string, string>>();
  for (const { name, type } of facts) {
    const [first = "", second] = name.split(".");
    const group = variables.get(first);
    if (second === undefined) variables.set(first, KINDS[type]);
    else variables.set(first, { ...(typeof group === "object" && group), [second]: KINDS[type] });
  }
  return variables;
}

/** Each condition knows its own patterns, and no others. */
function withLike(environment: Cel.Environment, patterns: ReadonlyMap<string, Like>): Cel.Environment {
  if (patterns.size === 0) return environment;
  const like = (text: string, pattern: string) => patterns.get(pattern)?.(text) ?? false;
  return environment.clone().registerFunction("like(string, string): bool", like, { async: false });
}

function rewritten(text: string, rewrites: readonly Rewrite[]): string {
  let result = "";
  let from = 0;
  for (const { start, end, text: replacement } of inOrder(rewrites)) {
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

function originalOffset(offset: number, rewrites: readonly Rewrite[]): number {
  let added = 0;
  for (const { start, end, text } of inOrder(rewrites)) {
    if (start + added >= offset) break;
    added += text.length - (end - start);
  }
  return Math.max(0, offset - added);
}

function inOrder(rewrites: readonly Rewrite[]): Rewrite[] {
  return [...rewrites].sort((left, right) => left.start - right.start || left.end - right.end);
}
