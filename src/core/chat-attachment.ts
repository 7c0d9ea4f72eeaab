/** Which attachments are read (UX d.6): by size, by type, and by whether they are what they say. */
import type { ChatAttachment } from "./chat-platform.ts";
import { refusedFile } from "./chat-texts.ts";

export interface AttachmentLimits {
  readonly max_mb: number;
  readonly types: readonly string[];
}

/** Run by whoever opens them, whatever type they were sent with. */
const PROGRAMS = /\.(?:exe|dll|scr|com|bat|cmd|msi|ps1|vbs|jar|app|dmg|apk|lnk|iso)$/i;
const MB = 1_000_000;

/** Why it is not read, in words for who sent it; undefined: it may be. */
export function attachmentRefusal(
  { name, type, bytes }: Pick<ChatAttachment, "name" | "type" | "bytes">,
  { max_mb, types }: AttachmentLimits,
): string | undefined {
  const isTypeOff = PROGRAMS.test(name.trim()) || !types.some((allowed) => fits(type, allowed));
  const maxMb = bytes !== undefined && bytes > max_mb * MB ? max_mb : undefined;
  return isTypeOff || maxMb !== undefined ? refusedFile({ name, type, bytes, maxMb, isTypeOff }) : undefined;
}

function fits(type: string, allowed: string): boolean {
  const [plain = ""] = type.toLowerCase().split(";");
  const wanted = allowed.toLowerCase();
  return wanted.endsWith("/*") ? plain.trim().startsWith(wanted.slice(0, -1)) : plain.trim() === wanted;
}

/** How the bytes of a type begin. What is not listed is text, or nobody can tell. */
const BEGINNINGS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  "image/png": [[0x89, 0x50, 0x4e, 0x47]],
  "image/jpeg": [[0xff, 0xd8, 0xff]],
  "image/gif": [[0x47, 0x49, 0x46, 0x38]],
  "image/webp": [[0x52, 0x49, 0x46, 0x46]],
  "application/pdf": [[0x25, 0x50, 0x44, 0x46]],
};
const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml)\b)/i;
const LOOKED_AT = 8_192;

/** Whether the first bytes are those of the type that was said: a program in a picture's clothes is not stored as one. */
export function isWhatItSays(type: string, head: Uint8Array): boolean {
  const [plain = ""] = type.toLowerCase().split(";");
  const beginnings = BEGINNINGS[plain.trim()];
  if (beginnings) return beginnings.some((wanted) => wanted.every((byte, at) => head[at] === byte));
  return !TEXT.test(plain.trim()) || !head.subarray(0, LOOKED_AT).includes(0);
}
