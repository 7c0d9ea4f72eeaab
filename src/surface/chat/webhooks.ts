/**
 * The door for chat platforms: an HTTP server that hands `/chat/<platform>` to that platform's handler.
 *   W1. Nothing is answered before the handler has: what it heard is stored then, or the platform is told to come again.
 *   W2. Nobody who comes in can hold us up: bodies, silence, connections and answers under way have bounds.
 *   W3. Only this machine reaches it unless somebody says otherwise; what stands before it ends TLS.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../core/world.ts";

export type WebhookTaker = (request: Request) => Promise<Response>;

export interface WebhooksNeeds {
  readonly takers: ReadonlyMap<string, WebhookTaker>;
  /** 0: any that is free. */
  readonly port: number;
  readonly host?: string;
  readonly clock: Clock;
  /** For the operator: what was told to come again, and why. */
  readonly trouble: (what: string, error?: unknown) => void;
}

export interface Webhooks {
  readonly address: string;
  /** No more is taken; what is under way is answered. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_CONNECTIONS = 256;
const SILENCE_MS = 15_000;
const ANSWER_MS = 30_000;
const METHODS = ["GET", "POST"];

export async function openWebhooks(needs: WebhooksNeeds): Promise<Webhooks> {
  const host = needs.host ?? HOST;
  const server = createServer((incoming, outgoing) => {
    void serve(needs, incoming, outgoing, () => server.listening);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = SILENCE_MS;
  server.requestTimeout = SILENCE_MS;
  await listen(server, needs.port, host);
  const { address, family, port } = server.address() as AddressInfo;
  const shown = family === "IPv6" ? `[${address}]` : address;
  return { address: `http://${shown}:${port}`, close: () => close(server) };
}

async function serve(
  needs: WebhooksNeeds,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isOpen: () => boolean,
): Promise<void> {
  try {
    const response = await answer(needs, incoming);
    // A connection that is kept would keep us from closing.
    if (!isOpen()) outgoing.shouldKeepAlive = false;
    await write(outgoing, response);
  } catch (error) {
    needs.trouble("a message from a chat platform was not taken", error);
    if (outgoing.headersSent) outgoing.destroy();
    else await write(outgoing, refusal(500));
  }
}

async function answer(needs: WebhooksNeeds, incoming: IncomingMessage): Promise<Response> {
  const url = urlOf(incoming);
  if (!url) return refusal(400);
  const [, platform] = /^\/chat\/([^/]+)$/.exec(url.pathname) ?? [];
  const taker = platform === undefined ? undefined : needs.takers.get(platform);
  if (!taker) return refusal(404);
  const method = incoming.method ?? "";
  if (!METHODS.includes(method)) return refusal(405, { allow: METHODS.join(", ") });
  const body = await read(incoming);
  // What is left of it is let go, for as long as a request may take.
  if (!body) return refusal(413);
  const request = new Request(url, {
    method,
    headers: headersOf(incoming),
    ...(method === "POST" && { body: new Uint8Array(body) }),
  });
  return inTime(needs, taker(request), platform ?? "");
}

/** A platform that hears nothing comes again; so does one that we tell to. */
async function inTime(needs: WebhooksNeeds, taken: Promise<Response>, platform: string): Promise<Response> {
  const over = new AbortController();
  const late = needs.clock.sleep(ANSWER_MS, over.signal).then(() => undefined);
  taken.catch(() => {});
  try {
    const response = await Promise.race([taken, late]);
    if (response) return response;
    needs.trouble(`what ${platform} sent was not stored within ${ANSWER_MS / 1_000} s`);
    return refusal(503);
  } finally {
    over.abort();
  }
}

/** Undefined: more than anybody needs. */
async function read(incoming: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > MOST_BYTES) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function urlOf({ url = "", headers }: IncomingMessage): URL | undefined {
  try {
    return new URL(url, `http://${headers.host ?? HOST}`);
  } catch {
    return undefined;
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers });
}

async function write(outgoing: ServerResponse, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  await new Promise<void>((resolve) => {
    outgoing.once("close", resolve);
    outgoing.end(body, resolve);
  });
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new Problem("E_CHAT_PORT", {
      what: `Chat platforms cannot be listened to on ${host}:${port}`,
      why: cause.code === "EADDRINUSE" ? "another process listens there" : `the system says ${cause.code}`,
      cause,
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
}
