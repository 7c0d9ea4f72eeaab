/** Which attachments are read (UX d.6): by size, by type, by whether they are what they say; and under which names they are kept. */
import type { ChatAttachment } from "./chat-platform.ts";
import { refusedFile } from "./chat-texts.ts";
import { wellFormed } from "./text.ts";

export interface AttachmentLimits {
  readonly max_mb: number;
  readonly types: readonly string[];
}

/** Run by whoever opens them, whatever type they were sent with. */
const PROGRAMS = /\.(?:exe|dll|scr|com|bat|cmd|msi|ps1|vbs|jar|app|dmg|apk|lnk|iso)$/i;
const MB = 1_000_000;
/** Of one message: whoever sends more sends an archive. */
const MOST_FILES = 20;

export function mostBytes({ max_mb }: AttachmentLimits): number {
  return Math.floor(max_mb * MB);
}

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
/** Windows, Linux, and twice macOS. */
const PROGRAM_BEGINNINGS = [
  [0x4d, 0x5a],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
];
const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml)\b)/i;
const LOOKED_AT = 8_192;

/** Whether the first bytes are those of the type that was said: a program in a picture's clothes is not stored as one. */
export function isWhatItSays(type: string, head: Uint8Array): boolean {
  const [plain = ""] = type.toLowerCase().split(";");
  const beginnings = BEGINNINGS[plain.trim()];
  const begins = (wanted: readonly number[]) => wanted.every((byte, at) => head[at] === byte);
  if (beginnings) return beginnings.some(begins);
  if (isText(plain)) return !head.subarray(0, LOOKED_AT).includes(0);
  return !PROGRAM_BEGINNINGS.some(begins);
}

export function isText(type: string): boolean {
  return TEXT.test(type.trim());
}

/** What is read of a message, by its place in it, and what is not, in words for who sent it. */
export function planAttachments(
  attachments: readonly Pick<ChatAttachment, "name" | "type" | "bytes">[],
  limits: AttachmentLimits,
): { readonly read: readonly { readonly at: number; readonly name: string }[]; readonly refused: string[] } {
  const read: { at: number; name: string }[] = [];
  const refused: string[] = [];
  const names = safeNames(attachments.map(({ name }) => name));
  let others = 0;
  attachments.forEach((file, at) => {
    const why = attachmentRefusal(file, limits);
    if (why === undefined && read.length < MOST_FILES) read.push({ at, name: names[at] ?? "file" });
    else if (why !== undefined && refused.length < MOST_FILES) refused.push(why);
    else others += 1;
  });
  const more = `${others} more were not read: at most ${MOST_FILES} files of a message are.`;
  return { read, refused: others > 0 ? [...refused, more] : refused };
}

/** Devices of Windows, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const LONGEST_NAME = 60;
const LONGEST_ENDING = 12;

/** As they can be stored side by side anywhere: no folder, no hidden file, no device, no sign that a reader cannot see. */
export function safeNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe = safeName(name);
    const { stem, ending } = parted(safe);
    let free = safe;
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${stem}-${count}${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

function safeName(name: string): string {
  const last = name.normalize("NFKC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, "_")
    .replace(/\.{2,}/g, ".")
    .replace(/^[._-]+|[._-]+$/g, "");
  const { stem, ending } = parted(plain);
  const short = `${[...stem].slice(0, LONGEST_NAME).join("").slice(0, LONGEST_NAME)}${ending}`;
  const known = wellFormed(short.normalize("NFC"));
  if (known === "") return "file";
  return DEVICE.test(known) ? `file-${known}` : known;
}

function parted(name: string): { readonly stem: string; readonly ending: string } {
  const at = name.lastIndexOf(".");
  const isEnding = at > 0 && name.length - at <= LONGEST_ENDING;
  return isEnding ? { stem: name.slice(0, at), ending: name.slice(at) } : { stem: name, ending: "" };
}

/** What can be read as text, whatever it is called; undefined: it is something else. */
export function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // its only failure: not UTF-8
  }
}
