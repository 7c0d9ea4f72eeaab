/** Offsets in a text as people count them. */
import type { Place } from "../yaml/parse.ts";

export function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Something wrong at an offset. */
export interface Fault {
  readonly at: number;
  readonly message: string;
  readonly fix?: string;
}

/** Nobody reads more, and finding the place of each takes time. */
export const MOST_FAULTS = 100;
