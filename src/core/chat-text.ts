/** Text on its way from and to a chat: without the marks that call people. */
import { ChatRefusal } from "./chat-failure.ts";
import type { ChatFile, ChatManners, ChatText } from "./chat-platform.ts";

/** Not seen, and enough that a platform does not take the word for a call. */
const GAP = "\u200b";
const CALLS = /@(?=(?:everyone|here|channel|all)\b)|<(?=[!@][^\s>]*>)/gi;

/** What a model wrote calls nobody: those who are to be told are named beside it (K10). */
export function withoutCalls(text: string): string {
  return text.replace(CALLS, (mark) => `${mark}${GAP}`);
}

/** Who speaks to us need not be read with our name before and after what they say. */
export function withoutMention(text: string, names: readonly string[]): string {
  const ours = names
    .filter((name) => name !== "")
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
