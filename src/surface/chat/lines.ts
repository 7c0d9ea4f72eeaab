/** One after the other where it belongs together, beside one another where it does not: nobody waits for another's line. */
export class Lines {
  readonly #lines = new Map<string, Promise<void>>();
  readonly #breathes: number;
  #sinceBreath = 0;

  /** After so many in a row that did not wait for anything, whoever else wants to move has a turn. */
  constructor(breathes: number) {
    this.#breathes = breathes;
  }

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(key);
    const done = before ? before.then(() => this.#breath()).then(act) : act();
    const over: Promise<void> = done.then(
      () => this.#leave(key, over),
      () => this.#leave(key, over), // who asked for it is told
    );
    this.#lines.set(key, over);
    return done;
  }

  /** Until nobody is in a line. */
  async settled(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all(this.#lines.values());
  }

  #leave(key: string, over: Promise<void>): void {
    if (this.#lines.get(key) === over) this.#lines.delete(key);
  }

  #breath(): Promise<void> | undefined {
    this.#sinceBreath = (this.#sinceBreath + 1) % this.#breathes;
    return this.#sinceBreath === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  }
}
