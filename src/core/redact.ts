/**
 * Text without its secrets (K5). A known value becomes `[secret NAME]`, also where it stands encoded; what only looks
 * like a secret becomes `[secret]`.
 *   X1. Time is linear in the text: one pass that looks at three characters, and further only where a secret begins
 *       with them.
 *   X2. Twice is as good as once: marks stay as they are, and no secret is part of one.
 *   X3. Everything else stays byte for byte; a value without secrets is handed back itself, so that `===` tells.
 *   X4. Text in pieces comes out as the whole would: what may be the beginning of a secret waits for the rest.
 */
import type { Secret } from "./secret.ts";
import { formsOf, SHORTEST_FORM } from "./secret-forms.ts";
import { SECRET_MARK, withoutShapes } from "./secret-shapes.ts";

export interface Redactor {
  text(text: string): string;
  /** Every text in a JSON value, keys too. */
  value<T>(json: T): T;
  /** For a text that may be cut off: the beginning of a secret at its end goes as well. */
  cut(text: string): string;
  /** For a text that comes in pieces (X4). */
  stream(): RedactedStream;
}

export interface RedactedStream {
  /** What may be shown by now. */
  push(piece: string): string;
  /** The rest, as `cut` shows it: the answer may have broken off in the middle of a secret. */
  end(): string;
}

interface Form {
  readonly text: string;
  readonly mark: string;
}

export function redactor(secrets: readonly Secret[]): Redactor {
  const find = finder(formsIn(secrets));
  const text = (given: string) =>
    given.length < SHORTEST_FORM ? given : withoutShapes(find.replaced(given));
  const value = <T>(json: T): T => inValue(json, text) as T;
  return { text, value, cut: (given) => cutOff(text(given), find), stream: () => streamOf(text, find) };
}

/** Fewer characters of a secret say nothing. */
const TELLING = 4;

function cutOff(text: string, { openAt }: Finder): string {
  const shown = text.endsWith("…") ? text.slice(0, -1) : text;
  const at = openAt(shown);
  return shown.length - at < TELLING ? text : `${shown.slice(0, at)}…`;
}

const MARK = /\[secret(?: [\w.-]{1,100})?\]/;

/** Whether a text of this value stands for one that is not here: nothing can be done with it but to say so. */
export function holdsMark(json: unknown): boolean {
  return inValue(json, (text) => (MARK.test(text) ? "" : text)) !== json;
}

/** Marks are found like secrets, and replaced by themselves (X2). */
function formsIn(secrets: readonly Secret[]): Form[] {
  const marks = new Map([[SECRET_MARK, SECRET_MARK]]);
  for (const { name } of secrets) marks.set(markOf(name), markOf(name));
  const inMark = (form: string) =>
    [...marks.keys()].some((mark) => mark.includes(form) || form.includes(mark));
  const forms = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const form of formsOf(value)) if (!forms.has(form) && !inMark(form)) forms.set(form, markOf(name));
  }
  const all = [...marks, ...forms].map(([text, mark]) => ({ text, mark }));
  return all.sort((left, right) => right.text.length - left.text.length);
}

function markOf(name: string): string {
  return `[secret ${name.replace(/[^\w.-]/g, "_").slice(0, 100)}]`;
}

interface Finder {
  replaced(text: string): string;
  /** Where the longest beginning of a secret starts that the text ends in; its length when there is none. */
  openAt(text: string): number;
}

const BUCKETS = 1 << 16;

function finder(forms: readonly Form[]): Finder {
  const begins = new Uint8Array(BUCKETS);
  const buckets = new Map<number, Form[]>();
  for (const form of forms) {
    const [first, second, third] = [0, 1, 2].map((at) => form.text.charCodeAt(at));
    const bucket = bucketOf(first ?? 0, second ?? 0, third ?? 0);
    begins[bucket] = 1;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), form]);
  }
  const formAt = (bucket: number, text: string, at: number) =>
    buckets.get(bucket)?.find((form) => text.startsWith(form.text, at));
  const longest = forms[0]?.text.length ?? 0;
  const firsts = new Set(forms.map((form) => form.text.charCodeAt(0)));
  const openAt = (text: string) => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      if (!firsts.has(text.charCodeAt(at))) continue;
      const rest = text.slice(at);
      if (forms.some((form) => form.text.startsWith(rest))) return at;
    }
    return text.length;
  };
  return { replaced: (text) => joined(text, found(text, begins, formAt)), openAt };
}

function bucketOf(first: number, second: number, third: number): number {
  return (first ^ (second << 5) ^ (third << 10)) & (BUCKETS - 1);
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly mark: string;
}

/** X1. Secrets that overlap go together: what is left of the second would be part of it. */
function found(
  text: string,
  begins: Uint8Array,
  formAt: (bucket: number, text: string, at: number) => Form | undefined,
): Span[] {
  const spans: Span[] = [];
  const last = text.length - SHORTEST_FORM;
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let at = 0; at <= last; at += 1) {
    const third = text.charCodeAt(at + 2);
    const bucket = bucketOf(first, second, third);
    first = second;
    second = third;
    if (begins[bucket] === 0) continue;
    const form = formAt(bucket, text, at);
    if (!form) continue;
    const to = at + form.text.length;
    const before = spans.at(-1);
    if (before && before.to > at) spans[spans.length - 1] = { ...before, to: Math.max(before.to, to) };
    else spans.push({ from: at, to, mark: form.mark });
  }
  return spans;
}

function joined(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let kept = "";
  let at = 0;
  for (const { from, to, mark } of spans) {
    kept += text.slice(at, from) + mark;
    at = to;
  }
  return kept + text.slice(at);
}

function inValue(json: unknown, text: (given: string) => string): unknown {
  if (typeof json === "string") return text(json);
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) {
    const items = json.map((item) => inValue(item, text));
    return items.some((item, index) => item !== json[index]) ? items : json;
  }
  return isClean(json, text)
    ? json
    : Object.fromEntries(Object.entries(json).map(([key, item]) => [text(key), inValue(item, text)]));
}

/** Most values are, and nothing is made for them. */
function isClean(json: object, text: (given: string) => string): boolean {
  for (const key of Object.keys(json)) {
    const item: unknown = json[key as keyof typeof json];
    if (text(key) !== key || inValue(item, text) !== item) return false;
  }
  return true;
}

/** No word that matters is longer, and nobody waits for more. */
const MOST_HELD = 8_192;

function streamOf(text: Redactor["text"], find: Finder): RedactedStream {
  let held = "";
  return {
    push: (piece) => {
      held += piece;
      const end = wordAt(held, Math.min(find.openAt(held), openKeyAt(held)));
      if (end === 0) return "";
      const [start, rest] = [held.slice(0, end), held.slice(end)];
      const whole = text(held);
      const shown = whole === held ? start : text(start);
      // A secret that lies across the cut would be taken apart by it.
      if (whole !== held && shown + text(rest) !== whole) return "";
      held = rest;
      return shown;
    },
    end: () => {
      const last = text(held);
      held = "";
      return cutOff(last, find);
    },
  };
}

/** Where the word begins that `end` is in or after, with `Bearer` before it: it may go on. One without end is not waited for. */
function wordAt(text: string, end: number): number {
  let at = end;
  while (at > 0 && isInWord(text.charCodeAt(at - 1))) at -= 1;
  if (end - at > MOST_HELD) return end;
  const before = /(?:[Bb]earer|[Bb]asic) {0,4}$/.exec(text.slice(Math.max(0, at - 10), at));
  return before ? at - before[0].length : at;
}

function isInWord(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** A private key whose last line is not there yet. */
function openKeyAt(text: string): number {
  if (!text.includes("-----BEGIN ")) return text.length;
  const over = [...text.matchAll(/-----END [A-Z0-9 ]{1,60}-----/g)].at(-1);
  const at = text.indexOf("-----BEGIN ", over ? over.index + over[0].length : 0);
  return at >= 0 && text.length - at < MOST_HELD ? at : text.length;
}
