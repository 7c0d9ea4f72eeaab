// A chat platform that a test plays: it keeps what it is sent, and limits, fails, delays and delivers again as it is told to.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Verb = "start" | "post" | "edit" | "whisper" | "react" | "list";

interface Button {
  readonly id: string;
  readonly label: string;
  readonly value: string;
}

interface Shown {
  readonly id: string;
  readonly thread: string;
  text: string;
  buttons: readonly Button[];
  readonly at: number;
}

/** What becomes of one call. `taken`: it is done as asked before that. */
export interface Fate {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly taken?: boolean;
  /** Answered after this; a promise that never comes is a platform that hangs. */
  readonly after?: Promise<unknown>;
}

const NEVER = new Promise<never>(() => {});
/** It hangs; as far as it knows, nothing was said, or all of it. */
export const lostOnTheWay: Fate = { taken: false, after: NEVER };
export const takenAndSilent: Fate = { taken: true, after: NEVER };

const AGAIN_MS = 50;

export class Town {
  readonly messages: Shown[] = [];
  readonly calls: { readonly verb: Verb; readonly text: string }[] = [];
  readonly token: string;
  /** Sent along when it is started. */
  strays = false;
  /** Where the bot hears; told by who starts it. */
  door = "";
  readonly #server: Server;
  readonly #fates = new Map<Verb, Fate[]>();
  #count = 0;

  constructor(token: string) {
    this.token = token;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(token = "offline-token-9c2f41aa"): Promise<Town> {
    const town = new Town(token);
    town.#server.listen(0, "127.0.0.1");
    await once(town.#server, "listening");
    return town;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next calls of this kind come to this. */
  will(verb: Verb, ...fates: Fate[]): void {
    this.#fates.set(verb, [...(this.#fates.get(verb) ?? []), ...fates]);
  }

  /** As platforms do: until somebody says that it was received. Returns how often it was sent. */
  async say(text: string, { id = this.#next("in"), by = "maya", thread = "dm-maya" } = {}): Promise<number> {
    return this.#deliver({ type: "message", thread, id, text, by });
  }

  async click(message: Shown, label: string, by = "maya"): Promise<void> {
    const button = message.buttons.find((each) => each.label === label);
    if (!button) throw new Error(`no button ${label} among ${message.buttons.map((each) => each.label)}`);
    const { id: action, value } = button;
    await this.#deliver({
      ...{ type: "click", messageId: message.id, action, value, by },
      thread: message.thread.slice("offline:".length),
    });
  }

  shown(thread = "dm-maya"): string[] {
    return this.messages.filter((each) => each.thread === `offline:${thread}`).map(({ text }) => text);
  }

  of(verb: Verb): string[] {
    return this.calls.filter((call) => call.verb === verb).map(({ text }) => text);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #deliver(event: object): Promise<number> {
    const deadline = Date.now() + 20_000;
    for (let tries = 1; ; tries += 1) {
      const sent = { method: "POST", body: JSON.stringify(event) };
      const isTaken = await fetch(this.door, sent).then(
        (response) => response.ok,
        () => false,
      );
      if (isTaken) return tries;
      if (Date.now() > deadline) throw new Error("nobody takes it");
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const verb = (request.url ?? "").slice(1) as Verb;
    const fate = this.#fates.get(verb)?.shift() ?? {};
    const isKnown = request.headers.authorization === `Bearer ${this.token}`;
    const { status = isKnown ? 200 : 401, retryAfter, after, taken = status === 200 } = fate;
    this.calls.push({ verb, text: body.text ?? "" });
    const done = taken ? this.#take(verb, body) : {};
    await after;
    const isThere = done !== undefined;
    response.writeHead(isThere ? status : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? (done ?? {}) : { retryAfter }));
  }

  #take(verb: Verb, body: Omit<Shown, "at">): object | undefined {
    if (verb === "start") return { strays: this.strays };
    if (verb === "post") {
      const { thread, text, buttons } = body;
      const message = { id: this.#next("m"), thread, text, buttons, at: Date.now() };
      this.messages.push(message);
      return { id: message.id };
    }
    if (verb === "list") return { messages: this.messages.filter(({ thread }) => thread === body.thread) };
    if (verb !== "edit") return {};
    const message = this.messages.find(({ id }) => id === body.id);
    if (!message) return undefined;
    message.text = body.text;
    message.buttons = body.buttons;
    return {};
  }

  #next(kind: string): string {
    this.#count += 1;
    return `${kind}${this.#count}`;
  }
}
