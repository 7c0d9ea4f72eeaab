/**
 * A conversation as the bytes of a request, written once: a turn appends to what the turns before it wrote, so that
 * turn 500 costs what turn 10 does. What stands here never changes, so a slice may be on its way while it grows.
 */
import type { Log } from "../core/log.ts";
import type { Message } from "../core/message.ts";

/** Writes one conversation in a protocol's words. */
export interface Scribe {
  /** The text that follows what was written before. */
  write(message: Message): string;
  /** What closes the list as it stands now. */
  tail(): string;
}

export interface WrittenLog {
  readonly bytes: Uint8Array;
  readonly tail: string;
}

/** Logs that grew from each other share an array, which therefore stands for the conversation. */
export function logWriter(
  newScribe: (maxResultChars: number) => Scribe,
): (log: Log<Message>, maxResultChars: number) => WrittenLog {
  const known = new WeakMap<readonly Message[], Growing>();
  return (log, maxResultChars) => {
    const written = known.get(log.items);
    if (written && written.count <= log.length) return written.upTo(log);
    const fresh = new Growing(newScribe(maxResultChars));
    // An older value of a conversation that has gone on: its bytes must not take the place of the longer ones.
    if (!written) known.set(log.items, fresh);
    return fresh.upTo(log);
  };
}

class Growing {
  readonly #scribe: Scribe;
  #bytes = Buffer.allocUnsafe(4_096);
  #used = 0;
  count = 0;

  constructor(scribe: Scribe) {
    this.#scribe = scribe;
  }

  upTo(log: Log<Message>): WrittenLog {
    for (; this.count < log.length; this.count += 1) {
      const message = log.items[this.count];
      if (message) this.#add(this.#scribe.write(message));
    }
    return { bytes: this.#bytes.subarray(0, this.#used), tail: this.#scribe.tail() };
  }

  #add(text: string): void {
    const needed = this.#used + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#used += this.#bytes.write(text, this.#used);
  }
}
