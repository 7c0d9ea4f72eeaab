/** `like(text, pattern)` of conditions: regular expressions whose time is bounded, whatever text a model brings along. */
import type { RE2JS } from "re2js";

let engine: typeof RE2JS | undefined;

export async function loadPatterns(): Promise<void> {
  engine ??= (await import("re2js")).RE2JS;
}

const MOST_CHARS = 1_000;
/** The engine takes time in proportion to the length of the text and of the program that a pattern becomes. */
const MOST_STEPS = 50_000_000;
const MOST_INSTRUCTIONS = 5_000;

export type Like = (text: string) => boolean;

export interface Pattern {
  readonly like: Like;
  /** Instructions of the program it became: time is this, times the length of the text. */
  readonly size: number;
}

/** What is wrong with the pattern, in words for the one who wrote it; or a search for it anywhere in a text. */
export function compilePattern(source: string): Pattern | { readonly why: string } {
  const program = compileProgram(source);
  if ("why" in program) return { why: program.why };
  const { compiled, size } = program;
  return { size, like: (text) => isFound(compiled, size, text) };
}

export interface Program {
  readonly compiled: RE2JS;
  readonly size: number;
}

/** With `lines`, `^` and `$` are the ends of each line. `piece`: the part of the pattern that is wrong, where it is known. */
export function compileProgram(
  source: string,
  lines = false,
): Program | { readonly why: string; readonly piece?: string } {
  if (!engine) return { why: "patterns are not loaded yet" };
  if (source.length > MOST_CHARS) return { why: `it is longer than ${MOST_CHARS} characters` };
  // Repeats are written out by the engine: it would first build what we then refuse.
  if (repeats(source) * source.length > 10 * MOST_INSTRUCTIONS) return { why: "it repeats too much" };
  try {
    const compiled = engine.compile(source, lines ? engine.MULTILINE : 0);
    const size = compiled.programSize();
    return size > MOST_INSTRUCTIONS ? { why: "it repeats too much" } : { compiled, size };
  } catch (cause) {
    // How the library says that it is none; what it was told about lines stands in front of the pattern then.
    const { message, input } = cause as { message: unknown; input?: unknown };
    const told = lines ? /(?<=^|`)\(\?m\)/ : /^$/;
    const why = String(message)
      .replace(/^error parsing regexp: /, "")
      .replace(told, "");
    return {
      why: `${why}. The syntax is that of RE2: no look-around, no back-references`,
      ...(typeof input === "string" ? { piece: input.replace(told, "") } : {}),
    };
  }
}

function isFound(compiled: RE2JS, size: number, text: string): boolean {
  if (size * text.length > MOST_STEPS) throw new Error("the text is too long for this pattern");
  return compiled.matcher(text).find();
}

function repeats(source: string): number {
  return [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (sum, [, from = "0", to]) => sum + Math.max(Number(from), Number(to ?? 0)),
    0,
  );
}
