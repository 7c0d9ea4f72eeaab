/** Something happened after which a thread may have come to rest: it ended, or somebody waits for a person. */
import type { Event } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import { ENDS } from "../../core/status.ts";
import type { Feed } from "./feed.ts";

export class Sign {
  /** Threads of its chain, as far as they are known. */
  readonly #chain = new Set<string>();
  readonly #stop: () => void;
  readonly #ends: AbortSignal;
  readonly #cut: () => void;
  #seen = false;
  #error: { readonly error: unknown } | undefined;
  #rouse: (() => void) | undefined;

  constructor(threadId: string, feed: Feed, ends: AbortSignal) {
    this.#chain.add(threadId);
    this.#ends = ends;
    this.#stop = feed.listen({
      event: (event) => {
        if (this.#concerns(event)) this.#show();
      },
      over: (error) => {
        this.#error = { error: error ?? closed() };
        this.#show();
      },
    });
    this.#cut = () => this.#show();
    ends.addEventListener("abort", this.#cut);
  }

  reset(): void {
    this.#seen = false;
  }

  async wait(): Promise<void> {
    for (;;) {
      if (this.#ends.aborted) throw this.#ends.reason;
      if (this.#error) throw this.#error.error;
      if (this.#seen) return;
      await new Promise<void>((resolve) => {
        this.#rouse = resolve;
      });
    }
  }

  close(): void {
    this.#stop();
    this.#ends.removeEventListener("abort", this.#cut);
  }

  /** A thread anywhere below that waits for a person may be what this one waits for. */
  #concerns(event: Event): boolean {
    if (event.type === "thread_suspended") return true;
    if (!this.#chain.has(event.thread_id)) return false;
    if (event.type === "thread_continued") this.#chain.add(event.to);
    return ENDS.includes(event.type) || event.type === "thread_continued";
  }

  #show(): void {
    this.#seen = true;
    this.#rouse?.();
    this.#rouse = undefined;
  }
}

function closed(): Problem {
  return new Problem("E_CLOSED", {
    what: "The project was closed while somebody waited.",
    why: "Its threads lose nothing: whoever opens it next goes on with them.",
  });
}
