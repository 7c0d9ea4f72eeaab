/**
 * Keeps the log of one chat up with its journal.
 *   L1. Every event is seen once and in order; those up to the last line that is written are passed over.
 *   L2. What the log lacks of older threads of the chain is made up for before anything else is written.
 *   L3. A log that cannot be written is told of once, and stops nobody: the next process writes what is missing.
 */
import { chainOf } from "../../core/chain-links.ts";
import { type ChatLog, chatLogLine, type LogPlace } from "../../core/chat-log.ts";
import { type ChatState, foldChat, NEW_CHAT } from "../../core/chat-state.ts";
import type { Event } from "../../core/event.ts";
import type { Store } from "../../core/store.ts";

export class Logging {
  readonly #log: ChatLog;
  readonly #trouble: (message: string) => void;
  #root: string | undefined;
  #last: LogPlace | undefined;
  /** The event of the last line is still to come. */
  #isBehind = false;
  #isBroken = false;

  constructor(log: ChatLog, trouble: (message: string) => void) {
    this.#log = log;
    this.#trouble = trouble;
  }

  /** `state`: as it was before the event. */
  take(state: ChatState, event: Event): void {
    if (this.#isBroken) return;
    try {
      if (event.type === "thread_created" && event.address !== undefined) this.#begin(event);
      if (this.#root === undefined || this.#isPast(event)) return;
      const line = chatLogLine(state, event);
      if (line) this.#log.append(this.#root, line);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** L3. */
  #fail(error: unknown): void {
    this.#isBroken = true;
    this.#trouble(`log.jsonl could not be written: ${(error as Error).message}`);
  }

  /** L2: before an actor begins with the last threads of its chain. */
  async catchUp(
    store: Pick<Store, "find" | "load">,
    chainRootId: string,
    known: readonly string[],
  ): Promise<void> {
    try {
      await this.#catchUp(store, chainRootId, known);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #catchUp(
    store: Pick<Store, "find" | "load">,
    chainRootId: string,
    known: readonly string[],
  ): Promise<void> {
    const last = this.#log.last(chainRootId);
    if (last && known.includes(last.thread_id)) return;
    const [first] = await store.find({ threadId: chainRootId, limit: 1 });
    const older = first ? (await chainOf(store, first)).filter((row) => !known.includes(row.thread_id)) : [];
    let state = NEW_CHAT;
    for (const { thread_id } of older) {
      for (const event of (await store.load(thread_id)).events) {
        this.take(state, event);
        state = foldChat(state, event);
      }
    }
    // Its last line is of no thread that there is: whatever comes is new.
    this.#isBehind = false;
    this.#root = chainRootId;
  }

  #begin({ chain_root_id }: Event<"thread_created">): void {
    if (this.#root === chain_root_id) return;
    this.#root = chain_root_id;
    this.#last = this.#log.last(chain_root_id);
    this.#isBehind = this.#last !== undefined;
  }

  /** L1. */
  #isPast({ thread_id, seq }: Event): boolean {
    if (!this.#isBehind || !this.#last) return false;
    if (thread_id !== this.#last.thread_id) return true;
    if (seq < this.#last.seq) return true;
    this.#isBehind = false;
    return seq === this.#last.seq;
  }
}
