/**
 * What is looked for, compiled. A text is found as a person reads it: case is ignored as Unicode folds single characters.
 * A pattern is RE2's, with case, in time that grows with the text alone (I8).
 */
import { compileProgram, type Program } from "./like.ts";
import { requiredText } from "./search-literal.ts";

/** Where something stands in a text: from, and up to but without. */
export type Span = readonly [number, number];

export interface Query {
  readonly text: string;
  readonly how: "text" | "regex";
}

export interface Matcher {
  /** What every text that matches contains, whatever its case; undefined when nothing is known. */
  readonly needle: string | undefined;
  /** Whether JSON that was made from a text can hold a match: "no" is certain, "yes" is not. */
  mayBeIn(json: string): boolean;
  /** The first matches, at most `MOST_SPANS`; throws `TooLong`. */
  spansIn(text: string): readonly Span[];
}

export interface QueryProblem {
  readonly why: string;
  /** Where in the query, from 0. */
  readonly at?: number;
}

/** The text is too long for the pattern to be tried on it without holding everybody up. */
export class TooLong extends Error {}

export const MOST_SPANS = 100;
/** The longest text that is looked for: to compare takes time in proportion to it. */
const MOST_CHARS = 200;
/** As in `like.ts`: the engine's time is the length of the text times that of the program. */
const MOST_STEPS = 200_000_000;

/** For a pattern, `loadPatterns` must have been awaited. */
export function compileQuery({ text, how }: Query): Matcher | QueryProblem {
  if (text === "") return { why: "it is empty" };
  return how === "text" ? literal(text) : pattern(text);
}

function literal(text: string): Matcher | QueryProblem {
  if (text.length > MOST_CHARS) return { why: `it is longer than ${MOST_CHARS} characters` };
  const found = folding(text, "giu");
  return {
    needle: text,
    mayBeIn: jsonFilter(text),
    spansIn: (given) => {
      const spans: Span[] = [];
      found.lastIndex = 0;
      for (let match = found.exec(given); match; match = found.exec(given)) {
        spans.push([match.index, match.index + match[0].length]);
        if (spans.length === MOST_SPANS) break;
      }
      return spans;
    },
  };
}

function pattern(source: string): Matcher | QueryProblem {
  const program = compileProgram(source, true);
  if ("why" in program) return { why: program.why, ...placeOf(source, program.piece) };
  if (program.compiled.test("")) return { why: "it fits the empty text, and so it is found everywhere" };
  const needle = requiredText(source);
  return {
    needle,
    mayBeIn: needle === undefined ? () => true : jsonFilter(needle),
    spansIn: (text) => matches(program, text),
  };
}

function matches({ compiled, size }: Program, text: string): Span[] {
  if (size * text.length > MOST_STEPS) throw new TooLong();
  // To say only whether it fits is many times as fast as to say where.
  if (!compiled.test(text)) return [];
  const spans: Span[] = [];
  const matcher = compiled.matcher(text);
  while (spans.length < MOST_SPANS && matcher.find()) spans.push([matcher.start(), matcher.end()]);
  return spans;
}

/**
 * `JSON.stringify` writes a text character by character, and what it escapes has no case: so what is in a text is,
 * written the same way, in its JSON.
 */
function jsonFilter(needle: string): Matcher["mayBeIn"] {
  const written = folding(inJson(needle), "iu");
  return (json) => written.test(json);
}

/** As it stands between the quotes. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Compared character by character (simple case folding), so a place in the text is a place in what was given. */
function folding(text: string, flags: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[\ud800-\udfff]/gu, lone);
  return new RegExp(escaped, flags);
}

function lone(half: string): string {
  return `\\u${half.charCodeAt(0).toString(16)}`;
}

function placeOf(source: string, piece: string | undefined): { readonly at?: number } {
  if (piece === undefined) return {};
  // Of a group that is never closed the engine names the whole pattern.
  const at = piece === source ? openGroup(source) : source.indexOf(piece);
  return at < 0 ? {} : { at };
}

function openGroup(source: string): number {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === "\\") at += 1;
    else if (inClass) inClass = sign !== "]";
    else if (sign === "[") inClass = true;
    else if (sign === "(") open.push(at);
    else if (sign === ")" && open.pop() === undefined) return at;
  }
  return open.at(-1) ?? 0;
}
