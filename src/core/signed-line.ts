/**
 * The signature of a single item (§17): one comment, alone on the last line of its file.
 *   L1. It covers every byte before its line, and the path: the same text under another name is another item.
 *   L2. Only what is exactly such a line, at the very end, is a signature. What only looks like one is told as damaged.
 *   L3. Signing again replaces it.
 */
import { isSignature, isSigner } from "./signer.ts";

interface Comment {
  readonly open: string;
  readonly close: string;
}

const COMMENTS: Readonly<Record<string, Comment>> = {
  md: { open: "<!-- ", close: " -->" },
  ...Object.fromEntries(["yaml", "yml"].map((ending) => [ending, { open: "# ", close: "" }])),
  ...Object.fromEntries(
    ["js", "mjs", "cjs", "ts", "mts", "cts"].map((ending) => [ending, { open: "// ", close: "" }]),
  ),
};
const WORD = "selvage:signed";
const VERSION = "v1";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

export interface SignedLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Of what it covers, so that a change can be told from a signature that never fitted. */
  readonly sha256: string;
  readonly signer: string;
  readonly signature: string;
}

export interface SignedText {
  /** What a signature covers. */
  readonly content: string;
  readonly line?: SignedLine;
  /** The number of a line that looks like a signature and is none (L2). */
  readonly damaged?: number;
}

/** How a comment is written in this file; undefined: nobody knows. */
function commentOf(path: string): Comment | undefined {
  const ending = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
  return Object.hasOwn(COMMENTS, ending) ? COMMENTS[ending] : undefined;
}

export function takesSignature(path: string): boolean {
  return commentOf(path) !== undefined;
}

/** What is signed of an item (L1). */
export function signedMessage(path: string, { at, sha256, signer }: Omit<SignedLine, "signature">): string {
  return `selvage item ${VERSION}\n${JSON.stringify(path)}\n${at}\n${sha256}\n${signer}\n`;
}

export function readSigned(path: string, text: string): SignedText {
  const comment = commentOf(path);
  if (!comment) return { content: text };
  const start = text.lastIndexOf("\n", text.length - 2) + 1;
  const content = text.slice(0, start);
  const line = parseLine(comment, text.slice(start), newlineOf(content));
  if (line) return { content, line };
  const lines = text.split("\n");
  const looking = lines.findLastIndex((each) => each.trimStart().startsWith(comment.open + WORD));
  return looking < 0 ? { content: text } : { content: text, damaged: looking + 1 };
}

/** What a new signature covers: without an old one, whole or damaged, where that is last; with its last line ended. */
export function toBeSigned(path: string, text: string): string {
  const { content, damaged } = readSigned(path, text);
  const lines = content.split("\n");
  const isLast = damaged !== undefined && lines.slice(damaged).every((line) => line.trim() === "");
  const kept = isLast
    ? lines
        .slice(0, damaged - 1)
        .map((line) => `${line}\n`)
        .join("")
    : content;
  return kept === "" || kept.endsWith("\n") ? kept : kept + (kept.includes("\r\n") ? "\r\n" : "\n");
}

export function withSignature(path: string, content: string, line: SignedLine): string {
  const { open, close } = commentOf(path) as Comment;
  return content + open + words(line).join(" ") + close + newlineOf(content);
}

function words({ at, sha256, signer, signature }: SignedLine): string[] {
  return [WORD, VERSION, at, sha256, signer, signature];
}

function parseLine({ open, close }: Comment, text: string, newline: string): SignedLine | undefined {
  const end = close + newline;
  if (!text.startsWith(open) || !text.endsWith(end)) return undefined;
  const said = text.slice(open.length, text.length - end.length).split(" ");
  const [word, version, at = "", sha256 = "", signer = "", signature = ""] = said;
  const isOurs = said.length === 6 && word === WORD && version === VERSION && TIME.test(at);
  const isWhole = /^[0-9a-f]{64}$/.test(sha256) && isSigner(signer) && isSignature(signature);
  return isOurs && isWhole ? { at, sha256, signer, signature } : undefined;
}

/** As the line before it ends, so that no byte of it is left to choice. */
function newlineOf(content: string): string {
  return content.endsWith("\r\n") ? "\r\n" : "\n";
}
