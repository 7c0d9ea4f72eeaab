/** Regular expressions that others wrote: matched in linear time, so that none of them can hold us up (I8). */
import type { RE2JS } from "re2js";
import { messageOf } from "../core/input.ts";

let engine: typeof RE2JS | undefined;

/** To be awaited before the first pattern. Not at the start: most runs need none, and it takes its time. */
export async function loadPatterns(): Promise<void> {
  engine ??= (await import("re2js")).RE2JS;
}

const MAX_CHARS = 1_000;

export interface Pattern {
  test(text: string): boolean;
  /** Where the first match begins; 0 when there is none. */
  placeIn(text: string): number;
}

/** Throws what is wrong with it, in words for the one who wrote it. */
export function linearPattern(source: string): Pattern {
  if (source.length > MAX_CHARS) throw new Error(`it is longer than ${MAX_CHARS} characters`);
  const compiled = compile(source);
  return {
    test: (text) => compiled.test(text),
    placeIn: (text) => {
      const matcher = compiled.matcher(text);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}

function compile(source: string): RE2JS {
  if (!engine) throw new Error("patterns are not loaded yet");
  try {
    return engine.compile(source);
  } catch (cause) {
    const why = messageOf(cause).replace(/^error parsing regexp: /, "");
    throw new Error(`${why}. The syntax is that of RE2: no look-around, no back-references`);
  }
}
