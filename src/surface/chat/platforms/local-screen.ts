/** What the embedded platform prints. A message is reprinted where it stands as long as it is the last thing there. */
import { stripControls } from "../../../core/text.ts";
import { widthOf } from "../../cli/shown-width.ts";

/** As much of an output stream as is needed of one. */
export interface LocalOutput {
  write(text: string): void;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Of older ones it is forgotten how they read: an edit is then printed even if nothing changed. */
const MOST_KEPT = 1_000;
const COLUMNS = 80;
const ROWS = 24;

export class LocalScreen {
  readonly #output: LocalOutput;
  readonly #isTerminal: boolean;
  readonly #shown = new Map<string, string>();
  #last: { readonly id: string; readonly rows: number } | undefined;

  constructor(output: LocalOutput, isTerminal: boolean) {
    this.#output = output;
    this.#isTerminal = isTerminal;
  }

  /** The person wrote something: what stood last has moved up. */
  typed(): void {
    this.#last = undefined;
  }

  /** Of nobody's message. */
  note(text: string): void {
    this.#last = undefined;
    this.#output.write(`${stripControls(text)}\n`);
  }

  show(id: string, said: string): void {
    const text = stripControls(said);
    if (this.#shown.get(id) === text) return;
    this.#output.write(`${this.#upTo(id)}${text}\n`);
    this.#shown.set(id, text);
    this.#last = { id, rows: this.#rowsOf(text) };
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST_KEPT && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Up to its first row, and everything from there cleared; nothing where it cannot be reached. */
  #upTo(id: string): string {
    const last = this.#last;
    if (!this.#isTerminal || last?.id !== id) return "";
    return last.rows < (this.#output.rows ?? ROWS) ? `\u001b[${last.rows}A\u001b[J` : "";
  }

  #rowsOf(text: string): number {
    const columns = Math.max(1, this.#output.columns ?? COLUMNS);
    const lines = text.split("\n").map((line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
    return lines.reduce((sum, rows) => sum + rows, 0);
  }
}
