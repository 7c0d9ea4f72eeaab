/**
 * What a failure means, as a table (E2). The first rule that matches decides, in this order:
 *   C1. Protected rules come before everything, those without a text first. They are about stops, misuse, money,
 *       keys and a context that is too long; no file replaces them, so no file can turn them into retries.
 *   C2. Then structure: rules without a text, a project's before its user's, the machine's and the built-in ones.
 *   C3. Text last, in the same order: words are the weakest evidence, and anyone may have written them.
 * Only what an adapter reports is looked at, never what a model or a tool said.
 */
import type { Category, Classified, Failure, Policy } from "./failure.ts";
import { KNOWN_RULES, PROTECTED_RULES } from "./known-rules.ts";

type OneOrMore<T> = T | readonly T[];

/** All parts that are there must hold. */
export interface Match {
  readonly kind?: OneOrMore<Failure["kind"]>;
  readonly status?: OneOrMore<number>;
  /** Compared without regard to case. */
  readonly type?: OneOrMore<string>;
  readonly protocol?: string;
  /** Of its message. A file's pattern brings its own engine along. */
  readonly text?: { test(text: string): boolean };
}

export interface Rule {
  readonly id: string;
  readonly match: Match;
  readonly category: Category;
  /** How long to wait; by default what fits the category. */
  readonly policy?: Policy;
  /** File and line; without one it is built in. */
  readonly origin?: string;
}

/** In the order in which they are tried; made by `ruleSet`. */
export type RuleSet = readonly Rule[];

/** Of a message, this much is read: more would only be somebody's text, and time. */
const TEXT_CHARS = 2_000;

const POLICY_OF: Partial<Record<Category, Policy>> = {
  transient: "exponential",
  rate_limited: "rate_limited",
  quota: "quota",
};

/** Total. An unknown failure is permanent: retrying what we do not understand spends money on hope. */
export function classify(failure: Failure, rules: RuleSet = builtInRules): Classified {
  const rule = ruleFor(failure, rules);
  if (!rule) return { category: "permanent", rule: "unknown", policy: undefined };
  return { category: rule.category, rule: rule.id, policy: rule.policy ?? POLICY_OF[rule.category] };
}

/**
 * The rule that decides. A file may know failures that we do not; it never has one tried again that is about keys or
 * money by our own rules, whatever it calls its rule and whatever words it matches.
 */
export function ruleFor(failure: Failure, rules: RuleSet): Rule | undefined {
  const found = firstOf(failure, rules);
  if (found?.origin === undefined || !RETRIED.includes(found.category)) return found;
  const own = firstOf(failure, builtInRules);
  return own && isProtected(own.id) ? own : found;
}

const RETRIED: readonly Category[] = ["transient", "rate_limited"];

function firstOf(failure: Failure, rules: RuleSet): Rule | undefined {
  const text = failure.message.slice(0, TEXT_CHARS);
  const names = [failure.type, failure.typeFamily].flatMap((name) => name?.toLowerCase() ?? []);
  return rules.find(
    ({ match: { kind, status, type, protocol, text: pattern } }) =>
      (kind === undefined || listed(kind).includes(failure.kind)) &&
      (status === undefined || (failure.status !== undefined && listed(status).includes(failure.status))) &&
      (type === undefined || listed(type).some((name) => names.includes(name.toLowerCase()))) &&
      (protocol === undefined || protocol === failure.protocol) &&
      (pattern === undefined || pattern.test(text)),
  );
}

/** Layers from the highest to the lowest. A rule takes the place of those with its id below it. */
export function ruleSet(...layers: readonly (readonly Rule[])[]): RuleSet {
  const byId = new Map<string, Rule>();
  for (const rule of [...layers, KNOWN_RULES].flat()) if (!byId.has(rule.id)) byId.set(rule.id, rule);
  return [...textLast(PROTECTED_RULES), ...textLast([...byId.values()])];
}

export const builtInRules: RuleSet = ruleSet();

export function isProtected(id: string): boolean {
  return PROTECTED_RULES.some((rule) => rule.id === id) || GUARDED.includes(id);
}

/** About keys and money too, but not before the structure of a failure: words like these stand in other failures as well. */
const GUARDED: readonly string[] = ["auth-words", "quota-type", "quota-text"];

/** The protected rule that has a say in what `match` asks for by status or type. */
export function protectedIn({ status, type }: Match): Rule | undefined {
  return builtInRules
    .filter(({ id }) => isProtected(id))
    .find(({ match }) => share(status, match.status, Number) || share(type, match.type, lowerCase));
}

function share<T, K>(left: OneOrMore<T> | undefined, right: OneOrMore<T> | undefined, key: (item: T) => K) {
  if (left === undefined || right === undefined) return false;
  const keys = listed(right).map(key);
  return listed(left).some((item) => keys.includes(key(item)));
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function textLast(rules: readonly Rule[]): Rule[] {
  return [
    ...rules.filter(({ match }) => match.text === undefined),
    ...rules.filter(({ match }) => match.text !== undefined),
  ];
}

function listed<T>(value: OneOrMore<T>): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}
