/** What was asked of a thread from outside, read back from what its owner wrote down about it. */
import type { Event } from "../core/event.ts";
import { limitKeyOf } from "../core/limit.ts";
import { sumOf } from "../core/limit-change.ts";
import type { Request } from "../core/request.ts";
import type { Thread } from "../core/thread.ts";

export interface Asking {
  readonly request: Request;
  /** How many events it led to at least. */
  readonly events: number;
}

type Body = Request extends infer R
  ? R extends Request
    ? Omit<R, "request_id" | "thread_id">
    : never
  : never;

/** Of these events, in which something that was asked comes first; undefined when they begin with something else. */
export function askedAt(events: readonly Event[], thread: Thread): Asking | undefined {
  const [first] = events;
  if (!first) return undefined;
  const found =
    single(first, thread) ?? goingOn(events, thread) ?? decision(events, thread) ?? ending(events);
  if (!found) return undefined;
  const { events: count, id, ...body } = found;
  const request_id = id ?? `replayed_${first.thread_id}_${first.seq}`;
  return { request: { ...body.body, request_id, thread_id: first.thread_id } as Request, events: count };
}

interface Found {
  readonly body: Body;
  readonly id?: string | undefined;
  readonly events: number;
}

/** Requests that one event tells all about. */
function single(event: Event, { nonce, id: own, limits }: Thread): Found | undefined {
  const said = (body: Body, id?: string): Found => ({ body, id, events: 1 });
  switch (event.type) {
    case "thread_started":
      return said({ kind: "start", by: "" });
    case "cancel_requested": {
      const { request_id, by, accepted, reason, after_tool } = event;
      const meant = accepted ? nonce : "another run";
      return said(
        { kind: "cancel", by, reason, nonce: meant, ...(after_tool ? { after_tool } : {}) },
        request_id,
      );
    }
    case "rights_revoked": {
      const [{ by = "", from = own } = {}] = event.revoked;
      const rights = event.revoked.map(({ right }) => right);
      return said({ kind: "revoke", by, rights, ...(from === own ? {} : { from }) }, event.request_id);
    }
    case "auto_retry_set":
      return said({ kind: "auto_retry", by: event.by, enabled: event.enabled }, event.request_id);
    case "charge_corrected": {
      const { request_id, by, hold, amount } = event;
      return said({ kind: "settle", by, hold, amount }, request_id);
    }
    case "budget_changed":
      if (event.request_id === undefined) return undefined;
      return said({ kind: "budget", by: event.by, set: limitsOf(event, limits) }, event.request_id);
    case "child_thread_completed":
    case "child_thread_failed":
    case "child_thread_suspended":
    case "child_thread_resumed":
    case "descendant_reported": {
      const { v: _v, seq: _seq, ts: _ts, thread_id: _id, ...outcome } = event;
      return said({ kind: "outcome", by: "", outcome });
    }
    case "auto_retry_start":
      return event.by === undefined ? undefined : said({ kind: "retry", by: event.by, action: "now" });
    default:
      return undefined;
  }
}

/** Resume, with new limits and words before it; or words alone; or somebody who stops the retries. */
function goingOn(events: readonly Event[], { nonce, limits }: Thread): Found | undefined {
  const [first] = events;
  const raised = first?.type === "budget_changed" ? first : undefined;
  const [told, then] = raised ? [events[1], events[2]] : [events[0], events[1]];
  const words = told?.type === "message_received" ? told : undefined;
  const last = words ? then : told;
  const count = (raised ? 1 : 0) + (words ? 1 : 0) + 1;
  const said = {
    ...(raised ? { limits: limitsOf(raised, limits) } : {}),
    ...(words ? { message: words.text } : {}),
  };
  if (last?.type === "thread_resumed" && last.request_id !== undefined) {
    const { request_id: id, by } = last;
    if (!words || words.request_id === id)
      return { body: { kind: "resume", by, nonce, ...said }, id, events: count };
  }
  if (last?.type === "thread_suspended" && /^It goes on by itself at /.test(last.message)) {
    const { until } = last.waits_for;
    const by = words?.by ?? raised?.by ?? "";
    return { body: { kind: "resume", by, nonce, at: until, ...said }, id: words?.request_id, events: count };
  }
  if (words && !raised) {
    const { by, text, request_id: id, after } = words;
    return { body: { kind: "message", by, text, ...(after ? { after } : {}) }, id, events: 1 };
  }
  return stoppedRetries(events);
}

function stoppedRetries([first, second]: readonly Event[]): Found | undefined {
  if (first?.type !== "auto_retry_end" || first.finalError !== "Retry cancelled") return undefined;
  const by = second?.type === "thread_suspended" && /^Retry cancelled by (.*?): /s.exec(second.message)?.[1];
  return typeof by === "string" ? { body: { kind: "retry", by, action: "stop" }, events: 1 } : undefined;
}

/** A person's answer to the open question. */
function decision(events: readonly Event[], { approval, limits }: Thread): Found | undefined {
  const [first, ...others] = events;
  if (first?.type !== "approval_decided" || first.via === "timeout") return undefined;
  const { approval_id, approved, by, via, message } = first;
  const raised = others[0]?.type === "budget_changed" ? limitsOf(others[0], limits) : undefined;
  const resumed = others.find((event) => event.type === "thread_resumed");
  const stays = others
    .slice(0, 3)
    .some(
      (event) => event.type === "thread_suspended" && event.message.startsWith("Approved; it goes on when"),
    );
  const key = approval?.limit_code && limitKeyOf(approval.limit_code);
  // What was proposed is for the thread to know.
  const isProposed = raised && key && raised[key] === approval?.proposed_max;
  return {
    body: {
      ...{ kind: "decide", by, approval_id, approved, via, resume: !stays },
      ...(message === undefined ? {} : { message }),
      ...(raised && !isProposed ? { limits: raised } : {}),
    },
    id: resumed?.type === "thread_resumed" ? resumed.request_id : undefined,
    events: 1,
  };
}

/** A refusal tells of the money that was asked for in words alone. */
function limitsOf({ limits, refused }: Event<"budget_changed">, now: Thread["limits"]): Thread["limits"] {
  const cut = /^a spend limit of \$([\d.]+) is below/.exec(refused ?? "")?.[1];
  const more = /^it needs \$([\d.]+) more/.exec(refused ?? "")?.[1];
  if (cut !== undefined) return { spend: cut };
  return more === undefined ? limits : { spend: sumOf(now["spend"] ?? "0", more) };
}

const CLOSING = [
  "auto_retry_end",
  "cognition_out",
  "tool_call_result",
  "wait_finished",
  "step_finish",
  "process_stopped",
];

/** Somebody had it end as failed: what it still had to say comes before. */
function ending(events: readonly Event[]): Found | undefined {
  const end = events.find(({ type }) => !CLOSING.includes(type));
  const failed = end?.type === "thread_stopping" ? end.end : end;
  if (failed?.type !== "thread_failed" || failed.code !== "E_MARKED") return undefined;
  const isClosing = events.slice(0, events.indexOf(end as Event)).every(isRepair);
  return isClosing ? { body: { kind: "mark_error", by: "", reason: failed.message }, events: 1 } : undefined;
}

function isRepair(event: Event): boolean {
  if (event.type === "cognition_out") return event.stop === "cut";
  return event.type !== "tool_call_result" || event.source === "repair";
}
