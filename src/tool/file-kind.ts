/** Whether a file is text, judged by its beginning; if not, what it looks like. */

export const HEAD_BYTES = 8_192;

const KINDS: readonly (readonly [string, readonly number[]])[] = [
  ["a PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["a JPEG image", [0xff, 0xd8, 0xff]],
  ["a GIF image", [0x47, 0x49, 0x46, 0x38]],
  ["a PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04]],
  ["gzip data", [0x1f, 0x8b]],
  ["a program", [0x7f, 0x45, 0x4c, 0x46]],
  ["WebAssembly", [0x00, 0x61, 0x73, 0x6d]],
  ["an SQLite database", [...Buffer.from("SQLite format 3\0")]],
  ["UTF-16 text", [0xff, 0xfe]],
  ["UTF-16 text", [0xfe, 0xff]],
];

/** Undefined for text. A PDF without a NUL in its head is refused as well: nobody can read it as text. */
export function binaryKind(head: Uint8Array): string | undefined {
  const known = KINDS.find(([, start]) => start.every((byte, index) => head[index] === byte))?.[0];
  return known ?? (head.includes(0) ? "binary data" : undefined);
}
