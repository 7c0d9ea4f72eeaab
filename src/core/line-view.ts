/** A piece of a long text in whole lines, and what is missing of it: so whoever reads it can ask for the rest. */

export interface LineView {
  readonly text: string;
  readonly notes: readonly string[];
}

interface Viewed {
  /** The number of the first line of the text, counted from 1. */
  readonly first: number;
  readonly maxChars: number;
  /** More follows than the text that was read. */
  readonly goesOn?: boolean;
}

export function lineView(text: string, { first, maxChars, goesOn = false }: Viewed): LineView {
  const kept = wholeLines(text, maxChars);
  const isCut = kept.length < text.length;
  if (!isCut && !goesOn) return { text, notes: [] };
  const next = first + kept.split("\n").length - (kept.endsWith("\n") ? 1 : 0);
  // What is left of a line that was cut is no line that could be asked for.
  const follows = goesOn || kept.endsWith("\n") || /\n./s.test(text.slice(kept.length));
  return {
    text: kept,
    notes: [
      ...(kept.endsWith("\n") ? [] : [`line ${next - 1} is cut after ${lastLine(kept).length} characters`]),
      ...(follows ? [`lines ${first} to ${next - 1}; more follow from offset ${next}`] : []),
    ],
  };
}

/** From this line on, counted from 1; undefined when there is none. */
export function fromLine(text: string, first: number): string | undefined {
  let at = 0;
  for (let line = 1; line < first; line += 1) {
    at = text.indexOf("\n", at) + 1;
    if (at === 0) return undefined;
  }
  return at === text.length && first > 1 ? undefined : text.slice(at);
}

/** A single line that is too long is cut: otherwise nothing of it could ever be read. */
function wholeLines(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf("\n", maxChars - 1);
  return text.slice(0, end >= 0 ? end + 1 : maxChars);
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
