/**
 * Matches that stand beside what is searched: in a value of the event itself that nobody searches (`"stop":"end_turn"`). Every
 * event of a type has such values, and to read it only to find that out costs more than all the rest of a search.
 */
import { isSearchedField } from "../core/searchable.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** A longer value, or a longer name, is not looked at: then the event is read. */
const LONGEST = 128;
/** From here to an end of the body: further on it is cheaper to read the event. */
const FURTHEST = 2_048;

/** Whether a match from `start` to `end` stands beside, in the bytes of one body. Only a certain yes is one. */
export function isBeside(bytes: Buffer, start: number, end: number): boolean {
  const close = quoteAfter(bytes, end);
  const open = quoteBefore(bytes, start);
  if (close < 0 || open < 3 || !isAfterValue(bytes[close + 1])) return false;
  if (bytes[open - 1] !== COLON || bytes[open - 2] !== QUOTE) return false;
  const name = quoteBefore(bytes, open - 2);
  if (name < 1 || isSearchedField(bytes.toString("latin1", name + 1, open - 2))) return false;
  const left = bytes.length - close - 1;
  // As many are open here as were opened before, and as are closed behind.
  if (Math.min(name, left) > FURTHEST) return false;
  return name < left ? opened(bytes, 0, name) === 1 : opened(bytes, close + 1, bytes.length) === -1;
}

/** `,` or `}`. */
function isAfterValue(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x7d;
}

/** The quote that ends the string in which this place is; -1 when it is far, or something in between is escaped. */
function quoteAfter(bytes: Buffer, from: number): number {
  const end = Math.min(bytes.length, from + LONGEST);
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) return -1;
  }
  return -1;
}

/** The quote with which it begins. */
function quoteBefore(bytes: Buffer, until: number): number {
  const end = Math.max(0, until - LONGEST);
  for (let at = until - 1; at >= end; at -= 1) {
    if (bytes[at] === BACKSLASH) return -1;
    if (bytes[at] === QUOTE) return bytes[at - 1] === BACKSLASH ? -1 : at;
  }
  return -1;
}

/** Objects and lists that are opened in these bytes, less those that are closed. */
function opened(bytes: Buffer, from: number, until: number): number {
  let depth = 0;
  for (let at = from; at < until; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfString(bytes, at, until);
    // `{` and `[`, `}` and `]`: they differ in one bit.
    else if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
  }
  return depth;
}

function endOfString(bytes: Buffer, quote: number, until: number): number {
  let at = quote + 1;
  while (at < until && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
