/** What was asked of a thread from outside, read back from what its owner wrote down about it. */
import type { Event } from "../core/event.ts";
import { limitKeyOf } from "../core/limit.ts";
import { sumOf } from "../core/limit-change.ts";
import type { Request } from "../core/request.ts";
import type { Thread } from "../core/thread.ts";
import type { Tape } from "./tape.ts";

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

/** A place of a journal: what stands there and after it, and the thread before it, worked out only where it matters. */
interface Spot {
  readonly at: (count: number) => Event | undefined;
  readonly fold: () => Thread;
}

/** Events that one request leads to, at most: with a result for each call that was open. */
const LONGEST_ANSWER = 200;

/** What was asked at a place of the journal, from there on; undefined when something else stands there. */
export function askedAt(tape: Tape, place: number): Asking | undefined {
  const spot: Spot = {
    at: (count) => (count < LONGEST_ANSWER ? tape.ahead(place + count) : undefined),
    fold: () => tape.threadAt(place),
  };
  const first = spot.at(0);
  if (!first) return undefined;
  const found = single(first, spot) ?? goingOn(spot) ?? decision(spot) ?? ending(spot);
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
function single(event: Event, spot: Spot): Found | undefined {
  const { fold } = spot;
  const said = (body: Body, id?: string): Found => ({ body, id, events: 1 });
  switch (event.type) {
    case "thread_started":
      return said({ kind: "start", by: "" });
    case "cancel_requested": {
      const { request_id, by, accepted, reason, after_tool } = event;
      const meant = accepted ? fold().nonce : "another run";
      return said(
        { kind: "cancel", by, reason, nonce: meant, ...(after_tool ? { after_tool } : {}) },
        request_id,
      );
    }
    case "stop_requested":
      return stopping(event, spot);
    case "rights_revoked": {
      const { id: own } = fold();
      const [{ by = "", from = own } = {}] = event.revoked;
      const rights = event.revoked.map(({ right }) => right);
      return said({ kind: "revoke", by, rights, ...(from === own ? {} : { from }) }, event.request_id);
    }
    case "context_compaction_start": {
      const { why, by = "", request_id, instructions } = event;
      if (why !== "person") return undefined;
      return said(
        { kind: "compact", by, ...(instructions === undefined ? {} : { instructions }) },
        request_id,
      );
    }
    case "auto_retry_set":
      return said({ kind: "auto_retry", by: event.by, enabled: event.enabled }, event.request_id);
    case "delivery_noted": {
      const { v: _v, seq: _seq, ts: _ts, thread_id: _id, type: _type, request_id, ...note } = event;
      return said({ kind: "delivery", ...note }, request_id);
    }
    case "charge_corrected": {
      const { request_id, by, hold, amount } = event;
      return said({ kind: "settle", by, hold, amount }, request_id);
    }
    case "budget_changed":
      if (event.request_id === undefined) return undefined;
      return said({ kind: "budget", by: event.by, set: limitsOf(event, fold().limits) }, event.request_id);
    case "child_thread_completed":
    case "child_thread_failed":
    case "child_thread_suspended":
    case "child_thread_resumed":
    case "descendant_reported":
    case "channel_heard": {
      const { v: _v, seq: _seq, ts: _ts, thread_id: _id, ...outcome } = event;
      return said({ kind: "outcome", by: "", outcome });
    }
    case "auto_retry_start":
      return event.by === undefined ? undefined : said({ kind: "retry", by: event.by, action: "now" });
    default:
      return undefined;
  }
}

function stopping({ request_id: id, by, for: meant, reason }: Event<"stop_requested">, spot: Spot): Found {
  const to = meant === undefined ? {} : { for: meant };
  const why = reason === undefined ? {} : { reason };
  return { body: { kind: "stop", by, ...to, ...why }, id, events: 1 + closedAfter(spot) };
}

/** Resume, with new limits and words before it; or words alone; or somebody who stops the retries. */
function goingOn(spot: Spot): Found | undefined {
  const { at, fold } = spot;
  const first = at(0);
  const raised = first?.type === "budget_changed" ? first : undefined;
  const [told, then] = raised ? [at(1), at(2)] : [first, at(1)];
  const words = told?.type === "message_received" ? told : undefined;
  const last = words ? then : told;
  const count = (raised ? 1 : 0) + (words ? 1 : 0) + 1;
  const said = {
    ...(raised ? { limits: limitsOf(raised, fold().limits) } : {}),
    ...(words ? { message: words.text } : {}),
  };
  if (last?.type === "thread_resumed" && last.request_id !== undefined) {
    const { request_id: id, by } = last;
    if (!words || words.request_id === id)
      return { body: { kind: "resume", by, nonce: fold().nonce, ...said }, id, events: count };
  }
  if (last?.type === "thread_suspended" && /^It goes on by itself at /.test(last.message)) {
    const until = last.waits_for.kind === "message" ? undefined : last.waits_for.until;
    const by = words?.by ?? raised?.by ?? "";
    const { nonce } = fold();
    return { body: { kind: "resume", by, nonce, at: until, ...said }, id: words?.request_id, events: count };
  }
  if (words && !raised) {
    const { by, text, request_id: id, after, replaces } = words;
    const how = { ...(after ? { after } : {}), ...(replaces === undefined ? {} : { replaces }) };
    return { body: { kind: "message", by, text, ...how }, id, events: 1 };
  }
  return stoppedRetries(spot);
}

function stoppedRetries({ at }: Spot): Found | undefined {
  const [first, second] = [at(0), at(1)];
  if (first?.type !== "auto_retry_end" || first.finalError !== "Retry cancelled") return undefined;
  const by = second?.type === "thread_suspended" && /^Retry cancelled by (.*?): /s.exec(second.message)?.[1];
  return typeof by === "string" ? { body: { kind: "retry", by, action: "stop" }, events: 1 } : undefined;
}

/** A person's answer to the open question. */
function decision({ at, fold }: Spot): Found | undefined {
  const first = at(0);
  if (first?.type !== "approval_decided" || first.via === "timeout") return undefined;
  const { approval, limits } = fold();
  const { approval_id, approved, by, via, message } = first;
  const next = at(1);
  const raised = next?.type === "budget_changed" ? limitsOf(next, limits) : undefined;
  const resumed = firstAt(at, ({ type }) => type === "thread_resumed");
  const stays = [next, at(2), at(3)].some(
    (event) => event?.type === "thread_suspended" && event.message.startsWith("Approved; it goes on when"),
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

const CLOSING = ["auto_retry_end", "wait_finished", "step_finish", "process_stopped"];

/** Somebody had it end as failed: what it still had to say comes before. */
function ending({ at }: Spot): Found | undefined {
  const end = firstAt(at, (event) => !isRepair(event));
  const failed = end?.type === "thread_stopping" ? end.end : end;
  if (failed?.type !== "thread_failed" || failed.code !== "E_MARKED") return undefined;
  return { body: { kind: "mark_error", by: "", reason: failed.message }, events: 1 };
}

/** What a stop closes stands behind it: other things that were asked with it come after that. */
function closedAfter({ at }: Spot): number {
  let count = 0;
  for (let event = at(1); event && isClosed(event); event = at(1 + count)) count += 1;
  return count;
}

function isClosed(event: Event): boolean {
  if (event.type === "error_classified") return event.rule === "stopped";
  if (event.type === "message_stopped") return event.unread === true;
  return event.type === "context_compaction_end" || isRepair(event);
}

function isRepair(event: Event): boolean {
  if (event.type === "cognition_out") return event.stop === "cut";
  if (event.type === "tool_call_result") return event.source === "repair";
  return CLOSING.includes(event.type);
}

function firstAt(at: Spot["at"], fits: (event: Event) => boolean): Event | undefined {
  let count = 0;
  for (let event = at(0); event; event = at(count)) {
    if (fits(event)) return event;
    count += 1;
  }
  return undefined;
}
