/** What a search found, for people: where, when, and the lines with the match in them. */
import { Problem } from "../../core/problem.ts";
import type { SearchResult } from "../../core/search.ts";
import type { Hit } from "../../core/search-hit.ts";
import type { Query, QueryProblem } from "../../core/search-query.ts";
import { oneLine, stripControls } from "../../core/text.ts";
import { age, counted } from "./moment.ts";
import type { Colours } from "./terminal.ts";

const NAMES: Readonly<Partial<Record<Hit["type"], string>>> = {
  cognition_in: "prompt",
  message_received: "message",
  cognition_out: "answer",
  tool_call_start: "call",
  tool_call_result: "result",
  error_classified: "error",
  cancel_requested: "cancel",
  stop_requested: "stop",
  hook_matched: "hook",
  approval_requested: "question",
  approval_decided: "decision",
  child_thread_completed: "child completed",
  child_thread_failed: "child failed",
  thread_completed: "completed",
  thread_failed: "failed",
  thread_cancelled: "cancelled",
};

/** `research-17390001-k3v9qa · turn 21 · result of fetch_page · 2h ago`, and below it what was found. */
export function searchText(hits: readonly Hit[], now: number, colours: Colours): string {
  return hits.map((hit) => `${headOf(hit, now, colours)}\n${linesOf(hit, colours)}`).join("\n");
}

function headOf(hit: Hit, now: number, { bold, dim }: Colours): string {
  const { thread_id, seq, turn, tool, type, ts, matches, field } = hit;
  // What was thought before a call is stored with the call.
  const isThought = field === "reasoning";
  const name = isThought ? "reasoning" : (NAMES[type] ?? type);
  const parts = [
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    tool === undefined || isThought ? name : `${name} of ${oneLine(tool, 40)}`,
    ...(matches > 1 ? [counted(matches, "match", "matches")] : []),
    `event ${seq}`,
    `${age(now - Date.parse(ts))} ago`,
  ];
  return `${bold(thread_id)} ${dim(`· ${parts.join(" · ")}`)}`;
}

function linesOf({ snippet, spans }: Hit, { bold, red }: Colours): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    // Each piece for itself: what a control sequence begins in one must not swallow the next.
    pieces.push(
      stripControls(snippet.slice(at, from)),
      marked(snippet.slice(from, to), (text) => bold(red(text))),
    );
    at = to;
  }
  pieces.push(stripControls(snippet.slice(at)));
  return pieces
    .join("")
    .split("\n")
    .map((line) => `   ${line}`.trimEnd())
    .join("\n");
}

/** Line by line, so that no colour goes over the end of one. */
function marked(text: string, colour: (line: string) => string): string {
  return stripControls(text)
    .split("\n")
    .map((line) => (line === "" ? "" : colour(line)))
    .join("\n");
}

/** How much was looked at, and what to do next. */
export function searchHint({ hits, threads, events, next, stopped }: SearchResult): string {
  const [first] = hits;
  const found = new Set(hits.map(({ thread_id }) => thread_id)).size;
  const where = `${counted(events, "event")} of ${counted(threads, "thread")}`;
  const end = stopped ? " · stopped before the end" : "";
  if (!first) return `No hit in ${where}${end}`;
  const lines = [`${counted(hits.length, "hit")} in ${found} of ${counted(threads, "thread")}${end}`];
  if (next) lines.push(`There are more: the same search with --before ${next.thread_id}:${next.seq}`);
  lines.push(`In full: selvage logs ${first.thread_id} --raw · selvage show ${first.thread_id}`);
  return lines.join("\n");
}

export function badQuery({ text, how }: Query, { why, at }: QueryProblem): Problem {
  const shown = oneLine(text, 60);
  const isPattern = how === "regex";
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return new Problem("E_USAGE", {
    what: `${isPattern ? "The pattern" : "The text"} "${shown}" cannot be searched for.`,
    why: at === undefined ? sentence : `At character ${at + 1}: ${why}.`,
    next: [
      isPattern && text !== ""
        ? { cmd: `selvage search ${shellWord(text)}`, why: "looks for it as it stands" }
        : { cmd: "selvage search --help", why: "its arguments and flags" },
    ],
  });
}

/** As one word of a shell. */
function shellWord(text: string): string {
  const quoted = `'${stripControls(text).replaceAll("'", "'\\''")}'`;
  return text.startsWith("-") ? `-- ${quoted}` : quoted;
}
