/** A failure that was classified, for people: the rule, the wait, and what follows. */
import type { Classified, Failure, Policy } from "../../core/failure.ts";
import type { Hook } from "../../core/hook.ts";
import { decideFailure, type RetryPolicy, retryDelay } from "../../core/retry.ts";
import { oneLine } from "../../core/text.ts";
import { newThread } from "../../core/thread.ts";
import { shortTime } from "./moment.ts";
import type { Terminal } from "./terminal.ts";

export interface Wait {
  readonly ms: number;
  /** `header …` or `setting …`. */
  readonly source: string;
}

export type Outcome =
  | { readonly action: "retry"; readonly attempt: number; readonly max: number }
  | { readonly action: "suspend"; readonly reason: string; readonly until: string | null }
  | { readonly action: "fail" };

export interface Judged {
  readonly classified: Classified;
  readonly origin: string;
  readonly wait: Wait | undefined;
  readonly outcome: Outcome;
  /** The first that would run. */
  readonly hook: Hook | undefined;
}

const SETTINGS: Readonly<Record<Policy, string>> = {
  exponential: "retry.base_delay_ms",
  fixed: "retry.fixed_ms",
  rate_limited: "retry.rate_limited_ms",
  quota: "retry.quota_ms",
};

/** Undefined: it is not tried again. */
export function waitOf(failure: Failure, classified: Classified, policy: RetryPolicy): Wait | undefined {
  if (classified.policy === undefined) return undefined;
  const { retryAfterSource } = failure;
  const setting = `setting ${SETTINGS[classified.policy]}`;
  const source = retryAfterSource === undefined ? setting : `header ${retryAfterSource}`;
  return { ms: retryDelay(1, { classified, failure }, policy), source };
}

/** Of the first request of a thread. Decided by what decides it for real, so that the two cannot differ. */
export function outcomeOf(
  failure: Failure,
  classified: Classified,
  policy: RetryPolicy,
  now: number,
): Outcome {
  // Nobody is asked, so the question needs neither a name nor a seal.
  const asking = { newApprovalId: () => "none", sha256: (text: string) => text, timeoutSeconds: 1 };
  const needs = { ...asking, onTimeout: "remind" as const, policy, targets: [], now };
  for (const event of decideFailure(newThread("any"), { failure, classified }, needs)) {
    if (event.type === "auto_retry_start")
      return { action: "retry", attempt: event.attempt, max: event.maxAttempts };
    if (event.type === "thread_suspended") {
      const { waits_for: waits, reason } = event;
      return { action: "suspend", reason, until: ("until" in waits ? waits.until : undefined) ?? null };
    }
  }
  return { action: "fail" };
}

export function judgedText(judged: Judged, { out }: Terminal, now: number): string {
  const { classified, origin, wait, outcome, hook } = judged;
  const parts = [
    out.bold(classified.category),
    `by: ${classified.rule} (${oneLine(origin, 200)})`,
    ...(wait ? [`wait: ${waitText(wait.ms)} (${wait.source})`] : []),
    `then: ${outcomeText(outcome, classified, now)}`,
  ];
  return [parts.join("   "), ...(hook ? [hookText(hook)] : [])].join("\n");
}

/** Fixed columns: category, rule, origin, wait in ms, what follows. */
export function plainJudged({ classified, origin, wait, outcome }: Judged): string {
  return [classified.category, classified.rule, oneLine(origin, 500), wait?.ms ?? "-", outcome.action].join(
    "\t",
  );
}

function outcomeText(outcome: Outcome, { category }: Classified, now: number): string {
  switch (outcome.action) {
    case "retry": {
      const once = category === "quota" ? ", once; then suspends quota" : "";
      return `retry ${outcome.attempt}/${outcome.max}${once}`;
    }
    case "suspend": {
      const { reason, until } = outcome;
      return until === null ? `suspends ${reason}` : `suspends ${reason} until ${shortTime(until, now)}`;
    }
    case "fail":
      return "the thread ends in error";
  }
}

function hookText({ id, where, when }: Hook): string {
  const condition = when ? `, when ${oneLine(when.source, 200)}` : "";
  return `a hook on "error" would run first: ${oneLine(id, 60)} (${where}${condition})`;
}

/** `8.5 s`, `30 s`, `12 min`, `30 d`. */
function waitText(ms: number): string {
  const [unit, name] = UNITS.find(([size]) => ms >= 2 * size) ?? [1_000, "s"];
  return `${Number((ms / unit).toFixed(ms < 10_000 ? 2 : 1))} ${name}`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];
