/**
 * The two streams of the command line.
 *   O1. Data goes to stdout, everything else to stderr.
 *   O2. In a machine format nothing but JSON reaches stdout, and nothing follows the final record.
 *   O3. A reader that goes away (`| head`) ends the output quietly.
 *   O4. No secret that we know of is written to either of them (K5).
 */
import pc from "picocolors";
import { spelledOut } from "../../core/text.ts";
import { Frame } from "./frame.ts";
import { toAscii } from "./glyph.ts";
import { type Look, readLook } from "./look.ts";
import { page, pagerFor } from "./pager.ts";
import { cutTo, widthOf } from "./shown-width.ts";

type Redact = <T>(value: T) => T;

export type Colours = ReturnType<typeof pc.createColors>;

export class Terminal {
  readonly look: Look;
  readonly out: Colours;
  readonly err: Colours;
  /** Aborts when the reader of stdout has gone. */
  readonly gone: AbortSignal;
  readonly #gone = new AbortController();
  #redact: Redact;
  #isFinal = false;

  constructor(argv: readonly string[], redact: Redact = (value) => value) {
    this.#redact = redact;
    this.look = readLook(argv, process.env, { out: process.stdout, err: process.stderr });
    this.out = pc.createColors(this.look.colour.out);
    this.err = pc.createColors(this.look.colour.err);
    this.gone = this.#gone.signal;
    process.stdout.on("error", (error: NodeJS.ErrnoException) => this.#lost(error));
    // Nobody can be told that nobody listens.
    process.stderr.on("error", () => {});
  }

  get isMachine(): boolean {
    return this.look.format !== "human";
  }

  get columns(): number {
    return process.stdout.isTTY ? process.stdout.columns || 80 : 120;
  }

  /** A line that is cut where the terminal ends; a file or a pipe has no end. */
  fitted(line: string): string {
    return process.stdout.isTTY ? cutTo(line, this.columns) : line;
  }

  /** A line can be redrawn in place, on stderr. */
  get isLive(): boolean {
    return process.stderr.isTTY === true && this.look.redraws;
  }

  /** The same, on stdout. */
  get redraws(): boolean {
    return process.stdout.isTTY === true && this.look.redraws;
  }

  /** Of a frame, on stdout: as it is, without a line of its own. */
  draw(text: string): void {
    if (!this.isMachine) this.#write(process.stdout, text);
  }

  /** As it would be printed. */
  shown(text: string): string {
    return this.#shown(text);
  }

  /** A project may know of more secrets (O4). */
  redactWith(redact: Redact): void {
    this.#redact = redact;
  }

  /** For what is written elsewhere (O4). */
  redacted<T>(value: T): T {
    return this.#redact(value);
  }

  /** Human text on stdout; swallowed in a machine format (O2). */
  print(text: string): void {
    if (!this.isMachine && text !== "") this.#write(process.stdout, `${this.#shown(text)}\n`);
  }

  /** The same, of an answer that may be longer than the screen. */
  async show(text: string): Promise<void> {
    const pager = this.look.redraws ? pagerFor(text, process.stdout, process.env) : undefined;
    if (this.isMachine || pager === undefined || !(await page(pager, this.#shown(text)))) this.print(text);
  }

  /** Human text on stderr. */
  say(text: string): void {
    if (text !== "") process.stderr.write(`${this.#shown(text)}\n`);
  }

  /** The live lines below what was said on stderr: drawn over, never kept. */
  frame(): Frame {
    return new Frame({
      get columns() {
        return process.stderr.columns;
      },
      get rows() {
        return process.stderr.rows;
      },
      shown: (line) => this.#shown(line),
      write: (text) => process.stderr.write(text),
    });
  }

  /** One JSON record of a stream. Unchanged as data, and harmless where somebody looks at it. */
  record(value: unknown): void {
    if (!this.#isFinal) this.#write(process.stdout, `${spelledOut(JSON.stringify(this.#redact(value)))}\n`);
  }

  /** The last thing on stdout. */
  final(value: unknown): void {
    this.record(value);
    this.#isFinal = true;
  }

  canAsk(mayAsk: boolean): boolean {
    return mayAsk && process.stdin.isTTY === true && process.stderr.isTTY === true;
  }

  async confirm(question: string, fallback: "yes" | "no"): Promise<boolean> {
    const answer = (await this.ask(`${question} ${fallback === "yes" ? "[Y/n]" : "[y/N]"}`)).toLowerCase();
    return answer === "" ? fallback === "yes" : answer === "y" || answer === "yes";
  }

  /** What a person types on one line. Ctrl-C and Ctrl-D would leave the question open for ever: both mean no. */
  async ask(question: string): Promise<string> {
    // Most answers ask nothing, and every start would pay for it.
    const { createInterface } = await import("node:readline/promises");
    const asker = createInterface({ input: process.stdin, output: process.stderr });
    const declined = new Promise<string>((resolve) => asker.once("close", () => resolve("no")));
    asker.once("SIGINT", () => asker.close());
    try {
      return (await Promise.race([asker.question(`? ${question} `), declined])).trim();
    } finally {
      asker.close();
    }
  }

  async flush(): Promise<void> {
    await Promise.all([drained(process.stdout), drained(process.stderr)]);
  }

  #write(stream: NodeJS.WriteStream, text: string): void {
    if (!this.#gone.signal.aborted) stream.write(text);
  }

  #shown(text: string): string {
    const shown = this.#redact(text);
    if (!this.look.ascii) return shown;
    return shown
      .split("\n")
      .map((line) => asciiLine(line, this.columns))
      .join("\n");
  }

  #lost(error: NodeJS.ErrnoException): void {
    this.#gone.abort(error);
  }
}

/** Some signs are spelled with several: a line that was cut to fit must fit afterwards too. */
function asciiLine(line: string, columns: number): string {
  const plain = toAscii(line);
  const isWidened = widthOf(line) <= columns && widthOf(plain) > columns;
  return isWidened ? toAscii(cutTo(plain, columns - 2)) : plain;
}

/** Pipes may be written later than they are asked to: leaving before that would cut the output. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || !stream.writable) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
