/** Requests to a provider wait here for their turn (E10): before the request, holding no dispatch slot. */
import { answered, entered, type Gate, gateWait, left, openGate, refused } from "../core/gate.ts";
import type { Clock } from "../core/world.ts";

export interface Passage {
  /** How the request ended: with an answer, with a rate limit that asks for a wait, or in another way. */
  leave(how: "answered" | "failed" | { readonly refusedForMs: number }): void;
}

/** `held`: nobody may pass for longer than anybody waits in a process. */
type Admission = Passage | { readonly heldMs: number } | { readonly aborted: true };

interface Waiting {
  readonly longestMs: number;
  go(admission: Admission): void;
}

class Gatekeeper {
  readonly #clock: Clock;
  #gate: Gate = openGate;
  #line: Waiting[] = [];
  #sleep: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async pass(signal: AbortSignal, longestMs: number, onWait: (ms: number) => void): Promise<Admission> {
    if (signal.aborted) return { aborted: true };
    if (this.#line.length === 0 && this.#wait() === 0) return this.#enter();
    const heldMs = this.#heldMs();
    if (heldMs > longestMs) return { heldMs };
    if (heldMs > 0) onWait(heldMs);
    return this.#queue(signal, longestMs);
  }

  #wait(): number {
    return gateWait(this.#gate, this.#clock.monotonic());
  }

  #heldMs(): number {
    return this.#gate.heldUntil - this.#clock.monotonic();
  }

  /** Past the line: a person asked for this one request. */
  enter(): Passage {
    return this.#enter();
  }

  #enter(): Passage {
    this.#gate = entered(this.#gate);
    const enteredAt = this.#clock.monotonic();
    let isIn = true;
    return {
      leave: (how) => {
        if (!isIn) return;
        isIn = false;
        if (how === "answered") this.#gate = answered(this.#gate, enteredAt);
        else if (how === "failed") this.#gate = left(this.#gate);
        else {
          const now = this.#clock.monotonic();
          this.#gate = refused(this.#gate, { enteredAt, now, holdMs: how.refusedForMs });
        }
        this.#admit();
      },
    };
  }

  /** First come, first served; who is told to stop leaves the line. */
  #queue(signal: AbortSignal, longestMs: number): Promise<Admission> {
    return new Promise((resolve) => {
      const quit = () => {
        waiting.go({ aborted: true });
        this.#admit();
      };
      const waiting: Waiting = {
        longestMs,
        go: (admission) => {
          this.#line = this.#line.filter((other) => other !== waiting);
          signal.removeEventListener("abort", quit);
          resolve(admission);
        },
      };
      this.#line.push(waiting);
      signal.addEventListener("abort", quit, { once: true });
      this.#admit();
    });
  }

  /** Lets in whoever may go now; who would have to wait too long is told. */
  #admit(): void {
    const heldMs = this.#heldMs();
    for (const waiting of this.#line) if (heldMs > waiting.longestMs) waiting.go({ heldMs });
    while (this.#line.length > 0 && this.#wait() === 0) this.#line[0]?.go(this.#enter());
    const waitMs = this.#line.length > 0 ? this.#wait() : Number.POSITIVE_INFINITY;
    if (Number.isFinite(waitMs)) this.#sleepUntilFree(waitMs);
    else this.#sleep?.abort();
  }

  #sleepUntilFree(ms: number): void {
    if (this.#sleep) return;
    const over = new AbortController();
    this.#sleep = over;
    const awake = () => {
      this.#sleep = undefined;
      this.#admit();
    };
    this.#clock.sleep(ms, over.signal).then(awake, awake);
  }
}

/** Gates wait by a clock, and belong to it: one real clock, so one gate a key in the whole process. */
const gatekeepers = new WeakMap<Clock, Map<string, Gatekeeper>>();

export function gateFor(clock: Clock, key: string): Pick<Gatekeeper, "pass" | "enter"> {
  const all = gatekeepers.get(clock) ?? new Map<string, Gatekeeper>();
  gatekeepers.set(clock, all);
  const gatekeeper = all.get(key) ?? new Gatekeeper(clock);
  all.set(key, gatekeeper);
  return gatekeeper;
}
