/** Failures of a model request are values that keep their structure; classification is a table over them. */

export interface Failure {
  /** Where it failed: the provider answered with an error, the connection broke, the stream ended too early, … */
  readonly kind: "http" | "connection" | "stream_cut" | "stalled" | "aborted" | "script" | "misuse";
  readonly message: string;
  readonly status?: number;
  readonly type?: string;
  readonly retryAfterMs?: number;
  /** What else the provider said, for people and for later rules. */
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How much of the answer had arrived. */
  readonly receivedBytes?: number;
}

export type Category = "transient" | "rate_limited" | "permanent";

export interface Classified {
  readonly category: Category;
  readonly rule: string;
}

interface Rule {
  readonly id: string;
  readonly category: Category;
  readonly matches: (failure: Failure) => boolean;
}

const TRANSIENT_STATUS = new Set([408, 409, 425, 500, 501, 502, 503, 504, 529]);

/** Structure only; the first rule that matches wins. */
const RULES: readonly Rule[] = [
  { id: "status-429", category: "rate_limited", matches: (failure) => failure.status === 429 },
  {
    id: "status-transient",
    category: "transient",
    matches: (failure) => failure.status !== undefined && TRANSIENT_STATUS.has(failure.status),
  },
  { id: "connection", category: "transient", matches: (failure) => failure.kind === "connection" },
  { id: "stream-cut", category: "transient", matches: (failure) => failure.kind === "stream_cut" },
  { id: "stalled", category: "transient", matches: (failure) => failure.kind === "stalled" },
];

/** An unknown failure is permanent: retrying what we do not understand spends money on hope. */
export function classify(failure: Failure): Classified {
  const rule = RULES.find((candidate) => candidate.matches(failure));
  return rule ? { category: rule.category, rule: rule.id } : { category: "permanent", rule: "unknown" };
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
