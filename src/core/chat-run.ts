/** How far the work of a chat is, for the line that people watch. */
import type { Event, LiveEvent } from "./event.ts";
import { parseDollars, plus } from "./money.ts";
import type { SuspendReason } from "./suspension.ts";

interface OpenCall {
  readonly tool: string;
  readonly at: number;
  /** From 0 to 1, where the tool says it. */
  readonly part?: number | undefined;
}

export interface RunChild {
  readonly id: string;
  readonly directive: string;
  readonly state: "running" | "done" | "failed" | "suspended";
  readonly at: number;
}

export interface ChatRun {
  readonly status: "idle" | "running" | "suspended" | "completed" | "error" | "cancelled";
  readonly reason?: SuspendReason | undefined;
  readonly turn: number;
  /** Before the prompt that is under way. */
  readonly turnsBefore: number;
  readonly calls: Readonly<Record<string, OpenCall>>;
  readonly retry?: {
    readonly attempt: number;
    readonly max: number;
    readonly from: number;
    readonly until: number;
  };
  /** Children of the last turn that started any; how many waves there were for this prompt. */
  readonly wave: number;
  readonly children: readonly RunChild[];
  /** The message that the thread is at, as its journal names it. */
  readonly answering?: string | undefined;
  readonly isStopping: boolean;
  /** Nano-dollars, of the chain with everything below it. */
  readonly spent: number;
  readonly limit?: number | undefined;
  /** Whether a child that comes now belongs to a new wave. */
  readonly isWaveOver: boolean;
}

export const IDLE: ChatRun = {
  ...{ status: "idle", turn: 0, turnsBefore: 0, calls: {}, wave: 0, children: [], isStopping: false },
  ...{ spent: 0, isWaveOver: true },
};

type Told = Event | LiveEvent;

/** What was asked is answered, or stopped; it waits for more. */
function atRest(run: ChatRun): ChatRun {
  return { ...awake(run), status: "idle", calls: {}, isStopping: false, answering: undefined };
}

export function runAfter(run: ChatRun, event: Told): ChatRun {
  return money(steps(run, event), event);
}

/** Whatever happens ends a wait for another try, but for a new one, and what only tells of the past. */
function steps(run: ChatRun, event: Told): ChatRun {
  const at = Date.parse(event.ts);
  switch (event.type) {
    case "thread_started":
    case "thread_resumed":
      return { ...awake(run), status: "running", reason: undefined };
    case "cognition_in":
      return { ...awake(run), ...prompted(run, event), isWaveOver: true };
    case "message_received":
      return event.after || run.status === "running"
        ? run
        : { ...run, turnsBefore: run.turn, wave: 0, children: [] };
    case "step_start":
      return { ...awake(run), status: "running", turn: event.turn, isWaveOver: true };
    case "tool_call_start":
      return { ...run, calls: { ...run.calls, [event.call_id]: { tool: event.tool, at } } };
    case "tool_call_progress":
      return progressed(run, event);
    case "tool_call_result": {
      const { [event.call_id]: _, ...calls } = run.calls;
      return { ...run, calls };
    }
    case "auto_retry_start": {
      const { attempt, maxAttempts: max, wakeAt } = event;
      return { ...run, retry: { attempt, max, from: at, until: Date.parse(wakeAt) } };
    }
    case "auto_retry_end":
      return awake(run);
    case "message_answered":
      return atRest(run);
    case "message_stopped":
      return event.unread ? run : atRest(run);
    case "cancel_requested":
      return event.accepted ? { ...awake(run), isStopping: true } : run;
    case "stop_requested":
      if (event.hits !== "work") return run;
      return { ...awake(run), isStopping: true, status: "running", reason: undefined };
    default:
      return ends(family(run, event, at), event);
  }
}

function prompted({ turn, answering }: ChatRun, { request_id }: Event<"cognition_in">) {
  return { turnsBefore: turn, wave: 0, children: [], answering: request_id ?? answering };
}

function awake(run: ChatRun): ChatRun {
  const { retry: _, ...rest } = run;
  return rest;
}

function progressed(run: ChatRun, event: Told & { type: "tool_call_progress" }): ChatRun {
  const call = run.calls[event.call_id];
  if (!call) return run;
  return { ...run, calls: { ...run.calls, [event.call_id]: { ...call, part: event.progress } } };
}

function ends(run: ChatRun, event: Told): ChatRun {
  const still = { calls: {}, isStopping: false };
  switch (event.type) {
    case "thread_suspended":
      return { ...awake(run), ...still, status: "suspended", reason: event.reason };
    case "thread_completed":
      return { ...awake(run), ...still, status: "completed" };
    case "thread_failed":
      return { ...awake(run), ...still, status: "error" };
    case "thread_cancelled":
      return { ...awake(run), ...still, status: "cancelled" };
    default:
      return run;
  }
}

function family(run: ChatRun, event: Told, at: number): ChatRun {
  switch (event.type) {
    case "child_thread_started": {
      // Those that answer for a hook, or make notes, are nobody's wave.
      if (event.call_id === null) return run;
      const child: RunChild = { id: event.child_id, directive: event.directive, state: "running", at };
      if (!run.isWaveOver) return { ...run, children: [...run.children, child] };
      return { ...run, children: [child], wave: run.wave + 1, isWaveOver: false };
    }
    case "child_thread_completed":
      return withChild(run, event.child_id, "done");
    case "child_thread_failed":
      return withChild(run, event.child_id, "failed");
    case "child_thread_suspended":
      return withChild(run, event.child_id, "suspended");
    case "child_thread_resumed":
      return withChild(run, event.child_id, "running");
    default:
      return run;
  }
}

function withChild(run: ChatRun, id: string, state: RunChild["state"]): ChatRun {
  return { ...run, children: run.children.map((child) => (child.id === id ? { ...child, state } : child)) };
}

function money(run: ChatRun, event: Told): ChatRun {
  switch (event.type) {
    case "thread_created": {
      const below = Object.values(event.carried?.children ?? {}).map(({ cost }) => cost?.spent ?? 0);
      const spent = event.carried ? below.reduce(plus, event.carried.spent) : run.spent;
      return { ...run, spent, limit: limitIn(event.limits), answering: event.carried?.answering };
    }
    case "cognition_out":
    case "error_classified":
    case "crash_recovered":
      return { ...run, spent: plus(run.spent, event.bill?.amount ?? 0) };
    case "child_thread_completed":
    case "child_thread_failed":
      return { ...run, spent: plus(run.spent, event.cost.spent) };
    case "charge_corrected":
      return event.refused === undefined ? { ...run, spent: run.spent + event.amount - event.was } : run;
    case "budget_changed":
      if (event.refused !== undefined || event.limits["spend"] === undefined) return run;
      return { ...run, limit: limitIn(event.limits) };
    default:
      return run;
  }
}

function limitIn(limits: Event<"thread_created">["limits"]): number | undefined {
  const { spend } = limits;
  return spend === undefined ? undefined : parseDollars(String(spend));
}
