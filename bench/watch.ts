/** Where both sides say what they reached, so that the same instants are measured in both. */
import { performance } from "node:perf_hooks";

export interface Mark {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export class Watch {
  /** When the request of turn n (from 0) was about to be made, for the turns asked about. */
  readonly asked: Record<number, Mark> = {};
  /** From the bytes that closed a call's block to the tool. */
  readonly dispatchMs: number[] = [];
  onAsk: ((turn: number) => void) | undefined;
  readonly #turns: ReadonlySet<number>;
  #closedAt = 0;

  /** Looking at the processor's clock is not free: only where somebody wants to know. */
  constructor(turns: readonly number[]) {
    this.#turns = new Set(turns);
  }

  ask(turn: number): void {
    if (this.#turns.has(turn)) this.asked[turn] = mark();
    this.onAsk?.(turn);
  }

  bytesRead(): void {
    this.#closedAt = performance.now();
  }

  toolRuns(): void {
    this.dispatchMs.push(performance.now() - this.#closedAt);
  }
}

export function mark(): Mark {
  return { wallMs: performance.now(), cpuMs: cpuMs() };
}

export function since(start: Mark): Mark {
  const now = mark();
  return { wallMs: now.wallMs - start.wallMs, cpuMs: now.cpuMs - start.cpuMs };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
