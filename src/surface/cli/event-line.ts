/** Events as lines of a log. Text of models and tools is cut to one line and cleaned of control bytes. */
import { denialOfCall } from "../../core/call-rights.ts";
import { type Denial, denialText, deniedCall } from "../../core/denial.ts";
import type { Event } from "../../core/event.ts";
import type { Limits } from "../../core/limit.ts";
import { showDollars } from "../../core/money.ts";
import { grouped, oneLine } from "../../core/text.ts";
import { newThread, reduce } from "../../core/thread.ts";
import { channelLine } from "./channel-line.ts";
import { contextLine } from "./context-line.ts";
import { familyLine } from "./family-line.ts";
import { changeText } from "./limit-text.ts";
import { type LogLine, say } from "./log-line.ts";
import { bytes, counted, duration } from "./moment.ts";
import { ownerName } from "./owner.ts";
import { processLine } from "./process-text.ts";
import { questionLine } from "./question-line.ts";
import { list } from "./rights-text.ts";

const WIDTH = 96;

/** Remembers what each call was, and which limits held: a result and a change do not repeat it. */
export class LogLines {
  readonly #calls = new Map<string, { label: string; denial?: Denial | undefined }>();
  #limits: Limits = {};
  /** No more of it than its directive and its rights. */
  #thread = newThread("");

  /** Undefined for events that say nothing to a person. */
  line(event: Event): LogLine | undefined {
    switch (event.type) {
      case "tool_call_start":
        return this.#started(event);
      case "tool_call_result":
        return this.#ended(event);
      case "cognition_out":
        return answer(event);
      case "crash_detected":
      case "crash_recovered":
        return crash(event);
      case "error_classified":
      case "auto_retry_start":
      case "auto_retry_end":
        return retry(event);
      case "hook_matched":
      case "limit_escalation_requested":
      case "approval_requested":
      case "approval_decided":
        return questionLine(event);
      case "budget_changed":
        return this.#raised(event);
      case "child_thread_started":
      case "child_thread_completed":
      case "child_thread_failed":
      case "child_thread_suspended":
      case "child_thread_resumed":
      case "descendant_reported":
      case "wait_started":
      case "wait_finished":
      case "thread_stopping":
        return familyLine(event);
      case "channel_joined":
      case "channel_posted":
      case "channel_left":
      case "channel_heard":
        return channelLine(event);
      case "charge_corrected":
        return correction(event);
      case "thread_created":
        this.#limits = event.limits;
        this.#thread = reduce(this.#thread, event);
        return milestone(event);
      case "rights_revoked":
        this.#thread = reduce(this.#thread, event);
        return revoked(event);
      default:
        return milestone(event);
    }
  }

  #raised(event: Event<"budget_changed">): LogLine {
    if (event.refused !== undefined) {
      return say(
        undefined,
        "limits",
        `refused: ${oneLine(event.refused, 160)} · by ${oneLine(event.by, 60)}`,
        "bad",
      );
    }
    const text = `${changeText(this.#limits, event.limits)} · by ${oneLine(event.by, 60)}`;
    this.#limits = { ...this.#limits, ...event.limits };
    return say(undefined, "limits", text, "loud");
  }

  #started(event: Event<"tool_call_start">): LogLine | undefined {
    const label = callLabel(event.tool, event.input);
    const denial = this.#thread.directive === "" ? undefined : denialOfCall(this.#thread, event);
    this.#calls.set(event.call_id, { label, denial });
    // What is not allowed does not start: its result says so.
    return denial ? undefined : say(event.turn, "tool", `${label} → started`);
  }

  #ended(event: Event<"tool_call_result">): LogLine {
    const { label = event.tool, denial } = this.#calls.get(event.call_id) ?? {};
    if (denial && event.output === deniedCall(event.tool, denial))
      return say(event.turn, "denied", `${label} ✗ ${oneLine(denialText(denial), 2 * WIDTH)}`, "bad");
    const size = bytes(Buffer.byteLength(event.output));
    switch (event.status) {
      case "ok":
        return say(event.turn, "tool", `${label} ✓ ${duration(event.duration_ms)} ${size}`, "good");
      case "error":
        return say(event.turn, "tool", `${label} ✗ ${oneLine(event.output, WIDTH)}`, "bad");
      case "stopped":
        return say(
          event.turn,
          "tool",
          `${label} ⊘ ${event.killed ? "killed" : "stopped"} after ${duration(event.duration_ms)}`,
          "bad",
        );
      case "unknown":
        return say(event.turn, "tool", `${label} ? outcome unknown, not run again`, "loud");
    }
  }
}

function correction({ hold, was, amount, by, refused }: Event<"charge_corrected">): LogLine {
  const who = `by ${oneLine(by, 60)}`;
  const request = oneLine(hold, 80);
  if (refused !== undefined) {
    return say(undefined, "charge", `${request} stays: ${oneLine(refused, WIDTH)} · ${who}`, "bad");
  }
  const change = `$${showDollars(was)} → $${showDollars(amount)}`;
  return say(undefined, "charge", `${request} ${change} · ${who}`, "loud");
}

/** The first argument that says what a call is about. */
function callLabel(tool: string, input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const texts = values.filter((value) => typeof value === "string");
  // An item is named by its type and its name.
  return oneLine([tool, ...texts.slice(0, tool === "load" ? 2 : 1)].join(" "), 60);
}

function answer(event: Event<"cognition_out">): LogLine {
  const { input, cache_read, cache_write, output } = event.usage;
  const about = event.usage.estimated ? "about " : "";
  const tokens = `${about}${grouped(input + cache_read + cache_write)} in / ${grouped(output)} out`;
  const text = event.content.flatMap((slot) => (slot.type === "text" ? [slot.text] : [])).join(" ");
  const calls = event.content.filter(({ type }) => type === "call" || type === "journaled").length;
  const said = [
    text === "" ? "" : oneLine(text, WIDTH),
    calls > 0 ? `asked for ${counted(calls, "tool")}` : "",
    event.truncated ? "cut off" : (STOPS[event.stop] ?? ""),
  ];
  return say(event.turn, "model", `${said.filter(Boolean).join(" · ")} (${tokens})`);
}

/** It did not come to its end, or not to the one that was asked for: without a word it would look as if it had. */
const STOPS: Readonly<Record<string, string>> = {
  max_tokens: "cut off: it is as long as an answer may be",
  refusal: "refused",
};

function crash(event: Event<"crash_detected" | "crash_recovered">): LogLine {
  if (event.type === "crash_detected") {
    const flying =
      event.in_flight.length > 0 ? ` · ${counted(event.in_flight.length, "tool")} in flight` : "";
    return say(undefined, "crash", `owner ${ownerName(event.owner)} vanished${flying}`, "bad");
  }
  const decisions = event.decisions.map(
    ({ tool, decision }) => `${tool}: ${DECISIONS[decision] ?? decision}`,
  );
  const model = event.model_call_again ? ["the model is asked again"] : [];
  const kept = (event.processes ?? []).map(({ handle_id, decision }) => `${handle_id}: ${decision}`);
  const text = [...decisions, ...model, ...kept].join(" · ") || "nothing was in flight";
  return say(undefined, "recovered", text, "loud");
}

const DECISIONS: Readonly<Record<string, string>> = {
  rerun: "run again",
  take: "had finished",
  unknown: "outcome unknown, not run again",
};

function retry(
  event: Event<"error_classified" | "auto_retry_start" | "auto_retry_end">,
): LogLine | undefined {
  switch (event.type) {
    case "error_classified":
      return say(
        event.turn,
        "error",
        `${oneLine(event.error, WIDTH)} (${event.category}, rule ${oneLine(event.rule, 40)})`,
        "bad",
      );
    case "auto_retry_start":
      return say(undefined, "retry", retryText(event), "loud");
    case "auto_retry_end":
      if (!event.success) return undefined;
      return say(undefined, "retry", `back after ${counted(event.attempt, "retry", "retries")}`, "good");
  }
}

function retryText({ attempt, maxAttempts, delayMs, target, by }: Event<"auto_retry_start">): string {
  if (by !== undefined) {
    return `waiting cut short by ${oneLine(by, 60)}, attempt ${attempt} of ${maxAttempts} starts now`;
  }
  const seconds = Math.round(delayMs / 100) / 10;
  const where = target ? ` with ${oneLine(target.model, 60)}, key ${target.key + 1}` : "";
  return `Retrying (${attempt}/${maxAttempts}) in ${seconds}s…${where}`;
}

function revoked({ thread_id, revoked }: Event<"rights_revoked">): LogLine {
  const by = [...new Set(revoked.map((each) => each.by))].join(", ");
  const from = [...new Set(revoked.map((each) => each.from))].filter((id) => id !== thread_id);
  const above = from.length > 0 ? `, from ${from.join(", ")}` : "";
  const text = `${list(revoked.map(({ right }) => right))} taken away by ${oneLine(by, 60)}${above}`;
  return say(undefined, "rights", text, "loud");
}

function milestone(event: Event): LogLine | undefined {
  switch (event.type) {
    case "thread_created":
      return say(undefined, "created", `${event.thread_id} · ${oneLine(event.model, 60)}`);
    case "cognition_in":
      return say(undefined, "prompt", oneLine(event.text, WIDTH));
    case "message_received":
      return say(
        undefined,
        event.after ? "for later" : "message",
        `from ${oneLine(event.by, 30)}: ${oneLine(event.text, WIDTH)}`,
      );
    case "auto_retry_set":
      return say(
        undefined,
        "retries",
        `turned ${event.enabled ? "on" : "off"} by ${oneLine(event.by, 30)}`,
        "loud",
      );
    case "cancel_requested":
      return say(
        undefined,
        "cancel",
        `${event.accepted ? "asked" : "refused"}: ${oneLine(event.reason, WIDTH)}`,
        "loud",
      );
    case "stop_requested": {
      const asked = event.hits === "nothing" ? "nothing to stop" : "asked";
      const why = event.reason === undefined ? "" : `: ${oneLine(event.reason, WIDTH)}`;
      return say(undefined, "stop", `${asked} by ${oneLine(event.by, 30)}${why}`, "loud");
    }
    case "message_stopped":
      return say(undefined, "stopped", "it waits for the next message; its work is kept", "loud");
    case "thread_suspended":
      return say(undefined, "suspended", `${event.reason} · ${oneLine(event.message, WIDTH)}`, "loud");
    case "thread_resumed":
      return say(undefined, "resumed", `by ${oneLine(event.by, 30)} · run ${event.run}`);
    case "process_started":
    case "process_stopped":
      return processLine(event);
    case "context_compaction_start":
    case "context_compaction_end":
    case "thread_continued":
      return contextLine(event);
    case "thread_completed":
      // Its text is the last answer, which stands right above.
      return say(undefined, "completed", "", "good");
    case "thread_failed":
      return say(undefined, "failed", `${event.code} · ${oneLine(event.message, WIDTH)}`, "bad");
    case "thread_cancelled":
      return say(
        undefined,
        "cancelled",
        [oneLine(event.reason, WIDTH), ...event.report.map(reported)].join(" · "),
        "loud",
      );
    default:
      return undefined;
  }
}

function reported({ tool, outcome, handle_id }: Event<"thread_cancelled">["report"][number]): string {
  return `${handle_id ?? tool}: ${outcome}`;
}
