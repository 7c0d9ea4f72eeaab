/**
 * Lines at the bottom of a terminal that are drawn again in place.
 *   F1. Nothing is written when nothing changed.
 *   F2. Each drawing is one write, wrapped so that terminals which know how show it at once (CSI ?2026).
 *   F3. No line is wider than the terminal, or it would take two and the next drawing would leave one behind.
 */
import { cutTo } from "./shown-width.ts";

export interface FrameStream {
  readonly columns?: number;
  readonly rows?: number;
  /** How a line is shown, before it is measured. */
  shown?(line: string): string;
  write(text: string): unknown;
}

export class Frame {
  readonly #stream: FrameStream;
  #shown: readonly string[] = [];

  constructor(stream: FrameStream) {
    this.#stream = stream;
  }

  draw(lines: readonly string[]): void {
    // A terminal that does not know its size says 0.
    const columns = this.#stream.columns || 80;
    const rows = this.#stream.rows || 24;
    const room = Math.max(1, rows - 1);
    const kept =
      lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more`] : lines;
    const shown = (line: string) => this.#stream.shown?.(line) ?? line;
    const cut = kept.map((line) => shown(cutTo(shown(line), columns - 3)));
    if (isSame(cut, this.#shown)) return;
    this.#stream.write(`\u001b[?2026h${this.#back()}${cut.join("\n")}\u001b[?2026l`);
    this.#shown = cut;
  }

  /** Gone, and the cursor where it began: what is printed next takes its place. */
  clear(): void {
    if (this.#shown.length === 0) return;
    this.#stream.write(this.#back());
    this.#shown = [];
  }

  /** To the first of the lines, with everything below it erased. */
  #back(): string {
    const up = this.#shown.length > 1 ? `\u001b[${this.#shown.length - 1}A` : "";
    return this.#shown.length === 0 ? "" : `\r${up}\u001b[J`;
  }
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}
