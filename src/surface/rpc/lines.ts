/**
 * One JSON value a line. Lines end at LF and nowhere else: U+2028 and its like are legal inside a JSON string. A CR
 * before it is left out. A line that is too long is told of and skipped; nothing of it is kept meanwhile.
 */

const LONGEST_LINE = 16 * 1024 * 1024;

export type Line = { readonly text: string } | { readonly tooLong: number };

const LF = 0x0a;

export class LineReader {
  readonly #longest: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(longest = LONGEST_LINE) {
    this.#longest = longest;
  }

  /** The lines that end in this piece. */
  *read(piece: Uint8Array): Generator<Line> {
    let from = 0;
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, from)) {
      this.#keep(piece.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#keep(piece.subarray(from));
  }

  /** What stands after the last LF; undefined when there is nothing. */
  end(): Line | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#longest) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take(): Line {
    const length = this.#length;
    const text = length > this.#longest ? "" : Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#length = 0;
    if (length > this.#longest) return { tooLong: length };
    return { text: text.endsWith("\r") ? text.slice(0, -1) : text };
  }
}
