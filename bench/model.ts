/**
 * A provider for the bench, as a real one would be: `node:http` with keep-alive, each message serialized once,
 * `messages` last in the body so that a turn only appends to it.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Log } from "../src/core/log.ts";
import type { Message } from "../src/core/message.ts";
import type { Ending, Model, ModelRequest } from "../src/core/model.ts";
import { SseReader } from "./sse.ts";
import type { Job } from "./variant.ts";

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: "lifo" });

export function benchModel(port: number, job: Job): Model {
  const bodies = new Map<string, Body>();
  return {
    streams: true,
    ask: (asked, on, signal) =>
      new Promise<Ending>((resolve) => {
        const { answers, messages, threadId } = asked;
        job.watch?.ask(answers);
        const reader = new SseReader({
          text: (text) => on({ type: "text_delta", text }),
          block: (block) =>
            on({
              type: "block",
              block: block.type === "text" ? block : { type: "call", tool: block.name, input: block.input },
            }),
        });
        const kind = answers < job.turns ? job.kind : "text";
        const head = Buffer.from(headOf(asked));
        const body = bodyOf(bodies, threadId).upTo(messages);
        if (kind === "text") bodies.delete(threadId);
        const request = httpRequest({
          agent,
          host: "127.0.0.1",
          port,
          method: "POST",
          path: `/v1/messages?kind=${kind}`,
          headers: { "content-type": "application/json", "content-length": head.length + body.length + 2 },
        });
        const onAbort = () => request.destroy(new Error("aborted"));
        const settle = (ending: Ending) => {
          signal.removeEventListener("abort", onAbort);
          resolve(ending);
        };
        signal.addEventListener("abort", onAbort);
        request.once("error", (error) => settle(failed(error, signal)));
        request.once("response", (response) => {
          read(response, reader, job, settle);
        });
        send(request, head, body);
      }),
  };
}

function send(request: ClientRequest, head: Buffer, body: Buffer): void {
  request.cork();
  request.write(head);
  request.write(body);
  request.end("]}");
  request.uncork();
}

function read(
  response: IncomingMessage,
  reader: SseReader,
  job: Job,
  settle: (ending: Ending) => void,
): void {
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    job.watch?.bytesRead();
    reader.push(chunk);
  });
  response.once("end", () => {
    const { stop = "cut", inputTokens: input, outputTokens: output } = reader;
    const usage = { input, cache_read: 0, cache_write: 0, output };
    if (reader.ended) settle({ type: "end", stop, usage });
    else settle({ type: "failure", failure: { kind: "stream_cut", message: "the stream was cut" } });
  });
}

function failed(error: Error, signal: AbortSignal): Ending {
  const kind = signal.aborted ? "aborted" : "connection";
  return { type: "failure", failure: { kind, message: error.message } };
}

const heads = new WeakMap<object, string>();

function headOf({ system, tools }: ModelRequest): string {
  const [first] = tools;
  const known = first && heads.get(first.input);
  if (known) return known;
  const specs = tools.map(({ name, description, input }) => ({ name, description, input_schema: input }));
  const fields = { model: "bench", max_tokens: 1_000, stream: true, system, tools: specs };
  const head = `${JSON.stringify(fields).slice(0, -1)},"messages":[`;
  if (first) heads.set(first.input, head);
  return head;
}

/** The messages sent so far, as bytes. A log only grows, so what stands here never changes. */
class Body {
  #bytes = Buffer.allocUnsafe(4_096);
  #used = 0;
  #messages = 0;
  #last: Message | undefined;

  upTo(log: Log<Message>): Buffer {
    if (this.#messages > 0 && log.items[this.#messages - 1] !== this.#last)
      throw new Error("history was rewritten");
    for (; this.#messages < log.length; this.#messages += 1) {
      const message = log.items[this.#messages];
      if (message) this.#add((this.#messages > 0 ? "," : "") + JSON.stringify(wire(message)));
    }
    this.#last = log.items[this.#messages - 1];
    return this.#bytes.subarray(0, this.#used);
  }

  #add(text: string): void {
    const needed = this.#used + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#used += this.#bytes.write(text, this.#used);
  }
}

function bodyOf(bodies: Map<string, Body>, threadId: string): Body {
  let body = bodies.get(threadId);
  if (!body) {
    body = new Body();
    bodies.set(threadId, body);
  }
  return body;
}

function wire(message: Message): object {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant":
      return {
        role: "assistant",
        content: message.blocks.map((block) =>
          block.type === "call"
            ? { type: "tool_use", id: block.call_id, name: block.tool, input: block.input }
            : block,
        ),
      };
    case "tool":
      return {
        role: "user",
        content: message.results.map(({ call_id, output }) => ({
          type: "tool_result",
          tool_use_id: call_id,
          content: output,
        })),
      };
  }
}
