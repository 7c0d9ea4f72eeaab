/**
 * When a wait is over, and what it comes to (O2–O4). From the fold alone: one that ended before the wait began,
 * elsewhere or before a restart is reported as what it was. Children and those further down are treated alike.
 */
import type { Event } from "./event.ts";
import type { Child, Wait } from "./family.ts";
import { type Kin, knownBelow } from "./known-below.ts";
import { showDollars } from "./money.ts";
import { cutMiddle } from "./text.ts";

/** Of one child's words; the whole stands in its own journal. What is cut later would be no JSON any more. */
const LONGEST_TEXT = 8_000;

export interface WaitEnd {
  readonly why: Event<"wait_finished">["why"];
  readonly result: WaitResult;
  /** Children that are told to stop because another failed. */
  readonly cancels: readonly { readonly id: string; readonly reason: string }[];
}

export interface WaitResult {
  readonly success: boolean;
  readonly threads: Readonly<Record<string, WaitEntry>>;
  readonly failed_thread?: string;
  readonly total_cost: string;
  readonly elapsed_seconds: number;
}

interface WaitEntry {
  readonly status: string;
  readonly cost?: { readonly turns: number; readonly tokens: number; readonly spend: string };
  readonly result?: string;
  readonly outputs?: unknown;
  readonly error?: string;
}

/** Undefined while it goes on. `isDue`: its time is up. */
export function waitEnd(family: Kin, wait: Wait, now: number, isDue: boolean): WaitEnd | undefined {
  const known = knownOf(family, wait);
  const completed = known.filter(({ child }) => child?.status === "completed").length;
  const failed = known.find(({ child }) => child?.status === "error" || child?.status === "cancelled");
  const over = (why: WaitEnd["why"], cancels: WaitEnd["cancels"] = []) => ({
    why,
    cancels,
    result: resultOf(wait, known, { why, now, cancelled: cancels.map(({ id }) => id) }),
  });
  if (completed >= wait.require && wait.require > 0) return over("met");
  if (wait.failFast && failed) return over("failed", siblings(wait, known, failed.id));
  if (known.every(({ child }) => isOver(child, wait)))
    return over(completed >= wait.require ? "met" : "failed");
  if (known.some(({ child }) => needsMoney(child))) return over("suspended");
  return isDue ? over("timeout") : undefined;
}

/** What a wait has come to by now, for who ends it for a reason of his own. */
export function waitResult(family: Kin, wait: Wait, why: WaitEnd["why"], now: number): WaitResult {
  return resultOf(wait, knownOf(family, wait), { why, now, cancelled: [] });
}

function knownOf(family: Kin, { ids }: Wait): Named {
  return ids.map((id) => ({ id, child: knownBelow(family, id) }));
}

type Named = readonly { readonly id: string; readonly child: Child | undefined }[];

/** Nothing more is to be expected of it. Nobody starts a `created` child but whoever waits here. */
function isOver(child: Child | undefined, { includeSuspended }: Wait): boolean {
  if (!child || child.status === "created") return true;
  return child.status === "suspended" ? includeSuspended : child.status !== "running";
}

/** So that whoever waits can raise its cap or stop it: told once per suspension (O4). */
function needsMoney(child: Child | undefined): boolean {
  const isStuck = child?.status === "suspended" && child.reason === "budget" && !child.resumesAt;
  return isStuck && child.suspensions > child.told;
}

function siblings({ cancelSiblings }: Wait, known: Named, failedId: string): WaitEnd["cancels"] {
  if (!cancelSiblings) return [];
  const reason = `Sibling thread ${failedId} failed`;
  return known
    .filter(({ child }) => child && ["created", "running", "suspended"].includes(child.status))
    .map(({ id }) => ({ id, reason }));
}

function resultOf(
  wait: Wait,
  known: Named,
  end: { readonly why: WaitEnd["why"]; readonly now: number; readonly cancelled: readonly string[] },
): WaitResult {
  const entries = known.map(({ id, child }): [string, WaitEntry] => [id, entryOf(id, child, end)]);
  const failed = known.find(
    ({ child }) => !child || child.status === "error" || child.status === "cancelled",
  );
  const completed = known.filter(({ child }) => child?.status === "completed").length;
  return {
    success: completed >= wait.require,
    threads: Object.fromEntries(entries),
    ...(failed ? { failed_thread: failed.id } : {}),
    total_cost: showDollars(totalOf(known)),
    elapsed_seconds: Math.max(0, Math.round((end.now - Date.parse(wait.since)) / 100) / 10),
  };
}

/** What one cost has in it what those below it cost: who stands below another that is told of is not counted twice. */
function totalOf(known: Named): number {
  const counted = new Set(known.flatMap(({ id, child }) => (child?.cost ? [id] : [])));
  return known
    .filter(({ child }) => !child?.above?.some((id) => counted.has(id)))
    .reduce((sum, { child }) => sum + (child?.cost?.spent ?? 0), 0);
}

function entryOf(
  id: string,
  child: Child | undefined,
  { why, cancelled }: { readonly why: WaitEnd["why"]; readonly cancelled: readonly string[] },
): WaitEntry {
  if (!child) return { status: "error", error: `${id} is no thread below this one` };
  if (cancelled.includes(id)) return { status: "cancel_requested" };
  const { status, text, outputs, error, cost } = child;
  const spent = cost && {
    cost: { turns: cost.turns, tokens: cost.tokens, spend: showDollars(cost.spent) },
  };
  if (status === "completed" || status === "error" || status === "cancelled") {
    const result = text === undefined || text === "" ? {} : { result: cutMiddle(text, LONGEST_TEXT) };
    return {
      status,
      ...spent,
      ...result,
      ...(outputs ? { outputs } : {}),
      ...(error === undefined ? {} : { error }),
    };
  }
  if (status === "suspended")
    return { status: why === "timeout" ? "timeout" : status, error: `${child.reason}: ${error}` };
  return { status: why === "timeout" && status === "running" ? "timeout" : status };
}
