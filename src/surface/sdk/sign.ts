/** Something happened after which a thread may have come to rest: it ended, or somebody in its tree waits for a person. */
import { closed } from "./closed.ts";
import type { Feed } from "./feed.ts";

export class Sign {
  readonly #stop: () => void;
  readonly #ends: AbortSignal;
  readonly #show = () => {
    this.#isShown = true;
    this.#rouse?.();
    this.#rouse = undefined;
  };
  #isShown = false;
  #end: { readonly error: unknown } | undefined;
  #rouse: (() => void) | undefined;

  /** `ends`: the wait is over, with its reason. */
  constructor(rootId: string, feed: Feed, ends: AbortSignal) {
    this.#ends = ends;
    const over = (error: unknown = closed("while somebody waited")) => {
      this.#end = { error };
      this.#show();
    };
    this.#stop = feed.listen({ stir: this.#show, over }, { tree: rootId });
    ends.addEventListener("abort", this.#show);
  }

  reset(): void {
    this.#isShown = false;
    this.#requireGoing();
  }

  /** Until something was shown since the last reset. */
  async wait(): Promise<void> {
    for (;;) {
      this.#requireGoing();
      if (this.#isShown) return;
      await new Promise<void>((resolve) => {
        this.#rouse = resolve;
      });
    }
  }

  /** What is to be told when a look failed: a project that was closed meanwhile explains everything. */
  explain(error: unknown): unknown {
    return this.#end ? this.#end.error : error;
  }

  close(): void {
    this.#stop();
    this.#ends.removeEventListener("abort", this.#show);
  }

  #requireGoing(): void {
    if (this.#ends.aborted) throw this.#ends.reason;
    if (this.#end) throw this.#end.error;
  }
}
