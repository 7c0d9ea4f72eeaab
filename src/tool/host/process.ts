// A tool host from outside: one process with a group of its own, which takes one request at a time.
//   T1. It ends with us (guard.ts), and with everything it started.
//   T2. While it is idle it does not keep our process alive.
//   T3. A host that was stopped, that spoke nonsense or that died is never asked again.
import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { Progress, Told } from "../../core/progress.ts";
import type { ToolContext } from "../../core/tool.ts";
import { childEnvironment } from "../environment.ts";
import { type GroupEnd, runGroup } from "../process-group.ts";
import type { Sandbox } from "../sandbox.ts";
import { hear, say } from "./json-lines.ts";
import type { FromHost, Reply, Request, ToHost } from "./protocol.ts";

export interface HostOptions {
  /** The program of the host. */
  readonly entry: string;
  readonly projectRoot: string;
  readonly sandbox: Sandbox;
  readonly maxOutputBytes: number;
  /** Whether it and all it starts may reach the network. */
  readonly network?: boolean;
  /** Between TERM and KILL. */
  readonly graceMs?: number;
}

export interface Listener {
  readonly onProgress: ToolContext["progress"];
  readonly onOutput: (text: string) => void;
}

const GRACE_MS = 1_000;
/** JSON needs up to six letters for one; the rest of a reply is small. */
const MOST_LETTERS = 6;
const REST_CHARS = 1_048_576;

export class ToolHost {
  readonly ended: Promise<GroupEnd>;
  /** Files that it has loaded. */
  readonly loaded = new Set<string>();
  readonly #stop = new AbortController();
  #line: Duplex | undefined;
  #child: ChildProcess | undefined;
  #listener: Listener | undefined;
  #onReply: ((reply: Reply) => void) | undefined;
  #isOver = false;

  readonly network: boolean;

  constructor(options: HostOptions) {
    const { entry, projectRoot, sandbox, maxOutputBytes, network = false, graceMs = GRACE_MS } = options;
    this.network = network;
    this.ended = runGroup({
      sandbox,
      network,
      command: process.execPath,
      args: [entry, projectRoot],
      directory: projectRoot,
      environment: childEnvironment("tool-host"),
      signal: this.#stop.signal,
      timeoutMs: 0,
      maxOutputBytes: Number.MAX_SAFE_INTEGER,
      keep: "end",
      graceMs,
      onOutput: (text) => this.#listener?.onOutput(text),
      onLine: (line, child) => this.#connect(line, child, maxOutputBytes),
    }).finally(() => {
      this.#isOver = true;
    });
    this.#hold("loosely");
  }

  get isUsable(): boolean {
    return !this.#isOver && this.#onReply === undefined && !this.#stop.signal.aborted;
  }

  /** Undefined when it ended before it answered; `ended` then says how. */
  async ask(request: Request, listener: Listener): Promise<Reply | undefined> {
    this.#listener = listener;
    this.#hold("firmly");
    const reply = new Promise<Reply>((resolve) => {
      this.#onReply = resolve;
    });
    if (this.#line) say<ToHost>(this.#line, request);
    const first = await Promise.race([reply, this.ended.then(() => undefined)]);
    this.#listener = undefined;
    if (first) this.#onReply = undefined;
    this.#hold("loosely");
    return first;
  }

  /** Tells the running tool that it should stop. */
  abort(): void {
    if (this.#line) say<ToHost>(this.#line, { type: "abort" });
  }

  /** Returns when nothing of it is left. */
  async end(): Promise<GroupEnd> {
    this.#hold("firmly");
    this.#stop.abort();
    return this.ended;
  }

  #connect(line: Duplex, child: ChildProcess, maxOutputBytes: number): void {
    this.#line = line;
    this.#child = child;
    hear<FromHost>(line, {
      maxChars: maxOutputBytes * MOST_LETTERS + REST_CHARS,
      onMessage: (message) => {
        if (message.type === "progress") this.#listener?.onProgress(...wordsOf(message));
        else this.#onReply?.(message);
      },
      onNonsense: () => this.#stop.abort(), // T3
    });
  }

  /** T2. */
  #hold(how: "firmly" | "loosely"): void {
    const parts = [this.#child, ...(this.#child?.stdio ?? [])] as (Partial<NodeJS.RefCounted> | null)[];
    for (const part of parts) how === "firmly" ? part?.ref?.() : part?.unref?.();
  }
}

function wordsOf({ message, progress }: Told): Progress {
  return progress === undefined ? [message] : [progress, message];
}
