/** What came of replaying a thread (X5): how far it went, and where what would be written now is something else. */
import type { Event, NewEvent } from "./event.ts";

export interface Difference {
  /** Where in the event: `hold.amount`. */
  readonly field: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

export interface Divergence {
  readonly seq: number;
  /** Undefined: the journal has nothing here. */
  readonly recorded: Event | undefined;
  /** Undefined: nothing would be written. */
  readonly now: NewEvent | undefined;
  /** For events of the same type. */
  readonly differences: readonly Difference[];
  /** What it would do instead of writing something. */
  readonly instead?: string | undefined;
}

export interface Replayed {
  readonly thread_id: string;
  /** Events that the journal and the code agree on, and how many there are. */
  readonly events: number;
  readonly total: number;
  readonly divergences: readonly Divergence[];
  /** From the last divergence on, the journal does not tell what would happen. */
  readonly parted: boolean;
}
