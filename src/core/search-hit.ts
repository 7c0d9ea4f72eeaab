/** A hit: an event in which something was found, the place of the first match, and the lines around it. */
import type { Event } from "./event.ts";
import type { Matcher, Span } from "./search-query.ts";
import { type About, fieldsOf } from "./searchable.ts";

export interface Hit {
  readonly thread_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: Event["type"];
  readonly turn?: number;
  readonly tool?: string;
  /** Where in the event the first match stands. */
  readonly field: string;
  /** The lines of the first match; `…` where more was left out. */
  readonly snippet: string;
  /** Matches in the snippet. */
  readonly spans: readonly Span[];
  /** In the whole event; no more than a hundred a field are counted. */
  readonly matches: number;
}

export interface Wanted {
  readonly matcher: Matcher;
  readonly about: About;
  /** Lines before and after that of the match. */
  readonly context: number;
}

/** Throws when the event cannot be read, and `TooLong`. */
export function hitIn(event: Event, { matcher, about, context }: Wanted): Hit | undefined {
  const found = fieldsOf(event, about)
    .map(({ name, text }) => ({ name, text, spans: matcher.spansIn(text) }))
    .filter(({ spans }) => spans.length > 0);
  const [first] = found;
  if (!first) return undefined;
  const { thread_id, seq, ts, type } = event;
  return {
    ...{ thread_id, seq, ts, type },
    ...("turn" in event ? { turn: event.turn } : {}),
    ...("tool" in event ? { tool: event.tool } : {}),
    field: first.name,
    ...snippetOf(first.text, first.spans, context),
    matches: found.reduce((sum, { spans }) => sum + spans.length, 0),
  };
}

/** Characters shown before and after the beginning of a match, for each line that may be shown. */
const BEFORE = 120;
const AFTER = 280;

/** Spans are places in the snippet; a match that is cut off ends with it. */
export function snippetOf(
  text: string,
  spans: readonly Span[],
  context: number,
): { readonly snippet: string; readonly spans: readonly Span[] } {
  const [start, stop] = spans[0] ?? [0, 0];
  const lineFrom = linesBack(text, start, context);
  const lineTo = linesOn(text, Math.max(start, stop - 1), context);
  const from = whole(text, Math.max(lineFrom, start - BEFORE * (context + 1)));
  const to = whole(text, Math.min(lineTo, start + AFTER * (context + 1)));
  const head = from > lineFrom ? "…" : "";
  const shift = head.length - from;
  const shown = spans
    .filter(([at]) => at >= from && at < Math.max(to, from + 1))
    .map(([at, end]): Span => [at + shift, Math.min(end, to) + shift]);
  return { snippet: `${head}${text.slice(from, to)}${to < lineTo ? "…" : ""}`, spans: shown };
}

function linesBack(text: string, at: number, lines: number): number {
  let from = at;
  for (let left = lines; left >= 0; left -= 1) {
    const found = from === 0 ? -1 : text.lastIndexOf("\n", from - 1);
    if (found < 0) return 0;
    from = found;
  }
  return from + 1;
}

function linesOn(text: string, at: number, lines: number): number {
  let to = at - 1;
  for (let left = lines; left >= 0; left -= 1) {
    to = text.indexOf("\n", to + 1);
    if (to < 0) return text.length;
  }
  return to;
}

/** Not between the halves of a character. */
function whole(text: string, at: number): number {
  const isLow = /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "");
  return isLow ? at - 1 : at;
}
