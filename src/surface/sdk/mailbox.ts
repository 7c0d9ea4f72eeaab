/** What has come for one reader and was not read yet. It never grows without end: what cannot be kept is looked up. */

const CAPACITY = 1_000;

export class Mailbox<T> {
  #items: T[] = [];
  #rouse: (() => void) | undefined;
  #isOver = false;
  #error: unknown;
  /** Something was not kept: what is missing has to be read where it is stored. */
  isBehind = false;

  /** Kept, or the reader is told that it has fallen behind. */
  put(item: T): void {
    if (this.#items.length < CAPACITY) this.#items.push(item);
    else {
      this.#items = [];
      this.isBehind = true;
    }
    this.#wake();
  }

  /** Kept only while there is room. */
  offer(item: T): void {
    if (this.#items.length < CAPACITY) this.#items.push(item);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#isOver = true;
    this.#error = error;
    this.#wake();
  }

  /** All there is; waits until there is something. Undefined: nothing comes any more. Throws what ended it, if that was a failure. */
  async take(): Promise<readonly T[] | undefined> {
    while (this.#items.length === 0 && !this.isBehind) {
      if (this.#isOver && this.#error !== undefined) throw this.#error;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#rouse = resolve;
      });
    }
    const taken = this.#items;
    this.#items = [];
    return taken;
  }

  #wake(): void {
    this.#rouse?.();
    this.#rouse = undefined;
  }
}
