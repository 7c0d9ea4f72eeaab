/** YAML a person wrote: text in, value and places out. Hostile text becomes complaints, never a crash or a hang. */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  Parser,
  type YAMLError,
} from "yaml";
import type { Complaint } from "../core/directive.ts";
import { isTooDeep, MAX_DEPTH, refusals } from "./refuse.ts";

export interface YamlText {
  readonly file: string;
  readonly text: string;
  /** Lines of the file that stand before `text`. */
  readonly linesBefore?: number;
}

export type Path = readonly PropertyKey[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Yaml {
  readonly file: string;
  readonly value: unknown;
  /** Where the key or the value at `path` stands; where it is not written, its nearest ancestor. */
  readonly placeOf: (path: Path, part: "key" | "value") => Place;
}

// `core` and no known tags: JSON's types only, whatever %YAML line or tag the text brings along.
// Duplicate keys are found by `refusals`: the library compares every pair of them.
const OPTIONS = {
  schema: "core",
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
} as const;

export function parseYaml(source: YamlText): Yaml | { readonly complaints: readonly Complaint[] } {
  const { lines, document, second, isTooDeep } = composed(source.text);
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + (source.linesBefore ?? 0), column: Math.max(col, 1) };
  };
  const complain = (offset: number, message: string): Complaint => ({
    file: source.file,
    ...place(offset),
    message,
  });

  if (isTooDeep) return { complaints: [complain(0, `nested deeper than ${MAX_DEPTH} levels`)] };
  if (!document) return { file: source.file, value: null, placeOf: () => place(0) };
  if (second)
    return { complaints: [complain(second.range[0], "a second document starts here; one is allowed")] };

  const problems = [...[...document.errors, ...document.warnings].map(fromLibrary), ...refusals(document)];
  if (problems.length > 0)
    return { complaints: problems.map(({ offset, message }) => complain(offset, message)) };
  const value = toValue(document);
  if ("tooMany" in value) return { complaints: [complain(0, value.tooMany)] };
  return { file: source.file, ...value, placeOf: (path, part) => place(offsetOf(document, path, part)) };
}

interface Composed {
  readonly lines: LineCounter;
  readonly document?: Document.Parsed | undefined;
  readonly second?: Document.Parsed | undefined;
  readonly isTooDeep?: boolean;
}

/** A directive is read for its head, for its hooks and for its lint; a start should not take it apart each time. */
const KEPT = 8;
const KEPT_CHARS = 1 << 16;
const kept = new Map<string, Composed>();

/** Nobody changes what it hands out: values are made anew for each reader. */
function composed(text: string): Composed {
  const known = kept.get(text) ?? compose(text);
  kept.delete(text);
  if (text.length <= KEPT_CHARS) kept.set(text, known);
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
  return known;
}

function compose(text: string): Composed {
  const bare = withoutComments(text);
  const found = bare === undefined ? undefined : composeAll(bare);
  return found && isSound(found) ? found : composeAll(text);
}

const COMMENT = /^ *#/;
/** One key, and at most one word behind it. */
const PLAIN = /^ *[a-z_][\w-]*:(?: [\w.-]+)?$/;

/**
 * A file of settings is mostly comments, which take the library as long as all the rest. They go, line by line, so that all
 * else stands where it stood; and only where no line could be anything but a comment, a key, or a key with a word.
 */
function withoutComments(text: string): string | undefined {
  const lines = text.split("\n");
  if (!lines.some((line) => COMMENT.test(line))) return undefined;
  const rest = lines.map((line) => (COMMENT.test(line) ? "" : line));
  return rest.every((line) => line === "" || PLAIN.test(line)) ? rest.join("\n") : undefined;
}

/** If anything is wrong, it is told of the text as it is. */
function isSound({ document, second, isTooDeep = false }: Composed): boolean {
  const wrong = document === undefined ? 0 : document.errors.length + document.warnings.length;
  return !isTooDeep && second === undefined && wrong === 0;
}

function composeAll(text: string): Composed {
  const lines = new LineCounter();
  // Most layers of settings have no file.
  if (text === "") return { lines };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (isTooDeep(tokens)) return { lines, isTooDeep: true };
  const [document, second] = new Composer(OPTIONS).compose(tokens, true, text.length);
  return { lines, document, second };
}

function fromLibrary({ pos, message }: YAMLError): { offset: number; message: string } {
  return { offset: pos[0], message };
}

function toValue(document: Document): { value: unknown } | { tooMany: string } {
  try {
    return { value: document.toJS() };
  } catch {
    // Only aliases can fail here: the library counts what they would expand to and throws.
    return { tooMany: "aliases would expand to too much" };
  }
}

function offsetOf(document: Document<ParsedNode>, path: Path, part: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = start(node) ?? 0;
  path.forEach((step, index) => {
    const { key, value } = child(node, step);
    const wantsKey = part === "key" && index === path.length - 1;
    // An item of a list has no key, and a key may be without its value: then the other part is near enough.
    offset = (wantsKey ? start(key) : start(value)) ?? start(key) ?? start(value) ?? offset;
    node = value;
  });
  return offset;
}

function child(node: unknown, step: PropertyKey): { key?: unknown; value?: unknown } {
  if (isSeq(node)) return { value: node.items[Number(step)] };
  const pair = isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
    : undefined;
  return pair ?? {};
}

function start(node: unknown): number | undefined {
  return isNode(node) || isAlias(node) ? node.range?.[0] : undefined;
}
