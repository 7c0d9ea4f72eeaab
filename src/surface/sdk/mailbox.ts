/** What has come for one reader and was not read yet. It never grows without end: what cannot be kept is looked up. */

const CAPACITY = 1_000;

export class Mailbox<T> {
  #items: T[] = [];
  #rouse: (() => void) | undefined;
  #end: { readonly error: unknown } | undefined;
  /** Something was not kept: what is missing has to be read where it is stored. */
  isBehind = false;

  /** Nothing comes any more. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

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

  /** The first end counts. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** All there is; waits until there is something. Undefined: nothing comes any more. Throws what ended it, if that was a failure. */
  async take(): Promise<readonly T[] | undefined> {
    while (this.#items.length === 0 && !this.isBehind) {
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end) return undefined;
      await new Promise<void>((resolve) => {
        this.#rouse = resolve;
      });
    }
    if (this.isBehind && this.#end) return undefined;
    const taken = this.#items;
    this.#items = [];
    return taken;
  }

  #wake(): void {
    this.#rouse?.();
    this.#rouse = undefined;
  }
}
