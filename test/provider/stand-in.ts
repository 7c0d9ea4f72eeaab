// A server that speaks both wires as it is told to: in pieces, late, never, wrongly, half, or not at all.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";

/** A models.yaml for the models it plays: without a price, no thread with a spend limit runs. */
export const PRICES = `models:
  anthropic/*: { input: 3, output: 15 }
  openai/*: { input: 3, output: 15 }
  local/*: { input: 3, output: 15 }
`;

export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly body: any;
  /** The port it came from: the same one means the same connection. */
  readonly port: number | undefined;
  /** When it had come whole, in ms. */
  readonly at: number;
}

export interface Turn {
  readonly seen: Seen;
  readonly response: ServerResponse;
  /** When the client is gone. */
  readonly left: Promise<unknown>;
}

export type Play = (turn: Turn) => Promise<void> | void;

export class StandIn {
  readonly seen: Seen[] = [];
  /** What it does when it was told nothing else. */
  always: Play | undefined;
  readonly #server: Server;
  readonly #plays: Play[] = [];
  readonly #waiting: (() => void)[] = [];

  /** `wrap` makes the server: one that speaks TLS, for instance. */
  constructor(
    wrap: (listener: (request: IncomingMessage, response: ServerResponse) => void) => Server = createServer,
  ) {
    this.#server = wrap((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  static async start(...plays: Play[]): Promise<StandIn> {
    const standIn = new StandIn();
    standIn.will(...plays);
    await standIn.listen();
    return standIn;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next requests are answered so, in this order. */
  will(...plays: Play[]): this {
    this.#plays.push(...plays);
    return this;
  }

  /** Resolves when this many requests have come. */
  async asked(count: number): Promise<void> {
    while (this.seen.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    const left = new Promise((resolve) => response.once("close", resolve));
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const { url: path = "", headers, socket } = request;
    const seen = {
      path,
      headers,
      text,
      body: JSON.parse(text),
      port: socket.remotePort,
      at: performance.now(),
    };
    this.seen.push(seen);
    for (const resolve of this.#waiting.splice(0)) resolve();
    const play =
      this.#plays.shift() ??
      this.always ??
      answers(500, { error: { message: "the stand-in has no more to say" } });
    await play({ seen, response, left });
  }
}

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** The whole stream, cut into pieces at these places (in bytes); each piece is a packet of its own. */
export function streams(
  text: string,
  cuts: readonly number[] = [],
  headers: Record<string, string> = STREAM,
): Play {
  return async ({ response }) => {
    response.writeHead(200, headers);
    await writePieces(response, text, cuts);
    response.end();
  };
}

/** This much, and then what the rest does. */
export function streamsThen(text: string, rest: Play): Play {
  return async (turn) => {
    turn.response.writeHead(200, STREAM);
    turn.response.flushHeaders();
    if (text !== "") await write(turn.response, text);
    await rest(turn);
  };
}

async function writePieces(response: ServerResponse, text: string, cuts: readonly number[]): Promise<void> {
  const bytes = Buffer.from(text);
  response.socket?.setNoDelay(true);
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    await write(response, bytes.subarray(from, cut));
    from = cut;
  }
}

async function write(response: ServerResponse, bytes: string | Buffer): Promise<void> {
  if (bytes.length === 0) return;
  await new Promise((resolve) => response.write(bytes, resolve));
  // Lets the packet leave before the next one is written.
  await new Promise(setImmediate);
}

/** A refusal, with whatever headers. */
export function answers(status: number, body: object | string, headers: Record<string, string> = {}): Play {
  return ({ response }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = typeof body === "string" ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers }).end(text);
  };
}

/** The connection breaks hard. */
export const resets: Play = ({ response }) => {
  if (response.socket instanceof Socket) response.socket.resetAndDestroy();
};

/** The body ends as if it were complete. */
export const ends: Play = ({ response }) => {
  response.end();
};

/** Nothing more, until the client goes. */
export const fallsSilent: Play = async ({ left }) => {
  await left;
};

/** Waits for a fact of the test, then goes on. */
export function after(fact: Promise<unknown>, rest: Play): Play {
  return async (turn) => {
    await fact;
    await rest(turn);
  };
}

export function says(text: string, rest: Play): Play {
  return async (turn) => {
    await write(turn.response, text);
    await rest(turn);
  };
}
