/** The spans of one thread in this process: `invoke_agent`, and below it each request and each call. */
import type * as Otel from "@opentelemetry/api";
import type { Event } from "../core/event.ts";
import { addUsage, noUsage, type Usage } from "../core/message.ts";
import type { ThreadRow } from "../core/row.ts";
import { ENDS } from "../core/status.ts";
import { cutMiddle } from "../core/text.ts";
import { chatName, finishReason, GEN_AI, modelAttributes, OURS } from "./names.ts";

/** Of one attribute that carries content. */
const LONGEST = 8_000;

export interface ThreadSpanNeeds {
  readonly api: typeof Otel;
  readonly tracer: Otel.Tracer;
  readonly row: ThreadRow;
  /** The span of its parent, while that is open. */
  readonly parent: Otel.Span | undefined;
  /** The thread that it goes on from. */
  readonly before: Otel.Span | undefined;
  readonly at: string;
  /** Whether prompts, answers, arguments and results are recorded. */
  readonly content: boolean;
}

export class ThreadSpans {
  readonly span: Otel.Span;
  readonly #needs: ThreadSpanNeeds;
  readonly #calls = new Map<string, Otel.Span>();
  #request: Otel.Span | undefined;
  #model: string;
  /** When the request that is under way can have begun at the earliest. */
  #since: string;
  #said: string[] = [];
  #usage = noUsage;
  #isOver = false;

  constructor(needs: ThreadSpanNeeds) {
    const { api, tracer, row, parent, before, at } = needs;
    this.#needs = needs;
    this.#model = row.model;
    this.#since = at;
    const above = parent ? api.trace.setSpan(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
    const how = {
      kind: api.SpanKind.INTERNAL,
      startTime: Date.parse(at),
      ...(before ? { links: [{ context: before.spanContext() }] } : {}),
      attributes: {
        [GEN_AI.operation]: "invoke_agent",
        ...modelAttributes(row.model),
        [GEN_AI.agentName]: row.directive,
        [GEN_AI.agentId]: row.thread_id,
        [GEN_AI.conversation]: row.chain_root_id,
        [OURS.root]: row.root_id,
        ...(row.parent_id === null ? {} : { [OURS.parent]: row.parent_id }),
      },
    };
    this.span = tracer.startSpan(`invoke_agent ${row.directive}`, how, above);
  }

  get chainRootId(): string {
    return this.#needs.row.chain_root_id;
  }

  /** It ended, or goes on in another thread: nothing more is told of it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(event: Event): void {
    switch (event.type) {
      case "step_start":
        this.#ask(event.ts, event.turn, event.hold?.output_tokens);
        return;
      case "cognition_in":
      case "message_received":
        this.#said.push(event.text);
        return;
      case "cognition_out":
        return this.#answered(event);
      case "error_classified":
        return this.#failed(event);
      case "auto_retry_start":
        return this.#retried(event);
      case "tool_call_start":
        this.#calls.set(event.call_id, this.#call(event, event.ts, event.input));
        return;
      case "tool_call_result":
        return this.#result(event);
      default:
        return this.#milestone(event);
    }
  }

  /** Nobody tells more of it here; what is still open is closed as it is. */
  close(at: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const endTime = Date.parse(at);
    this.#request?.end(endTime);
    for (const call of this.#calls.values()) call.end(endTime);
    this.span.setAttributes(usageAttributes(this.#usage));
    this.span.end(endTime);
  }

  #ask(at: string, turn: number, maxTokens?: number): Otel.Span {
    this.#request?.end(Date.parse(at));
    const { api, content } = this.#needs;
    const asked =
      content && this.#said.length > 0 ? { [GEN_AI.inputMessages]: messages("user", this.#said) } : {};
    this.#said = [];
    const attributes = {
      ...modelAttributes(this.#model),
      ...{ [GEN_AI.stream]: true, [OURS.turn]: turn, ...asked },
      ...(maxTokens === undefined ? {} : { [GEN_AI.maxTokens]: maxTokens }),
    };
    this.#request = this.#child(chatName(this.#model), "chat", at, attributes, api.SpanKind.CLIENT);
    return this.#request;
  }

  /** A retry of a request that nothing was held for begins without a word: when its wait was over. */
  #open(turn: number): Otel.Span {
    return this.#request ?? this.#ask(this.#since, turn);
  }

  #answered(event: Event<"cognition_out">): void {
    const { usage, turn, stop, attempt, model = this.#model, ts } = event;
    this.#usage = addUsage(this.#usage, usage);
    this.#model = model;
    const span = this.#open(turn);
    const texts = event.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const finish_reason = finishReason(stop);
    span.updateName(chatName(model));
    span.setAttributes({
      ...modelAttributes(model),
      ...usageAttributes(usage),
      [GEN_AI.finishReasons]: [finish_reason],
      [OURS.attempt]: attempt,
      ...(this.#needs.content
        ? { [GEN_AI.outputMessages]: messages("assistant", texts, { finish_reason }) }
        : {}),
    });
    this.#endRequest(span, ts);
  }

  #failed({ turn, attempt, category, error, model, ts }: Event<"error_classified">): void {
    const span = this.#open(turn);
    const attributes = { ...modelAttributes(model), [GEN_AI.errorType]: category, [OURS.attempt]: attempt };
    span.updateName(chatName(model));
    span.setAttributes(attributes);
    // What a provider says may quote the prompt.
    const message = this.#needs.content ? { message: cutMiddle(error, LONGEST) } : {};
    span.setStatus({ code: this.#needs.api.SpanStatusCode.ERROR, ...message });
    this.#endRequest(span, ts);
  }

  #endRequest(span: Otel.Span, at: string): void {
    span.end(Date.parse(at));
    this.#request = undefined;
    this.#since = at;
  }

  #retried({ ts, attempt, delayMs, target, wakeAt }: Event<"auto_retry_start">): void {
    this.#model = target?.model ?? this.#model;
    this.#since = wakeAt;
    this.span.addEvent(OURS.retry, { [OURS.attempt]: attempt, "selvage.delay_ms": delayMs }, Date.parse(ts));
  }

  #call(
    { tool, call_id }: { readonly tool: string; readonly call_id: string },
    at: string,
    input?: unknown,
  ): Otel.Span {
    const given =
      this.#needs.content && input !== undefined
        ? { [GEN_AI.toolArguments]: cutMiddle(JSON.stringify(input), LONGEST) }
        : {};
    const about = { [GEN_AI.toolName]: tool, [GEN_AI.toolType]: "function", [GEN_AI.toolCallId]: call_id };
    const attributes = { ...about, ...given };
    return this.#child(`execute_tool ${tool}`, "execute_tool", at, attributes);
  }

  /** One that another process started is told with the time it took. */
  #result(event: Event<"tool_call_result">): void {
    const { call_id, status, output, ts, duration_ms } = event;
    const began = new Date(Date.parse(ts) - duration_ms).toISOString();
    const span = this.#calls.get(call_id) ?? this.#call(event, began);
    this.#calls.delete(call_id);
    // A result is what a call that succeeded gave; what one that did not has to say is about its error.
    const said = this.#needs.content ? cutMiddle(output, LONGEST) : undefined;
    if (status === "ok") {
      if (said !== undefined) span.setAttribute(GEN_AI.toolResult, said);
    } else {
      span.setAttribute(GEN_AI.errorType, status);
      const message = said === undefined ? {} : { message: said };
      span.setStatus({ code: this.#needs.api.SpanStatusCode.ERROR, ...message });
    }
    span.end(Date.parse(ts));
  }

  #milestone(event: Event): void {
    const at = Date.parse(event.ts);
    switch (event.type) {
      case "wait_started":
        this.span.addEvent(OURS.waitStarted, { "selvage.wait.threads": [...event.thread_ids] }, at);
        return;
      case "wait_finished":
        this.span.addEvent(OURS.waitFinished, { "selvage.wait.why": event.why }, at);
        return;
      case "thread_suspended":
        this.span.addEvent(OURS.suspended, { "selvage.reason": event.reason }, at);
        this.span.setAttribute(OURS.status, "suspended");
        return;
      case "thread_resumed":
        this.span.addEvent(OURS.resumed, {}, at);
        this.span.setAttribute(OURS.status, "running");
        return;
      case "crash_recovered":
        this.span.addEvent(OURS.recovered, {}, at);
        return;
      default:
        if (ENDS.includes(event.type) || event.type === "thread_continued") this.#end(event);
    }
  }

  #end(event: Event): void {
    if (event.type === "thread_failed") {
      this.span.setAttribute(GEN_AI.errorType, event.code);
      this.span.setStatus({ code: this.#needs.api.SpanStatusCode.ERROR });
    }
    this.span.setAttribute(OURS.status, event.type.replace("thread_", ""));
    this.close(event.ts);
  }

  #child(
    name: string,
    operation: string,
    at: string,
    attributes: Otel.Attributes,
    kind = this.#needs.api.SpanKind.INTERNAL,
  ): Otel.Span {
    const { api, tracer } = this.#needs;
    const context = api.trace.setSpan(api.ROOT_CONTEXT, this.span);
    const conversation = this.#needs.row.chain_root_id;
    const all = { [GEN_AI.operation]: operation, [GEN_AI.conversation]: conversation, ...attributes };
    return tracer.startSpan(name, { kind, startTime: Date.parse(at), attributes: all }, context);
  }
}

function messages(role: string, texts: readonly string[], more: object = {}): string {
  const parts = texts.map((text) => ({ type: "text", content: cutMiddle(text, LONGEST) }));
  return JSON.stringify([{ role, parts, ...more }]);
}

/** All input counts, also what a cache served: so the conventions want it. */
function usageAttributes({ input, cache_read, cache_write, output }: Usage): Otel.Attributes {
  return {
    [GEN_AI.inputTokens]: input + cache_read + cache_write,
    [GEN_AI.outputTokens]: output,
    [GEN_AI.cacheRead]: cache_read,
    [GEN_AI.cacheCreation]: cache_write,
  };
}
