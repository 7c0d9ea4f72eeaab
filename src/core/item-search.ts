/** Which items fit some words, the best first. No index: names count most, then descriptions, then texts. */
import { oneLine, stripControls } from "./text.ts";

export interface Candidate {
  readonly item_type: string;
  readonly item_id: string;
  readonly description: string;
  readonly text: string;
}

interface FoundItem {
  readonly item_type: string;
  readonly item_id: string;
  readonly description: string;
  /** The line of the first word in its text, where neither name nor description tells why it was found. */
  readonly snippet?: string;
}

export interface Scored {
  readonly found: FoundItem;
  readonly words: number;
  readonly weight: number;
}

const MOST_WORDS = 12;
const IN_NAME = 8;
const IN_DESCRIPTION = 4;
const IN_TEXT = 1;
const WHOLE_NAME = 8;
const SNIPPET = 160;

/** As they are compared: small, each once. */
export function wordsOf(query: string): string[] {
  return [
    ...new Set(
      query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ""),
    ),
  ].slice(0, MOST_WORDS);
}

/** Whether it can be found at all: asked before its head is looked at. */
export function holdsAny(words: readonly string[], id: string, text: string): boolean {
  const lower = `${id}\n${text}`.toLowerCase();
  return words.some((word) => lower.includes(word));
}

/** Undefined when none of the words is in it. */
export function scoreItem(words: readonly string[], candidate: Candidate): Scored | undefined {
  const { item_type, item_id, description, text } = candidate;
  const name = item_id.toLowerCase();
  const about = description.toLowerCase();
  const body = text.toLowerCase();
  let found = 0;
  let weight = 0;
  let first = "";
  for (const word of words) {
    const worth =
      (name.includes(word) ? IN_NAME : 0) +
      (name === word || name.endsWith(`/${word}`) ? WHOLE_NAME : 0) +
      (about.includes(word) ? IN_DESCRIPTION : 0) +
      (body.includes(word) ? IN_TEXT : 0);
    if (worth === 0) continue;
    found += 1;
    weight += worth;
    if (worth === IN_TEXT && first === "") first = word;
  }
  if (found === 0) return undefined;
  const shown = { item_type, item_id, description: oneLine(description, 300) };
  const snippet = first === "" ? {} : { snippet: snippetOf(text, body.indexOf(first)) };
  return { found: { ...shown, ...snippet }, words: found, weight };
}

/** Who holds more of the words comes first; then where they stand; then by name, so that it is always the same order. */
export function byFit(left: Scored, right: Scored): number {
  return (
    right.words - left.words ||
    right.weight - left.weight ||
    (nameOf(left.found) < nameOf(right.found) ? -1 : 1)
  );
}

function nameOf({ item_type, item_id }: FoundItem): string {
  return `${item_id} ${item_type}`;
}

/** The line in which it stands, as much of it as fits. Small letters may be more or fewer: the place is near enough. */
function snippetOf(text: string, at: number): string {
  const from = Math.max(text.lastIndexOf("\n", at) + 1, at - SNIPPET / 2, 0);
  const to = text.indexOf("\n", at);
  const line = text.slice(from, Math.min(to < 0 ? text.length : to, from + 2 * SNIPPET));
  return oneLine(stripControls(line), SNIPPET);
}
