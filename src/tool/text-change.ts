/** The one replacement that `edit` makes, as pure text: where, how often, and whether it was made already. */

/** Where `part` begins in `text`, overlapping ones counted too: two places that share a letter are still two. */
export function places(text: string, part: string, most = 100): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && found.length < most; at = text.indexOf(part, at + 1))
    found.push(at);
  return found;
}

export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

export function changeState(text: string, oldText: string, newText: string): "done" | "not_done" | "unclear" {
  const old = places(text, oldText, 2);
  if (old.length === 0) return text.includes(newText) ? "done" : "unclear";
  const [at] = old;
  if (old.length > 1 || at === undefined) return "unclear";
  // `a` made to `a b` leaves an `a`: where the new text surrounds or touches the old one, it may have been made.
  const touches = places(text, newText).some(
    (place) => place < at + oldText.length && at < place + newText.length,
  );
  return newText !== "" && touches ? "unclear" : "not_done";
}

/** What was probably meant by a text that is not there: a hint, cheap enough for large files. */
export function closestLine(text: string, wanted: string): { line: number; text: string } | undefined {
  const first = wanted.split("\n").find((line) => line.trim() !== "");
  if (first === undefined) return undefined;
  const pairs = pairsOf(first);
  let best: { line: number; text: string; score: number } | undefined;
  text
    .split("\n")
    .slice(0, MOST_LINES)
    .forEach((line, index) => {
      const score = likeness(pairs, pairsOf(line));
      if (score > (best?.score ?? LEAST)) best = { line: index + 1, text: line, score };
    });
  return best;
}

const MOST_LINES = 20_000;
const MOST_CHARS = 200;
const LEAST = 0.5;

/** Space at the ends is where texts differ most often and matters least. */
function pairsOf(line: string): ReadonlySet<string> {
  const text = ` ${line.trim().slice(0, MOST_CHARS)} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
}

/** Dice: the part of their pairs of letters that two lines share. */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}
