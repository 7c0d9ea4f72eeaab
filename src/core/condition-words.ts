/** What the library says of a condition, in words for the one who wrote it. */
import type { Fault } from "./condition-tree.ts";

/** What we read of the library's errors; everything may be missing. */
interface Told {
  readonly code?: string;
  readonly summary?: string;
  readonly message?: string;
  readonly range?: { readonly start: number };
}

const PARSE_WORDS: Readonly<Record<string, string>> = {
  unterminated_string: "a text is not closed",
  unterminated_triple_quoted_string: "a text is not closed",
  newline_in_string: "a text runs over the end of its line",
  limit_exceeded: "the condition is too large or nested too deep",
  invalid_macro_argument: "this function cannot be used like that",
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  invalid_macro_argument: "has needs a field: has(input.path)",
  invalid_logical_operand: "&& and || need something true or false on both sides",
};

export function parseFault(cause: unknown): Fault {
  const { code = "", summary, range } = cause as Told;
  const offset = range?.start ?? 0;
  const said = summary ?? String((cause as Error)?.message ?? cause);
  if (said.endsWith(": EOF") || said.endsWith("got EOF"))
    return { message: "the condition ends too early", offset };
  if (said.includes("character: =") || said.includes("character: '='"))
    return { message: "one = does not compare: write ==", fix: "write ==", offset };
  const message = PARSE_WORDS[code] ?? `not understood from character ${offset + 1} on: ${inWords(said)}`;
  return { message, offset };
}

export function typeFault(cause: unknown, original: (offset: number) => number): Fault {
  const { code = "", summary = "it does not fit", range } = cause as Told;
  return { message: TYPE_WORDS[code] ?? inWords(summary), offset: original(range?.start ?? 0) };
}

/** Facts are checked when a condition is read, so this is about what a model handed to a tool. */
export function isMissing(cause: unknown): boolean {
  return (cause as Told).code === "no_such_key";
}

export function runFault(cause: unknown): string {
  const { summary, message } = cause as Told;
  const said = summary ?? message ?? String(cause);
  if (isMissing(cause)) return said.replace(/^No such key: (.*)$/s, 'there is no "$1"');
  return inWords(said);
}

const KINDS: readonly [RegExp, string][] = [
  [/\bdyn<(\w+)>/g, "$1"],
  [/\blist<(\w+)>/g, "list of $1"],
  [/\b(double|int|uint)\b/g, "number"],
  [/\bstring\b/g, "text"],
  [/\bbool\b/g, "true-or-false"],
  [/\bdyn\b/g, "anything"],
];

function inWords(said: string): string {
  const plain = KINDS.reduce((text, [pattern, word]) => text.replace(pattern, word), said);
  const [, left, sign, right] = /^no such overload: (.+) (\S+) (.+)$/s.exec(plain) ?? [];
  if (left !== undefined) return `${sign} does not fit ${left} and ${right}`;
  const unary = /^no such overload: ([-!])(.+)$/s.exec(plain);
  if (unary) return `${unary[1]} does not fit ${unary[2]}`;
  const call = /^found no matching overload for '(.+)'$/s.exec(plain);
  if (call) return `there is no ${call[1]}`;
  return plain.slice(0, 1).toLowerCase() + plain.slice(1);
}
