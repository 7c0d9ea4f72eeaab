/** Reads a log as it grows: from its beginning, and on to the next one when it is put aside. */
import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { stripControls } from "../../core/text.ts";
import { openPlain } from "../../disk/open-plain.ts";

const PIECE = 64 * 1_024;
const MOST_AT_ONCE = 8 * 1_024 * 1_024;
const LONGEST_LINE = 8_192;

export class LogReader {
  readonly #path: string;
  readonly #piece = Buffer.alloc(PIECE);
  #file: number | undefined;
  #offset = 0;
  #decoder = new StringDecoder("utf8");
  #line = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Lines that have come to an end since the last time, without escapes. A line may come in pieces. */
  next(): string[] {
    const lines: string[] = [];
    if (this.#file === undefined) this.#open();
    for (let read = 0; this.#file !== undefined && read < MOST_AT_ONCE; ) {
      const got = readSync(this.#file, this.#piece, 0, PIECE, this.#offset);
      this.#offset += got;
      read += got;
      if (got > 0) lines.push(...this.#hear(this.#decoder.write(this.#piece.subarray(0, got))));
      else if (this.#isCurrent(this.#file)) break;
      else {
        this.close();
        this.#open();
      }
    }
    return lines;
  }

  /** The last one, which has no end yet and may never get one: `Listening: `. */
  get rest(): string {
    return stripControls(this.#line);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): void {
    const opened = openPlain(this.#path);
    if (!("file" in opened)) return;
    this.#file = opened.file;
    this.#offset = 0;
    this.#decoder = new StringDecoder("utf8");
  }

  #hear(text: string): string[] {
    const [first = "", ...rest] = text.split("\n");
    const lines = [this.#line + first, ...rest].map((line) => line.slice(0, LONGEST_LINE));
    this.#line = lines.pop() ?? "";
    return lines.map(stripControls);
  }

  #isCurrent(file: number): boolean {
    const now = statSync(this.#path, { throwIfNoEntry: false });
    return !now || now.ino === fstatSync(file).ino;
  }
}
