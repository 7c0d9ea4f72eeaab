/** Orders to a worker and its reports: plain values, as they travel between processes. */
import type { Kind } from "./payload.ts";
import type { ScaleOrder, ScaleReplies } from "./scale/orders.ts";
import type { Mark } from "./watch.ts";

export type Order =
  | {
      readonly type: "thread";
      readonly turns: number;
      readonly kind: Kind;
      readonly toolMs: number;
      /** Turns whose request is to be timed. */
      readonly marks: readonly number[];
    }
  | { readonly type: "crowd"; readonly threads: number; readonly turns: number }
  /** `grows`: no checkpoints. `marks`: leaves a system call in the trace at every turn. */
  | { readonly type: "spending"; readonly turns: number; readonly grows: boolean; readonly marks: boolean }
  | { readonly type: "sync"; readonly commits: number }
  /** Puts ended threads, and a few that wait, into a store. */
  | { readonly type: "fill"; readonly path: string; readonly threads: number }
  | ScaleOrder;

export interface ThreadReport extends Mark {
  readonly asked: Readonly<Record<number, Mark>>;
  readonly dispatchMs: readonly number[];
}

export interface CrowdReport extends Mark {
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  readonly peakMb: number;
}

/** Totals before the request of turn n (from 0); the last entry is after the end. */
export interface Spending {
  readonly walBytes: readonly number[];
  readonly commits: readonly number[];
  /** How long each took. */
  readonly commitMs: readonly number[];
}

export type Report = Replies[Order["type"]];

export interface Replies extends ScaleReplies {
  readonly thread: ThreadReport;
  readonly crowd: CrowdReport;
  readonly spending: Spending;
  readonly sync: { readonly syncMs: readonly number[] };
  readonly fill: { readonly threads: number };
}
