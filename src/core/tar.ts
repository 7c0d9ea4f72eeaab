/** Files as one archive that `tar` reads (POSIX ustar): regular files with short names, nothing else. */

export interface TarFile {
  /** At most 100 bytes of ASCII. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;

export function tarOf(files: readonly TarFile[]): Uint8Array {
  const size = files.reduce((sum, { bytes }) => sum + BLOCK + padded(bytes.length), 0) + 2 * BLOCK;
  const archive = new Uint8Array(size);
  let at = 0;
  for (const file of files) {
    archive.set(head(file), at);
    archive.set(file.bytes, at + BLOCK);
    at += BLOCK + padded(file.bytes.length);
  }
  return archive;
}

function padded(length: number): number {
  return Math.ceil(length / BLOCK) * BLOCK;
}

function head({ name, bytes }: TarFile): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(name.slice(0, 100), 0);
  put(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  put(`${octal(bytes.length, 11)}\0${octal(0, 11)}\0`, 124);
  put("        0", 148);
  put("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return block;
}
