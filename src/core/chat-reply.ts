/**
 * How an answer goes out (UX d.1, d.6): what is too long for a chat becomes a file, and what comes late is a message of its own, for an
 * edit tells nobody.
 */
import { partsOf } from "./chat-blocks.ts";
import { harmless } from "./chat-escape.ts";
import type { ChatFile, ChatManners } from "./chat-platform.ts";
import { isSameText } from "./chat-text.ts";
import { csvText } from "./csv.ts";
import { counted } from "./moment.ts";
import { stripControls, wellFormed } from "./text.ts";

export interface Reply {
  readonly text: string;
  readonly files: readonly ChatFile[];
}

/** Later than this people look elsewhere: a new message mentions them. */
export const BECOMES_ANSWER_MS = 30_000;
const MOST_ROWS = 20;
const MOST_CODE_LINES = 60;
const SUMMARY_SHARE = 0.5;
const MOST_SUMMARY = 1_200;

export function replyOf(answer: string, manners: ChatManners): Reply {
  const whole = wellFormed(stripControls(answer)).trim();
  if (whole === "") return { text: "(no text)", files: [] };
  if (manners.largestFile === 0) return withoutFiles(harmless(whole), manners);
  const files: ChatFile[] = [];
  const short = withoutLongTables(withoutLongCode(whole, files), files);
  const text = harmless(short);
  const fits = files.filter(({ bytes }) => bytes.length <= manners.largestFile);
  if (text.length <= manners.longestText && fits.length === files.length) return { text, files };
  return inFile(whole, text, manners);
}

/** Where no file can be sent, all of it is said, as far as there is room. */
function withoutFiles(text: string, { longestText }: ChatManners): Reply {
  if (text.length <= longestText) return { text, files: [] };
  const note = "\n\n(The rest was too long to be said here: /log shows the end of it.)";
  return { text: `${wellFormed(text.slice(0, longestText - note.length))}${note}`, files: [] };
}

/** All of it as a file, and how it begins. A file that no platform takes is cut, and says so. */
function inFile(whole: string, text: string, manners: ChatManners): Reply {
  const bytes = new TextEncoder().encode(whole);
  const isWhole = bytes.length <= manners.largestFile;
  const file = {
    name: "answer.md",
    type: "text/markdown",
    bytes: isWhole ? bytes : bytes.slice(0, manners.largestFile),
  };
  const note = isWhole
    ? "The whole answer is in answer.md."
    : "The beginning is in answer.md; the rest was too long.";
  const room = Math.min(MOST_SUMMARY, Math.floor(manners.longestText * SUMMARY_SHARE));
  const head = wellFormed(
    summaryOf(text, Math.max(0, Math.min(room, manners.longestText - note.length - 2))),
  );
  return { text: head === "" ? note.slice(0, manners.longestText) : `${head}\n\n${note}`, files: [file] };
}

/** Whole paragraphs; of the first, if it is too long, whole sentences; of these, if one is, whole words. */
function summaryOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most);
  const fence = openFence(head);
  const plain = fence === undefined ? head : head.slice(0, fence);
  for (const end of [/[\s\S]*\n(?=\s*\n)/, /[\s\S]*[.!?](?=\s)/, /[\s\S]*\S(?=\s)/]) {
    const [cut = ""] = end.exec(plain) ?? [];
    if (cut.trim() !== "") return end.source.includes("\\S(") ? `${cut.trim()} …` : cut.trim();
  }
  return plain.slice(0, Math.max(0, most - 2)).trim();
}

/** Where a block of code begins that does not end. */
function openFence(text: string): number | undefined {
  const fences = [...text.matchAll(/^```/gm)];
  return fences.length % 2 === 1 ? fences.at(-1)?.index : undefined;
}

const ENDINGS: Readonly<Record<string, string>> = {
  ...{
    typescript: "ts",
    javascript: "js",
    python: "py",
    shell: "sh",
    bash: "sh",
    markdown: "md",
    yml: "yaml",
  },
  ...{ rust: "rs", ruby: "rb", text: "txt", "": "txt" },
};

function withoutLongCode(text: string, files: ChatFile[]): string {
  const parts = partsOf(text).map(({ text: part, language }) => {
    const lines = part.trimEnd().split("\n").slice(1, -1);
    if (language === undefined || lines.length <= MOST_CODE_LINES) return part;
    const ending = ENDINGS[language.toLowerCase()] ?? language.toLowerCase().replace(/[^a-z0-9]/g, "");
    const name = `code-${files.length + 1}.${ending || "txt"}`;
    files.push({ name, type: "text/plain", bytes: new TextEncoder().encode(`${lines.join("\n")}\n`) });
    return `(${counted(lines.length, "line")} of code: ${name})\n`;
  });
  return parts.join("").trimEnd();
}

/** A header, a line of dashes, rows. What stands in a block of code is no table. */
function withoutLongTables(text: string, files: ChatFile[]): string {
  const parts = partsOf(text).map((part) =>
    part.language === undefined ? shortTables(part.text, files) : part.text,
  );
  return parts.join("");
}

function shortTables(text: string, files: ChatFile[]): string {
  const lines = text.split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const end = tableEnd(lines, at);
    const rows = end - at - 2;
    if (rows <= MOST_ROWS) {
      out.push(line);
      continue;
    }
    const name = `table-${files.length + 1}.csv`;
    const cells = [line, ...lines.slice(at + 2, end)].map(cellsOf);
    files.push({ name, type: "text/csv", bytes: new TextEncoder().encode(`${csvText(cells)}\n`) });
    out.push(`(table of ${counted(rows, "row")}: ${name})`);
    at = end - 1;
  }
  return out.join("\n");
}

/** Behind its last row; the same place, when none begins here. */
function tableEnd(lines: readonly string[], start: number): number {
  const isRow = (line: string | undefined) => line !== undefined && /^\s{0,3}\|.*\|\s*$/.test(line);
  if (!isRow(lines[start]) || !/^\s{0,3}\|(?:\s*:?-+:?\s*\|)+\s*$/.test(lines[start + 1] ?? "")) return start;
  let end = start + 2;
  while (isRow(lines[end])) end += 1;
  return end;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Whether one of our recent messages is what we meant to post: platforms change signs and spaces, not words. */
export function postedAlready(
  said: string,
  recent: readonly { readonly id: string; readonly text: string; readonly at: number }[],
  { since, known }: { readonly since: number; readonly known: readonly string[] },
): string | undefined {
  // Of nothing but signs, the signs count.
  const isIt = (text: string) => text === said || isSameText(said, text);
  return recent.find(({ id, text, at }) => at >= since && !known.includes(id) && isIt(text))?.id;
}
