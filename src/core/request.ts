/** What anyone may ask of a thread without owning it. `post` stores it; the owner journals it when it consumes it. */
import type { ApprovalRow, Decision } from "./approval.ts";
import type { Heard } from "./channel-registry.ts";
import type { Limits } from "./limit.ts";
import type { Outcome, Report } from "./outcome.ts";
import type { ThreadRow } from "./row.ts";
import type { Delivery } from "./said-event.ts";
import { isTerminal } from "./status.ts";

interface Asked {
  readonly request_id: string;
  readonly thread_id: string;
  /** Who asks: a person, a surface, a file. */
  readonly by: string;
}

export type Request = Asked &
  (
    | { readonly kind: "start" }
    | {
        readonly kind: "cancel";
        readonly reason: string;
        readonly nonce: string;
        /** Tools that run may end; nothing new starts. */
        readonly after_tool?: true | undefined;
      }
    /** Read before the next turn; `after: end`: when the thread would end. */
    | {
        readonly kind: "message";
        readonly text: string;
        readonly after?: "end" | undefined;
        /** The request of words that wait: these stand in their place, if they still wait. */
        readonly replaces?: string | undefined;
      }
    /** The work on one message of a lasting thread ends; the thread stays. `for`: no other message is meant. */
    | { readonly kind: "stop"; readonly for?: string | undefined; readonly reason?: string | undefined }
    /** What was told to people where they talk: taken down, and nothing follows from it. */
    | ({ readonly kind: "delivery" } & Delivery)
    /** Whether failed requests of the chain are made again, whatever the settings say (E4). */
    | { readonly kind: "auto_retry"; readonly enabled: boolean }
    | {
        readonly kind: "resume";
        readonly nonce: string;
        readonly limits?: Limits | undefined;
        readonly message?: string | undefined;
        /** Not now, but then. */
        readonly at?: string | undefined;
      }
    | {
        readonly kind: "decide";
        readonly approval_id: string;
        readonly approved: boolean;
        /** The surface it came through. */
        readonly via: string;
        readonly message?: string | undefined;
        readonly limits?: Limits | undefined;
        /** False: the answer is taken down, and the thread stays where it is. */
        readonly resume: boolean;
      }
    | { readonly kind: "retry"; readonly action: "now" | "stop" }
    | {
        readonly kind: "revoke";
        readonly rights: readonly string[];
        /** The thread above from which they were taken, when that is another. */
        readonly from?: string | undefined;
      }
    | { readonly kind: "outcome"; readonly outcome: Outcome | Report | Heard }
    | { readonly kind: "mark_error"; readonly reason: string }
    /** The conversation is made shorter before its next turn. */
    | { readonly kind: "compact"; readonly instructions?: string | undefined }
    /** Limits ahead of time. What is added comes on top of what holds when the owner takes it. */
    | { readonly kind: "budget"; readonly set?: Limits | undefined; readonly add?: Limits | undefined }
    /** What a request cost that was charged for want of a bill, in nano-dollars. */
    | { readonly kind: "settle"; readonly hold: string; readonly amount: number }
  );

export type RequestKind = Request["kind"];

/** Why a request is not accepted in this state; undefined when it is. Nothing is written for a refused one (§12). */
export function requestRefusal(
  row: ThreadRow | undefined,
  { kind }: Pick<Request, "kind">,
  open: readonly Request[] = [],
): string | undefined {
  if (!row) return "there is no such thread";
  // A request goes to the thread that the chain goes on in: that this one was continued means that there is none.
  if (row.status === "continued") return "the links of its chain are damaged (selvage verify)";
  if (isTerminal(row.status)) return `it is ${row.status}`;
  const fits = FITTING[kind];
  if (!fits.includes(row.corrupt ? "corrupt" : row.status)) {
    return row.corrupt ? "its journal is damaged" : `it is ${row.status}`;
  }
  if (row.stopping && (kind === "resume" || kind === "decide")) return "it is being stopped";
  // What is said to one that is about to end would be void, and nobody would know.
  const isEnding = open.some((other) => other.kind === "cancel" && other.nonce === row.nonce);
  if (kind === "message" && (row.stopping || isEnding)) return "it is being stopped";
  if (kind === "stop") return stopRefusal(row, isEnding, open);
  if (kind === "resume" && row.suspend_reason === "approval" && asked(row)) {
    return "it waits for an answer to a question";
  }
  // Whoever waits is parked: a thread that somebody walks has its request under way by now.
  const isWaiting = row.waits_for?.kind === "timer" && row.owner === null;
  if (kind === "retry" && !isWaiting) return "it is not waiting for a retry";
  return undefined;
}

/** For those who ask: there is nothing that a stop could stop. */
export const NOTHING_UNDER_WAY = "nothing is under way";

/** One that does not last would have nothing left to do: it is cancelled. */
function stopRefusal(row: ThreadRow, isEnding: boolean, open: readonly Request[]): string | undefined {
  if (row.address === null) return "nobody writes to it, so that it would end: cancel it";
  if (row.stopping || isEnding) return "it is being stopped";
  const isAtRest = row.status === "running" && row.waits_for?.kind === "message";
  return isAtRest && !open.some((other) => other.kind === "message") ? NOTHING_UNDER_WAY : undefined;
}

/** The question that a suspended thread waits for. */
function asked({ waits_for }: ThreadRow): string | undefined {
  return waits_for?.kind === "person" ? waits_for.approval_id : undefined;
}

export interface DecisionRefusal {
  readonly why: string;
  /** The one decision there is, for who comes later. */
  readonly decided?: Decision;
}

/** First valid answer wins (L4); whoever comes later is told who decided. */
export function decisionRefusal(
  found: ApprovalRow | undefined,
  { thread_id }: Request & { kind: "decide" },
): DecisionRefusal | undefined {
  if (!found) return { why: "there is no such question" };
  if (found.thread_id !== thread_id) return { why: "it is the question of another thread" };
  const { decision } = found;
  if (decision) return { why: `${decision.by} answered it`, decided: decision };
  return found.state === "open" ? undefined : { why: "its thread went on or ended without an answer" };
}

const FITTING: Record<RequestKind, readonly string[]> = {
  start: ["created"],
  cancel: ["created", "running", "suspended", "corrupt"],
  message: ["created", "running", "suspended"],
  stop: ["created", "running", "suspended"],
  delivery: ["created", "running", "suspended"],
  resume: ["suspended"],
  decide: ["suspended"],
  retry: ["running"],
  revoke: ["created", "running", "suspended"],
  outcome: ["created", "running", "suspended", "corrupt"],
  mark_error: ["running", "suspended", "corrupt"],
  budget: ["created", "running", "suspended"],
  settle: ["created", "running", "suspended"],
  compact: ["running", "suspended"],
  auto_retry: ["created", "running", "suspended"],
};

/** Requests that end a thread need no load, so they work on a damaged journal too (F5). */
export function needsNoLoad(kind: RequestKind): boolean {
  return kind === "cancel" || kind === "mark_error";
}
