/**
 * What goes out, one JSON value a line. Answers are always kept; whoever tells of events waits while the reader is
 * behind, so what is kept here stays small however slow the reader is.
 */

/** As much of a stream as is needed of one. */
export interface Writer {
  /** Calls back when it has left us, or never will. */
  write(text: string, done: () => void): void;
}

/** Characters that are on their way. */
const BEHIND = 256 * 1024;
/** From here on no more commands are read: the other side writes, and does not read. */
const STUFFED = 16 * 1024 * 1024;

export class Outlet {
  readonly #writer: Writer;
  readonly #redact: <T>(value: T) => T;
  #onTheWay = 0;
  #isOver = false;
  #waiting: (() => void)[] = [];

  constructor(writer: Writer, redact: <T>(value: T) => T = (value) => value) {
    this.#writer = writer;
    this.#redact = redact;
  }

  /** The reader does not keep up: what may be dropped is dropped. */
  get isBehind(): boolean {
    return this.#onTheWay > BEHIND;
  }

  send(value: object): void {
    if (this.#isOver) return;
    const line = `${JSON.stringify(this.#redact(value))}\n`;
    this.#onTheWay += line.length;
    this.#writer.write(line, () => {
      this.#onTheWay -= line.length;
      this.#rouse();
    });
  }

  /** Waits while the reader is behind, and then sends. */
  async tell(value: object): Promise<void> {
    while (this.isBehind && !this.#isOver) await this.#change();
    this.send(value);
  }

  /** Until there is room for answers again. */
  async room(): Promise<void> {
    while (this.#onTheWay > STUFFED && !this.#isOver) await this.#change();
  }

  /** Until everything has left us. */
  async flushed(): Promise<void> {
    while (this.#onTheWay > 0 && !this.#isOver) await this.#change();
  }

  /** Nobody reads any more. */
  close(): void {
    this.#isOver = true;
    this.#rouse();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #rouse(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
