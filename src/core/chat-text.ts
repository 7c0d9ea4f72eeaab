/** Text on its way from and to a chat: without the marks that call people. */
import { ChatRefusal } from "./chat-failure.ts";
import type { ChatFile, ChatManners, ChatText } from "./chat-platform.ts";

/** Not seen, and enough that a platform does not take the word for a call. */
const GAP = "\u200b";
const CALLS = /@(?=(?:everyone|here|channel|all)\b)|<(?=(?:[!@]|users\/)[^\s<>]{1,200}>)/gi;

/** What a model wrote calls nobody: those who are to be told are named beside it (K10). */
export function withoutCalls(text: string): string {
  return text.replace(CALLS, (mark) => `${mark}${GAP}`);
}

/** Who speaks to us need not be read with our name before and after what they say. */
export function withoutMention(text: string, names: readonly string[]): string {
  // The longest first: one name may begin with another.
  const ours = names
    .filter((name) => name !== "")
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  if (ours.length === 0) return text.trim();
  const mention = `(?:<@!?(?:${ours.join("|")})>|@(?:${ours.join("|")})(?![\\p{L}\\p{N}_-]))`;
  return text
    .trim()
    .replace(new RegExp(`^(?:${mention}[\\s,:]*)+`, "iu"), "")
    .replace(new RegExp(`(?:\\s*${mention})+$`, "iu"), "")
    .trim();
}

/** Before anything is sent: what a platform would cut off or refuse after the fact. */
export function refuseTooLong(manners: ChatManners, said: ChatText | undefined, file?: ChatFile): void {
  if (said && said.text.length > manners.longestText) {
    const has = `${said.text.length} characters`;
    throw new ChatRefusal("TOO_LONG", `the text has ${has}, and ${manners.longestText} are the most`);
  }
  if (file && file.bytes.length > manners.largestFile) {
    const has = `${file.bytes.length} bytes`;
    throw new ChatRefusal("TOO_LONG", `${file.name} has ${has}, and ${manners.largestFile} are the most`);
  }
}

/** Parts of at most so many characters, cut where a line ends if one does: together they are the text again. */
export function inPieces(text: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const line = rest.lastIndexOf("\n", most);
    const at = line > 0 ? line : isHigh(rest, most - 1) ? most - 1 : most;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(line > 0 ? at + 1 : at);
  }
  return [...pieces, rest];
}

/** The first half of a character that has two. */
function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

/**
 * Is this what we said? Platforms hand it back without its formatting, and with the names of those who were told before
 * it: letters and digits are what is left of it everywhere. Nothing but signs is like nothing.
 */
export function isSameText(ours: string, theirs: string): boolean {
  const [our, their] = [ours, theirs].map((text) => text.replace(/[^\p{L}\p{N}]/gu, ""));
  return our !== undefined && our !== "" && (their?.endsWith(our) ?? false);
}
