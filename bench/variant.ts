/** What a worker can be told to do, and as whom. */
import type { Kind } from "./payload.ts";
import type { Watch } from "./watch.ts";

/**
 * `raw`: the naive loop. `bare`: our loop and client on the store in memory, without files. `store`: SQLite without
 * exports and inbox. `durable`: what users get.
 */
export const VARIANTS = ["raw", "bare", "store", "durable"] as const;
export type Variant = (typeof VARIANTS)[number];

export interface Job {
  /** Answers of this kind before a last one of plain text. */
  readonly turns: number;
  readonly kind: Kind;
  readonly watch?: Watch;
}
