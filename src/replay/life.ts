/** One activation that is played again: everything it waits for is here, until somebody who knows the journal feeds it. */
import type { LocalHook } from "../core/hook.ts";
import type { CallId } from "../core/id.ts";
import type { Block } from "../core/message.ts";
import type { Ending, ModelEvent } from "../core/model.ts";
import type { Notes, World } from "../core/world.ts";
import type { Active } from "../runtime/active.ts";

/** What stands in the place of a secret. */
const MARKS = /\[secret[^\]]*\]/g;

type Answer<T> = T extends (...given: never[]) => Promise<infer R> ? R : never;
type HookAnswer = Answer<NonNullable<World["runHook"]>>;
type PrepareAsk = Parameters<NonNullable<World["prepare"]>>[0];
type PrepareAnswer = Answer<NonNullable<World["prepare"]>>;
type CallAnswer = Answer<NonNullable<World["answered"]>>;

export interface OpenAsk {
  readonly turn: number;
  readonly on: (event: ModelEvent) => void;
  readonly end: (ending: Ending) => void;
  /** Blocks that it has heard of. */
  fed: number;
  /** All of its answer, as far as the journal tells of it. */
  blocks?: readonly (Block | undefined)[];
}

export interface OpenAnswer {
  readonly notes: Notes;
  readonly give: (outcome: CallAnswer) => void;
  /** Where the tape was when it last wrote something down itself. */
  notedAt: number;
}

export interface OpenHook {
  readonly hook: LocalHook;
  readonly point: string;
  readonly say: (answer: HookAnswer) => void;
}

export interface OpenPrepare {
  readonly ask: PrepareAsk;
  readonly give: (prepared: PrepareAnswer) => void;
  readonly fail: (problem: unknown) => void;
}

interface Sleep {
  readonly ms: number;
  readonly wake: () => void;
}

export class Life {
  readonly reason: string;
  /** Requests were answered and nothing else: whoever asked did not host the thread. */
  readonly isAlone: boolean;
  readonly calls = new Map<CallId, OpenAnswer>();
  hooks: OpenHook[] = [];
  prepares: OpenPrepare[] = [];
  sleeps: Sleep[] = [];
  ask: OpenAsk | undefined;
  active: Active | undefined;
  commits = 0;
  /** Those in a row that wrote nothing. */
  idle = 0;
  /** Its process died: nothing that it still does has an effect. */
  isDead = false;
  isOver = false;
  error: unknown;

  constructor(reason: string, isAlone: boolean) {
    this.reason = reason;
    this.isAlone = isAlone;
  }

  /** Inputs of calls that were not kept as they were given, by what stands for them here. */
  readonly #kept = new Map<string, object>();

  /** Something else than what is kept of it: as it was, nobody knows any more. */
  secretly(input: object): object {
    const given = JSON.stringify(input).replace(MARKS, `not kept ${this.#kept.size}`);
    this.#kept.set(given, input);
    return JSON.parse(given);
  }

  kept<T>(value: T): T {
    if (this.#kept.size === 0 || typeof value !== "object") return value;
    // By what it says: a call that was made with `execute` is put together anew.
    return (this.#kept.get(JSON.stringify(value)) as T | undefined) ?? value;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const asleep: Sleep = {
        ms,
        wake: () => {
          this.sleeps = this.sleeps.filter((other) => other !== asleep);
          resolve();
        },
      };
      signal?.addEventListener("abort", asleep.wake, { once: true });
      this.sleeps.push(asleep);
    });
  }

  /** It was told to stop, and not to go on with something else since. */
  get isInterrupted(): boolean {
    return this.active?.effects.signal.aborted === true;
  }

  /** Whether anything outside is waited for that a death would leave open. */
  get isAtWork(): boolean {
    return this.ask !== undefined || this.calls.size + this.hooks.length + this.prepares.length > 0;
  }
}

export function forever<T>(): Promise<T> {
  return new Promise(() => {});
}
