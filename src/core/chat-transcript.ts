/** `/log`: the transcript as a file, or as much of its end as the platform takes (UX d.3). */
import { COMMAND_ANSWERS } from "./chat-answers.ts";
import { harmless } from "./chat-escape.ts";
import type { ChatFile, ChatManners } from "./chat-platform.ts";
import { wellFormed } from "./text.ts";

export interface TranscriptReply {
  /** Absent: the platform takes none. */
  readonly file?: ChatFile;
  readonly text: string;
  /** Where it cannot be sent. */
  readonly instead: string;
}

const CUT = "(The beginning was too long for this chat.)\n\n";

export function transcriptReply(threadId: string, markdown: string, manners: ChatManners): TranscriptReply {
  const whole = new TextEncoder().encode(markdown);
  const isWhole = whole.length <= manners.largestFile;
  const head = `${threadId} · the last of it:\n\n`;
  const room = Math.max(0, Math.floor(manners.longestText * 0.8) - head.length);
  const instead = `${head}${harmless(wellFormed(markdown.slice(-room)).replaceAll("```", "'''"))}`;
  if (manners.largestFile <= CUT.length) return { text: instead, instead };
  const bytes = isWhole ? whole : lastOf(whole, manners.largestFile);
  const file = { name: `${threadId.replaceAll("/", "-")}.md`, type: "text/markdown", bytes };
  const text = isWhole ? COMMAND_ANSWERS.log : COMMAND_ANSWERS.logCut;
  return { file, text, instead: instead.slice(0, manners.longestText) };
}

/** Whole characters, and a word about what is missing. */
function lastOf(bytes: Uint8Array, most: number): Uint8Array {
  let from = bytes.length - (most - CUT.length);
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return new TextEncoder().encode(CUT + new TextDecoder().decode(bytes.subarray(from)));
}
