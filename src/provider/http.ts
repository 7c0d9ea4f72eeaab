/**
 * One POST whose answer is a stream of events.
 *   H1. It never throws and never asks twice: everything that can happen is an ending.
 *   H2. The first ending counts; after it no event is handed on and nothing is left running.
 *   H3. No redirect is followed: a key goes to the address it was meant for.
 *   H4. After the last event the connection is read to its end, so that the next request can use it.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Failure } from "../core/failure.ts";
import type { Ending } from "../core/model.ts";
import { dial } from "./connection.ts";
import { type Asked, brokenOff, cutOff, failure, noConnection, refusal } from "./http-failure.ts";
import { proxyFor } from "./proxy.ts";
import { isEventStream, type SseReader, sseReader } from "./sse.ts";
import type { StreamEnd, StreamReader } from "./stream-reader.ts";

export interface Post extends Asked {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly (string | Uint8Array)[];
  /** Silence of this length is a failure (T5), and so is an exchange that takes longer in all. */
  readonly stallMs: number;
  readonly totalMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Wall time, for dates in headers. */
  readonly now: () => number;
}

/** Of a body that is no stream, this much is kept. */
const KEPT_BYTES = 65_536;
/** How long a connection may take to end after the last event. */
const DRAIN_MS = 2_000;

type BodyKind = "stream" | "refusal";

export function exchange(post: Post, reader: StreamReader, signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    new Exchange(post, reader, { signal, resolve }).start();
  });
}

class Exchange {
  #post: Post;
  readonly #reader: StreamReader;
  readonly #signal: AbortSignal;
  readonly #resolve: (ending: Ending) => void;
  /** Only a proxy has something to dig: a controller for nobody costs more than the request line. */
  #abandon: AbortController | undefined;
  #request: ClientRequest | undefined;
  #timers: NodeJS.Timeout[] = [];
  #hasHeard = false;
  /** A body that is no stream: its length, if it may be an answer all the same. */
  #unread = 0;
  #isAnswered = false;
  #isOver = false;

  constructor(
    post: Post,
    reader: StreamReader,
    ends: { signal: AbortSignal; resolve: (ending: Ending) => void },
  ) {
    this.#post = post;
    this.#reader = reader;
    this.#signal = ends.signal;
    this.#resolve = ends.resolve;
  }

  start(): void {
    if (this.#signal.aborted) return this.#stopped();
    this.#signal.addEventListener("abort", this.#stopped, { once: true });
    this.#guard(() => this.#send());
  }

  #send(): void {
    const { url, environment, body, headers, stallMs, totalMs } = this.#post;
    const route = proxyFor(url, environment);
    if (route.type === "refused") return this.#fail("misuse", route.why);
    const proxy = route.type === "proxy" ? route.url : undefined;
    if (proxy) this.#post = { ...this.#post, host: `${url.host} through the proxy ${proxy.host}` };
    if (proxy) this.#abandon = new AbortController();
    const request = dial({ target: url, proxy, headers, abandon: this.#abandon?.signal });
    this.#request = request;
    request.once("response", (response) => this.#guard(() => this.#answered(response)));
    // Once there is an answer, its own events tell how it ends.
    request.on("error", (error) => this.#isAnswered || this.#break(noConnection(this.#post, error)));
    const silence = `nothing came for ${seconds(stallMs)}`;
    this.#timers = [
      setTimeout(() => this.#fail("stalled", silence), stallMs),
      setTimeout(() => this.#fail("stalled", `no end after ${seconds(totalMs)} in all`), totalMs),
    ];
    request.cork();
    for (const part of body) request.write(part);
    request.end();
    request.uncork();
  }

  #answered(response: IncomingMessage): void {
    this.#isAnswered = true;
    const { statusCode = 0, headers } = response;
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding !== "identity" && statusCode === 200) {
      return this.#fail("misuse", `the answer is compressed (${encoding}), which was not asked for`);
    }
    const events = this.#events();
    let kind = statusCode >= 200 && statusCode < 300 ? undefined : ("refusal" as BodyKind);
    let head = "";
    const refuse = () => this.#refused(response, head);
    this.#listen(response, {
      data: (text) => {
        if (kind === "stream") return events.feed(text);
        head += text;
        kind ??= kindOf(headers["content-type"], head);
        if (kind === "stream") events.feed(head);
        if (kind === "refusal" && head.length >= KEPT_BYTES) refuse();
      },
      end: () => {
        if (kind === "refusal" || (kind === undefined && head.trim() !== "")) return refuse();
        events.end();
        this.#conclude(this.#reader.close());
        this.#fail("stream_cut", "the stream ended before the answer did");
      },
      // Of a refusal the status is known, whatever became of its body.
      cut: () => (kind === "refusal" ? refuse() : this.#break(cutOff(this.#post))),
    });
  }

  #events(): SseReader {
    return sseReader({
      data: (data, event) => {
        if (!this.#isOver) this.#conclude(this.#reader.take(data, event));
      },
      broken: (why) => this.#fail("stream_cut", why),
    });
  }

  #refused(response: IncomingMessage, body: string): void {
    const { statusCode: status = 0, headers } = response;
    const kept = body.slice(0, KEPT_BYTES);
    const failed = refusal(this.#post, { status, headers, body: kept, now: this.#post.now() });
    // A no is no answer, however many words it has: it costs nothing.
    this.#unread = (failed.status ?? 0) < 300 ? kept.length : 0;
    this.#hasHeard = this.#unread > 0;
    this.#break(failed);
  }

  #listen(response: IncomingMessage, on: { data(text: string): void; end(): void; cut(): void }): void {
    response.setEncoding("utf8");
    this.#timers[0]?.refresh();
    response.on("data", (text: string) => {
      if (this.#isOver) return;
      this.#timers[0]?.refresh();
      this.#hasHeard ||= text !== "";
      this.#guard(() => on.data(text));
    });
    response.once("end", () => this.#isOver || this.#guard(() => on.end()));
    response.on("error", () => this.#isOver || on.cut());
    response.once("close", () => this.#isOver || on.cut());
  }

  #conclude(end: StreamEnd | undefined): void {
    switch (end?.type) {
      case undefined:
        return;
      case "end":
        return this.#finish(end);
      case "error":
        return this.#break(brokenOff(this.#post, end.error));
      case "garbled":
        return this.#fail("stream_cut", end.why);
    }
  }

  readonly #stopped = (): void => {
    this.#fail("aborted", "the request was stopped");
  };

  #fail(kind: Failure["kind"], message: string): void {
    this.#break(failure(this.#post, kind, message));
  }

  #break(failed: Failure): void {
    if (!this.#close()) return;
    this.#abandon?.abort();
    this.#request?.destroy();
    const usage = this.#reader.usage();
    const told: Failure = { ...failed, receivedBytes: this.#heard() };
    this.#resolve({ type: "failure", failure: told, ...(usage ? { usage } : {}) });
  }

  /** What was said, without what the wire writes around each word: it is what a cut answer is charged by. */
  #heard(): number {
    return this.#hasHeard ? Math.max(1, this.#unread, this.#reader.heard()) : 0;
  }

  #finish(end: StreamEnd & { type: "end" }): void {
    if (!this.#close()) return;
    const request = this.#request;
    // H4, but not for ever; the connection holds the process until then, the timer does not.
    const drain = setTimeout(() => request?.destroy(), DRAIN_MS).unref();
    request?.once("close", () => clearTimeout(drain));
    this.#resolve(end);
  }

  /** False when it was over already (H2). */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal.removeEventListener("abort", this.#stopped);
    return true;
  }

  /** H1: a listener of the answer, a header that cannot be sent, or a fault of ours. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#fail("misuse", cause instanceof Error ? cause.message : String(cause));
    }
  }
}

function kindOf(contentType: string | undefined, head: string): BodyKind | undefined {
  const isStream = isEventStream(contentType, head);
  if (isStream === undefined) return head.length >= KEPT_BYTES ? "refusal" : undefined;
  return isStream ? "stream" : "refusal";
}

function seconds(ms: number): string {
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`;
}
