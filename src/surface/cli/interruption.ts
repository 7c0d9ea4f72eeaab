/** Ctrl-C and SIGTERM: the first asks to stop where nothing is lost, the second ends the process at once. */
import type { Terminal } from "./terminal.ts";

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;
type Caught = keyof typeof EXIT_BY_SIGNAL;

export class Interruption {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #terminal: Terminal;
  readonly #heard = new Map<Caught, () => void>();
  #caught: Caught | undefined;
  #lastWords: (exit: number) => void = () => {};

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.signal = this.#controller.signal;
    for (const name of Object.keys(EXIT_BY_SIGNAL) as Caught[]) {
      const hear = () => this.#hear(name);
      this.#heard.set(name, hear);
      process.on(name, hear);
    }
  }

  /** The exit code, once a signal came. */
  get exit(): number | undefined {
    return this.#caught && EXIT_BY_SIGNAL[this.#caught];
  }

  /** What still has to be said when a second signal ends the process. */
  onForced(lastWords: (exit: number) => void): void {
    this.#lastWords = lastWords;
  }

  dispose(): void {
    for (const [name, hear] of this.#heard) process.off(name, hear);
  }

  #hear(name: Caught): void {
    if (this.#caught) {
      const exit = EXIT_BY_SIGNAL[name];
      this.#lastWords(exit);
      this.#terminal.flush().finally(() => process.exit(exit));
      return;
    }
    this.#caught = name;
    this.#controller.abort(new Error(name));
  }
}
