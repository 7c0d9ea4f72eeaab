/**
 * OpenTelemetry spans of what the threads of this process do, made of the facts that are published.
 *   S1. The API is loaded when the first fact comes, and only where spans are on: a start costs nothing.
 *   S2. Nothing here can fail or hold up a thread: facts are taken one after the other, beside it.
 *   S3. Content is recorded only where that is asked for; what comes here has no secrets in it already.
 */
import type * as Otel from "@opentelemetry/api";
import type { Event } from "../core/event.ts";
import type { ThreadRow } from "../core/row.ts";
import type { Settings } from "../core/settings.ts";
import type { Notice } from "../core/world.ts";
import { SCHEMA_URL } from "./names.ts";
import { ThreadSpans } from "./thread-spans.ts";

export interface SpansNeeds {
  readonly settings: Settings["telemetry"];
  readonly version: string;
  readonly row: (threadId: string) => Promise<ThreadRow | undefined>;
  readonly now: () => number;
  /** Said once. */
  readonly warn: (message: string) => void;
  /** The API as the user's own provider is registered with; undefined when it is not installed. */
  readonly load?: () => Promise<typeof Otel | undefined>;
}

export interface Spans {
  hear(notice: Notice): void;
  /** Ends what is open, and lets the user's provider send it. */
  close(): Promise<void>;
}

const MISSING =
  "telemetry.spans is on, and the package @opentelemetry/api is not installed: no spans are made. See docs/telemetry.md";

/** Undefined where spans are off. */
export function openSpans(needs: SpansNeeds): Spans | undefined {
  if (needs.settings.spans !== "on") return undefined;
  const recorder = new Recorder(needs);
  return { hear: (notice) => recorder.hear(notice), close: () => recorder.close() };
}

/** The user's provider has this long to send what it has. */
const FLUSH_MS = 1_000;

class Recorder {
  readonly #needs: SpansNeeds;
  readonly #threads = new Map<string, ThreadSpans>();
  /** Spans of threads that have been handed on, for those that go on from them. */
  readonly #before = new Map<string, Otel.Span>();
  #loaded: Promise<typeof Otel | undefined> | undefined;
  #queue: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(needs: SpansNeeds) {
    this.#needs = needs;
  }

  hear(notice: Notice): void {
    if (notice.type !== "event") return;
    this.#queue = this.#queue.then(() => this.#take(notice.event)).catch((cause) => this.#warn(cause));
  }

  async close(): Promise<void> {
    await this.#queue;
    try {
      const at = new Date(this.#needs.now()).toISOString();
      for (const spans of this.#threads.values()) spans.close(at);
      this.#threads.clear();
      await this.#flush();
    } catch (cause) {
      this.#warn(cause);
    }
  }

  async #take(event: Event): Promise<void> {
    this.#loaded ??= (this.#needs.load ?? loadApi)();
    const api = await this.#loaded;
    if (!api) return this.#warn(MISSING);
    const spans = this.#threads.get(event.thread_id) ?? (await this.#begin(api, event));
    if (!spans) return;
    spans.take(event);
    if (!spans.isOver) return;
    this.#threads.delete(event.thread_id);
    if (event.type === "thread_continued") this.#before.set(event.to, spans.span);
  }

  async #begin(api: typeof Otel, { thread_id, ts }: Event): Promise<ThreadSpans | undefined> {
    const { row: find, version, settings } = this.#needs;
    const row = await find(thread_id);
    if (!row) return undefined;
    const parent = [...this.#threads.values()].find(({ chainRootId }) => chainRootId === row.parent_id);
    const before = this.#before.get(thread_id);
    this.#before.delete(thread_id);
    const tracer = api.trace.getTracerProvider().getTracer("selvage", version, { schemaUrl: SCHEMA_URL });
    const spans = new ThreadSpans({
      ...{ api, tracer, row, before },
      ...{ parent: parent?.span, at: ts, content: settings.content },
    });
    this.#threads.set(thread_id, spans);
    return spans;
  }

  async #flush(): Promise<void> {
    const api = await this.#loaded;
    const provider = api?.trace.getTracerProvider() as Flushable | undefined;
    const real = provider?.getDelegate?.() ?? provider;
    if (!real?.forceFlush) return;
    const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([real.forceFlush(), late]);
  }

  #warn(cause: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#needs.warn(typeof cause === "string" ? cause : `A span could not be made: ${String(cause)}`);
  }
}

/** As providers of the SDK are; the API itself promises none of it. */
interface Flushable {
  getDelegate?(): Flushable;
  forceFlush?(): Promise<void>;
}

async function loadApi(): Promise<typeof Otel | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw cause;
  }
}
