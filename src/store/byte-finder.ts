/**
 * A text as it may stand in the bytes of JSON, whatever its case: so bodies are looked through as they are stored, without
 * being decoded. What is not found is not there; what is found is looked at again.
 */
import { inJson } from "../core/search-query.ts";

/** Whether a match from `start` to `end` does not count. */
type Excluded = (bytes: Buffer, start: number, end: number) => boolean;

export function byteFinder(text: string, isExcluded: Excluded = () => false): (bytes: Buffer) => boolean {
  const signs = [...inJson(text)].map((sign) => spellingsOf(sign).map((each) => Buffer.from(each)));
  const usual = signs.map((spellings) => spellings.filter(({ length }) => length === spellings[0]?.length));
  const odd = signs.flatMap((spellings) => spellings.filter(({ length }) => length !== spellings[0]?.length));
  const places = usual.flatMap(([first = Buffer.of(), ...others]) =>
    [...first].map((byte, at) => [byte, ...others.map((other) => other[at] ?? 0)]),
  );
  const find = finder(places, isExcluded);
  const pattern = odd.length > 0 ? patternOf(signs) : undefined;
  return (bytes) =>
    find(bytes) ||
    (pattern !== undefined &&
      odd.some((spelling) => bytes.includes(spelling)) &&
      pattern.test(bytes.toString("latin1")));
}

/** Horspool's search: what may stand at each place is a set of bytes, and the last one tells how far to go on. */
interface Steps {
  /** How far from the byte at the end of a place; 0 where a match may end: there it is looked at. */
  readonly runs: Uint16Array;
  /** How far from there on, whichever byte it is. */
  readonly afterEnd: number;
  isAt(bytes: Buffer, end: number): boolean;
}

/** Fewer bytes are not worth being divided. */
const DIVIDED = 256;

function finder(places: readonly (readonly number[])[], isExcluded: Excluded): (bytes: Buffer) => boolean {
  const last = places.length - 1;
  const steps = stepsOf(places, isExcluded);
  return (bytes) => (bytes.length < DIVIDED ? isWithin : isInParts)(steps, bytes, last, bytes.length);
}

function stepsOf(places: readonly (readonly number[])[], isExcluded: Excluded): Steps {
  const last = places.length - 1;
  const fits = new Uint8Array(places.length * 256);
  const steps = new Uint16Array(256).fill(places.length);
  places.forEach((allowed, at) => {
    for (const byte of allowed) {
      fits[at * 256 + byte] = 1;
      if (at < last) steps[byte] = last - at;
    }
  });
  return {
    runs: steps.map((step, byte) => (fits[last * 256 + byte] === 1 ? 0 : step)),
    afterEnd: Math.min(...(places[last] ?? []).map((byte) => steps[byte] as number)),
    isAt: (bytes, end) => {
      let at = last - 1;
      while (at >= 0 && fits[at * 256 + (bytes[end - last + at] as number)] === 1) at -= 1;
      return at < 0 && !isInKey(bytes, end + 1) && !isExcluded(bytes, end - last, end + 1);
    },
  };
}

/** A match that ends at one of these places. */
function isWithin({ runs, afterEnd, isAt }: Steps, bytes: Buffer, from: number, until: number): boolean {
  for (let end = from; end < until; ) {
    const run = runs[bytes[end] as number] as number;
    if (run === 0 && isAt(bytes, end)) return true;
    end += run || afterEnd;
  }
  return false;
}

/** The same in four parts side by side: each step waits for the byte before it, and four of them wait no longer than one. */
function isInParts(steps: Steps, bytes: Buffer, from: number, until: number): boolean {
  const { runs, afterEnd, isAt } = steps;
  const part = (until - from) >> 2;
  const second = from + part;
  const third = second + part;
  const fourth = third + part;
  let [a, b, c, d] = [from, second, third, fourth];
  while (a < second && b < third && c < fourth && d < until) {
    const runA = runs[bytes[a] as number] as number;
    const runB = runs[bytes[b] as number] as number;
    const runC = runs[bytes[c] as number] as number;
    const runD = runs[bytes[d] as number] as number;
    if (runA > 0 && runB > 0 && runC > 0 && runD > 0) {
      a += runA;
      b += runB;
      c += runC;
      d += runD;
      continue;
    }
    if (runA === 0 && isAt(bytes, a)) return true;
    if (runB === 0 && isAt(bytes, b)) return true;
    if (runC === 0 && isAt(bytes, c)) return true;
    if (runD === 0 && isAt(bytes, d)) return true;
    a += runA || afterEnd;
    b += runB || afterEnd;
    c += runC || afterEnd;
    d += runD || afterEnd;
  }
  return (
    isWithin(steps, bytes, a, second) ||
    isWithin(steps, bytes, b, third) ||
    isWithin(steps, bytes, c, fourth) ||
    isWithin(steps, bytes, d, until)
  );
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const LONGEST_KEY = 64;

/** A quote that is not escaped ends a string, and a colon behind it makes that a key: keys are not searched. */
function isInKey(bytes: Buffer, from: number): boolean {
  const end = Math.min(bytes.length, from + LONGEST_KEY);
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === QUOTE) return bytes[at + 1] === COLON;
    if (bytes[at] === BACKSLASH) return false;
  }
  return false;
}

/** The same as an expression, each byte taken for a sign of its own, for spellings of different lengths. */
function patternOf(signs: readonly (readonly Buffer[])[]): RegExp {
  const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, "0")}`;
  const oneOf = (spellings: readonly Buffer[]) =>
    spellings.map((each) => [...each].map(hex).join("")).join("|");
  return new RegExp(signs.map((spellings) => `(?:${oneOf(spellings)})`).join(""));
}

/** All signs that are the same when case is ignored, as the engine itself has it; first the sign itself. */
function spellingsOf(sign: string): readonly string[] {
  if (/[a-jl-rt-z]/i.test(sign)) return [sign.toLowerCase(), sign.toUpperCase()];
  // Of ASCII only these two have relatives beyond it: the Kelvin sign and the long s.
  if (/k/i.test(sign)) return ["k", "K", "\u212a"];
  if (/s/i.test(sign)) return ["s", "S", "\u017f"];
  if (/[\u0000-\u007f]/.test(sign)) return [sign];
  return [...new Set([sign, ...(cased().match(new RegExp(sign, "giu")) ?? [])])];
}

const HAS_CASE = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
/** Beyond the last of them, with room for more. */
const LAST_CASED = 0x1ffff;
let known: string | undefined;

/** Signs with a case, with those of ASCII: some beyond it are the same as one of them. */
function cased(): string {
  known ??= Array.from({ length: LAST_CASED }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((sign) => HAS_CASE.test(sign))
    .join("");
  return known;
}
