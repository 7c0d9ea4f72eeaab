/** What a parsed condition may hold: facts of its event, comparisons, and a few functions. Everything else is refused. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { closest } from "./closest.ts";
import type { HookEvent } from "./hook.ts";
import { type Fact, factsOf, unknownFact } from "./hook-facts.ts";
import { compilePattern, type Like } from "./like.ts";

export interface Fault {
  readonly message: string;
  readonly fix?: string;
  readonly offset: number;
}

/** A piece of the text, and what it is to be read as. */
export interface Rewrite {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Tree {
  readonly rewrites: readonly Rewrite[];
  readonly patterns: ReadonlyMap<string, Like>;
}

interface Walk {
  readonly event: HookEvent;
  readonly facts: readonly Fact[];
  readonly rewrites: Rewrite[];
  readonly patterns: Map<string, Like>;
}

const FUNCTIONS = ["has", "size", "like"];
const METHODS = ["startsWith", "endsWith", "contains"];
/** Of CEL, but over a list that a model wrote they could take any time. */
const LOOPS = ["all", "exists", "exists_one", "filter", "map"];

export function inspectTree(root: ASTNode, event: HookEvent): Tree | { readonly fault: Fault } {
  const walk: Walk = { event, facts: factsOf(event), rewrites: [], patterns: new Map() };
  const left = [root];
  // Node counts are limited, so the tree is small; and no recursion is needed.
  for (let node = left.pop(); node; node = left.pop()) {
    const fault = faultOf(node, walk);
    if (fault) return { fault: { offset: node.pos, ...fault } };
    left.push(...childrenOf(node).reverse());
  }
  return walk;
}

type Wrong = Omit<Fault, "offset"> & Partial<Pick<Fault, "offset">>;

function faultOf(node: ASTNode, walk: Walk): Wrong | undefined {
  switch (node.op) {
    case "value":
      return literalFault(node, walk);
    case "id":
    case ".": {
      const path = pathOf(node);
      return path && factFault(path, walk, node);
    }
    case "call":
      return callFault(node, walk);
    case "rcall":
      return methodFault(node.args[0]);
    case "==":
    case "!=":
    case "in":
      return wordFault(node.args[0], node.args[1], walk) ?? wordFault(node.args[1], node.args[0], walk);
    case "map":
      return { message: "mappings are no part of a condition" };
    default:
      return undefined;
  }
}

/** A path is judged as a whole, so nothing of it is looked at again. */
function childrenOf(node: ASTNode): ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return pathOf(node) ? [] : [node.args[0]];
    case "call":
      return [...node.args[1]];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "list":
      return [...node.args];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return [...node.args];
  }
}

/** `cost.spend` as its names; undefined for what is a field of something else. */
function pathOf(node: ASTNode): string[] | undefined {
  if (node.op === "id") return [node.args];
  if (node.op !== ".") return undefined;
  const before = pathOf(node.args[0]);
  return before && [...before, node.args[1]];
}

function factFault(path: readonly string[], { event, facts }: Walk, node: ASTNode): Wrong | undefined {
  const name = path.join(".");
  if (facts.some((fact) => fact.name === name)) return undefined;
  const holder = facts.find((fact) => name.startsWith(`${fact.name}.`));
  if (holder?.type === "anything") return undefined;
  if (holder)
    return {
      message: `"${holder.name}" is ${holder.type === "text" ? "text" : "a number"} and has no fields`,
      offset: node.start,
    };
  const inGroup = facts.filter((fact) => fact.name.startsWith(`${name}.`)).map((fact) => fact.name);
  if (inGroup.length > 0)
    return { message: `"${name}" is no fact by itself; there are ${inGroup.join(", ")}` };
  return { ...unknownFact(name, event), offset: node.start };
}

function literalFault(node: Extract<ASTNode, { op: "value" }>, { rewrites }: Walk): Wrong | undefined {
  const value = node.args;
  if (typeof value === "bigint") {
    const text = String(Number(value));
    if (!Number.isSafeInteger(Number(value))) return { message: "the number is too large" };
    rewrites.push({ start: node.start, end: node.end, text: `${text}.0` });
    return undefined;
  }
  const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
  return isPlain ? undefined : { message: "only texts, numbers, true, false and null can be written here" };
}

function callFault(node: Extract<ASTNode, { op: "call" }>, walk: Walk): Wrong | undefined {
  const [name, given] = node.args;
  if (!FUNCTIONS.includes(name)) return METHODS.includes(name) ? asMethod(name) : unknownFunction(name);
  // Counts are whole numbers to the library, and all of ours are decimals.
  if (name === "size")
    walk.rewrites.push(
      { start: node.start, end: node.start, text: "double(" },
      { start: node.end, end: node.end, text: ")" },
    );
  return name === "like" ? likeFault(given, walk) : undefined;
}

function likeFault(given: readonly ASTNode[], { patterns }: Walk): Wrong | undefined {
  const pattern = given[1];
  if (given.length !== 2 || pattern?.op !== "value" || typeof pattern.args !== "string")
    return { message: "like needs a text and a pattern that is written out: like(tool, '^git')" };
  const compiled = compilePattern(pattern.args);
  if ("why" in compiled) return { message: `no pattern: ${compiled.why}`, offset: pattern.start };
  patterns.set(pattern.args, compiled.like);
  return undefined;
}

function methodFault(name: string): Wrong | undefined {
  if (METHODS.includes(name)) return undefined;
  if (name === "matches") {
    const message =
      "matches can hang on a long text and is not there; like(text, 'pattern') does the same and cannot";
    return { message, fix: "write like(text, 'pattern')" };
  }
  if (FUNCTIONS.includes(name))
    return { message: `write ${name}(…), not ….${name}(…)`, fix: `write ${name}(…)` };
  if (LOOPS.includes(name)) return { message: `${name} is not there: conditions have no loops` };
  return unknownFunction(name);
}

function asMethod(name: string): Wrong {
  return { message: `write text.${name}(…), not ${name}(…)`, fix: `write text.${name}(…)` };
}

function unknownFunction(name: string): Wrong {
  const known = [...FUNCTIONS, ...METHODS];
  const [meant] = closest(name.slice(0, 100), known);
  const shown = JSON.stringify(name.slice(0, 60));
  if (meant)
    return { message: `there is no function ${shown}; did you mean "${meant}"?`, fix: `write ${meant}` };
  return { message: `there is no function ${shown}; there are ${known.join(", ")}` };
}

/** A fact that is one of a few words, held against a word it can never be. */
function wordFault(fact: ASTNode, other: ASTNode, { facts }: Walk): Wrong | undefined {
  const values = facts.find(({ name }) => name === pathOf(fact)?.join("."))?.values;
  if (!values) return undefined;
  const words = other.op === "list" ? other.args : [other];
  const wrong = words.find(
    (word) => word.op === "value" && typeof word.args === "string" && !values.includes(word.args),
  );
  if (!wrong) return undefined;
  const word = String(wrong.args);
  const [meant] = closest(word.slice(0, 100), values);
  const hint = meant ? `did you mean "${meant}"?` : `it is one of ${values.join(", ")}`;
  const name = pathOf(fact)?.join(".");
  return {
    message: `"${name}" is never ${JSON.stringify(word.slice(0, 60))}; ${hint}`,
    ...(meant === undefined ? {} : { fix: `write '${meant}'` }),
    offset: wrong.start,
  };
}
