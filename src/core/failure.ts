/** Failures of a model request are values that keep their structure; `rule.ts` says what they mean. */

/** What a failure means for the thread (E1). */
export const CATEGORIES = [
  "transient",
  "rate_limited",
  "quota",
  "limit_hit",
  "budget",
  "permanent",
  "cancelled",
  "context_overflow",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** How long to wait where the provider does not say: see `retry.ts`. */
export const POLICIES = ["exponential", "fixed", "rate_limited", "quota"] as const;
export type Policy = (typeof POLICIES)[number];

export interface Classified {
  readonly category: Category;
  /** The rule's id; `unknown` when none fits. */
  readonly rule: string;
  /** Undefined: there is nothing to wait for. */
  readonly policy: Policy | undefined;
}

/** Where it failed: the provider answered with an error, the connection broke, the stream ended too early, … */
export const FAILURE_KINDS = [
  "http",
  "connection",
  "stream_cut",
  "stalled",
  "aborted",
  "script",
  "misuse",
] as const;

export interface Failure {
  readonly kind: (typeof FAILURE_KINDS)[number];
  readonly message: string;
  readonly status?: number;
  /** The provider's own name for it, the finest it gave; for a broken connection, the system's code. */
  readonly type?: string;
  /** Its broader name, where `type` is a finer one: `insufficient_quota` over `credit_balance_exhausted`. */
  readonly typeFamily?: string;
  /** The wire it came over: the same status can mean different things on two of them. */
  readonly protocol?: string;
  readonly retryAfterMs?: number;
  /** The header that says so. */
  readonly retryAfterSource?: string;
  /** What else the provider said, for people and for later rules. */
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How much of the answer had arrived, without what the wire writes around it; a refusal is none. */
  readonly receivedBytes?: number;
}

/** A failure that hooks are asked about first, and how the turn stood when it came. */
export interface UndecidedFailure {
  readonly failure: Failure;
  readonly classified: Classified;
  readonly attempt: number;
  readonly lastCategory: Category | undefined;
}

/** A write that did not happen for reasons of the disk. The handle that failed is not used again (F8). */
export class StorageFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageFailure";
    this.code = code;
  }
}
