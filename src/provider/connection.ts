/**
 * Connections that stay open between requests: one pool per address, and per proxy in front of it.
 * An idle connection does not hold the process: the pools of Node let go of it until it is used again.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { connect as secure } from "node:tls";
import { portOf } from "./proxy.ts";

export interface Dial {
  readonly target: URL;
  readonly proxy: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends a tunnel that is still being dug. */
  readonly abandon: AbortSignal | undefined;
}

/** The proxy answered, and it was not a yes. */
export class TunnelRefused extends Error {
  readonly status: number;
  constructor(status: number, proxy: URL) {
    super(`the proxy ${proxy.host} refused the tunnel with status ${status}`);
    this.name = "TunnelRefused";
    this.status = status;
  }
}

/** A POST that is still to be written. */
export function dial({ target, proxy, headers, abandon }: Dial): ClientRequest {
  const isSecure = target.protocol === "https:";
  // Through a proxy, plain HTTP is asked of the proxy itself, by the whole address.
  const server = proxy && !isSecure ? proxy : target;
  const path = server === target ? `${target.pathname}${target.search}` : target.href;
  const options: RequestOptions & Pick<Dial, "abandon"> = {
    method: "POST",
    agent: poolFor(target, proxy),
    host: hostOf(server),
    port: portOf(server),
    path,
    headers: server === target ? headers : { ...headers, host: target.host, ...credentials(server) },
    abandon,
  };
  return (server.protocol === "https:" ? httpsRequest : httpRequest)(options);
}

const pools = new Map<string, HttpAgent>();

function poolFor(target: URL, proxy: URL | undefined): HttpAgent {
  const name = `${target.origin} ${proxy?.href ?? ""}`;
  const pool = pools.get(name) ?? newPool(target, proxy);
  pools.set(name, pool);
  return pool;
}

function newPool(target: URL, proxy: URL | undefined): HttpAgent {
  const options = { keepAlive: true, scheduling: "lifo" } as const;
  if (target.protocol === "http:")
    return proxy?.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  const pool = new HttpsAgent(options);
  if (proxy)
    pool.createConnection = (asked, done) =>
      dig({ target, proxy, asked: asked as Asked, done: done as Done });
  return pool;
}

interface Asked extends Pick<Dial, "abandon"> {
  readonly servername?: string;
}
type Done = (error: Error | null, socket?: Socket) => void;

interface Digging {
  readonly target: URL;
  readonly proxy: URL;
  readonly asked: Asked;
  readonly done: Done;
}

/** Asks the proxy for a tunnel and speaks TLS through it: the proxy sees a name and a port. */
function dig({ target, proxy, asked, done }: Digging): undefined {
  const authority = `${target.hostname}:${portOf(target)}`;
  const asking = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    method: "CONNECT",
    host: hostOf(proxy),
    port: portOf(proxy),
    path: authority,
    headers: { host: authority, ...credentials(proxy) },
    agent: false,
  });
  const stop = () => asking.destroy(new Error("the request was given up"));
  asked.abandon?.addEventListener("abort", stop, { once: true });
  asking.once("error", (error) => done(error));
  asking.once("connect", (response, socket, head) => {
    asked.abandon?.removeEventListener("abort", stop);
    if (response.statusCode !== 200) {
      socket.destroy();
      return done(new TunnelRefused(response.statusCode ?? 502, proxy));
    }
    if (head.length > 0) socket.unshift(head);
    const servername = asked.servername ?? "";
    const tunnel = secure({ socket, servername, ALPNProtocols: ["http/1.1"] });
    // Whoever gave up no longer listens; an error without a listener would end the process.
    tunnel.on("error", () => {});
    if (asked.abandon?.aborted) tunnel.destroy();
    done(null, tunnel);
  });
  asking.end();
  return undefined;
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare % in a password: then it was not encoded.
    return text;
  }
}

/** Node wants an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
