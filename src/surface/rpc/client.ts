/** The other end of the protocol, for programs: commands as methods, events as they come. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ApprovalObject } from "../cli/approval-object.ts";
import type { ThreadObject } from "../cli/thread-object.ts";
import type { SessionStats } from "../session/history.ts";
import type { AgentMessage } from "../session/message.ts";
import type { PromptOptions } from "../session/session.ts";
import type { SessionEvent } from "../session/session-event.ts";
import type { CommandName } from "./commands.ts";
import { LineReader } from "./lines.ts";

export interface RpcClientOptions {
  /** Folder of the project. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More words for `selvage rpc`, such as `--session ID`. */
  readonly args?: readonly string[];
  /** The command line to start. */
  readonly cliPath?: string;
  /** Instead of a process: what is written to the server, and what is read from it. */
  readonly streams?: { readonly input: Writable; readonly output: Readable };
}

/** What the session says of itself. */
export interface RpcSessionState {
  readonly isStreaming: boolean;
  readonly isRetrying: boolean;
  readonly isCompacting: boolean;
  readonly autoRetryEnabled: boolean;
  readonly sessionId: string | null;
  readonly threadId: string | null;
  readonly messageCount: number;
  readonly pendingMessageCount: number;
  readonly model: { readonly id: string; readonly provider: string } | null;
}

/** A question that is put as a dialog. */
export interface DialogRequest {
  readonly type: "extension_ui_request";
  readonly id: string;
  readonly method: "confirm";
  readonly title: string;
  readonly message: string;
  readonly thread_id: string;
}

/** An event of a subscription; without a cursor, one that is not stored. */
export interface JournalEvent {
  readonly type: "journal_event";
  readonly subscription: string;
  readonly cursor: number | null;
  readonly event: { readonly type: string; readonly thread_id: string };
}

export type RpcEvent = SessionEvent | DialogRequest | JournalEvent;

/** The server said no: `code` is one of docs/errors.md. */
export class RpcError extends Error {
  readonly code: string;
  readonly command: string;
  /** Come again after this. */
  readonly retryAfterMs: number | undefined;

  constructor(command: string, answer: { error?: string; code?: string; retry_after_ms?: number }) {
    super(answer.error ?? "The server gave no reason.");
    this.name = "RpcError";
    this.command = command;
    this.code = answer.code ?? "E_UNKNOWN";
    this.retryAfterMs = answer.retry_after_ms;
  }
}

interface Heard {
  readonly type: string;
  readonly id?: string;
  readonly success?: boolean;
  readonly data?: unknown;
  readonly error?: string;
  readonly code?: string;
  readonly retry_after_ms?: number;
}

interface Pending {
  readonly command: string;
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
}

const MOST_STDERR = 64 * 1024;
const STOP_MS = 10_000;

export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #listeners = new Set<(event: RpcEvent) => void>();
  readonly #pending = new Map<string, Pending>();
  /** Whoever waits for an event is told when none comes any more. */
  readonly #farewells = new Set<(error: Error) => void>();
  #process: ChildProcess | undefined;
  #input: Writable | undefined;
  #count = 0;
  #stderr = "";
  #gone: Error | undefined;

  constructor(options: RpcClientOptions = {}) {
    this.#options = options;
  }

  /** Starts the process, or takes the streams; resolves once the server has answered. */
  async start(): Promise<void> {
    if (this.#input) return;
    const { streams } = this.#options;
    if (streams) this.#listen(streams.input, streams.output);
    else this.#spawn();
    await this.request("hello");
  }

  /** Ends the connection; the exit code of the process, if there is one. Threads lose nothing. */
  async stop(): Promise<number | null> {
    const child = this.#process;
    this.#input?.end();
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const late = setTimeout(() => child.kill("SIGTERM"), STOP_MS);
    const exit = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    clearTimeout(late);
    return exit;
  }

  /** Of the process that was started. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** What the process said beside the protocol. */
  get stderr(): string {
    return this.#stderr;
  }

  onEvent(listener: (event: RpcEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Any command, with its fields. Rejects with an `RpcError` when the server says no. */
  request<T = unknown>(type: CommandName, fields: object = {}): Promise<T> {
    if (this.#gone) return Promise.reject(this.#gone);
    const input = this.#input;
    if (!input) return Promise.reject(new Error("start() was not called."));
    this.#count += 1;
    const id = `c${this.#count}`;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { command: type, resolve: resolve as (data: unknown) => void, reject });
      input.write(`${JSON.stringify({ ...fields, id, type })}\n`);
    });
  }

  /** Resolves when it is stored; `waitForIdle` when nothing more comes of it. */
  async prompt(message: string, options: PromptOptions = {}): Promise<void> {
    await this.request("prompt", { message, ...options });
  }

  /** All that happens until it has settled. */
  async promptAndWait(message: string, timeoutMs?: number): Promise<RpcEvent[]> {
    const events: RpcEvent[] = [];
    const stop = this.onEvent((event) => events.push(event));
    try {
      const idle = this.waitForIdle(timeoutMs);
      await Promise.race([this.prompt(message), idle]);
      await idle;
      return events;
    } finally {
      stop();
    }
  }

  async steer(message: string): Promise<void> {
    await this.request("steer", { message });
  }

  async followUp(message: string): Promise<void> {
    await this.request("follow_up", { message });
  }

  async abort(): Promise<void> {
    await this.request("abort");
  }

  async abortRetry(): Promise<void> {
    await this.request("abort_retry");
  }

  async setAutoRetry(enabled: boolean): Promise<void> {
    await this.request("set_auto_retry", { enabled });
  }

  getState(): Promise<RpcSessionState> {
    return this.request("get_state");
  }

  async getMessages(): Promise<readonly AgentMessage[]> {
    return (await this.request<{ messages: AgentMessage[] }>("get_messages")).messages;
  }

  async getLastAssistantText(): Promise<string | null> {
    return (await this.request<{ text: string | null }>("get_last_assistant_text")).text;
  }

  getSessionStats(): Promise<SessionStats> {
    return this.request("get_session_stats");
  }

  async setModel(provider: string, modelId: string): Promise<void> {
    await this.request("set_model", { provider, modelId });
  }

  async compact(customInstructions?: string): Promise<void> {
    await this.request("compact", customInstructions === undefined ? {} : { customInstructions });
  }

  async newSession(): Promise<void> {
    await this.request("new_session");
  }

  /** By any thread of the chain. */
  async switchSession(thread: string): Promise<void> {
    await this.request("switch_session", { sessionPath: thread });
  }

  getThread(threadId: string): Promise<ThreadObject> {
    return this.request("get_thread", { thread_id: threadId });
  }

  async listApprovals(): Promise<readonly ApprovalObject[]> {
    return (await this.request<{ approvals: ApprovalObject[] }>("list_approvals")).approvals;
  }

  /** Answers a dialog; nothing is said back unless it does not count. */
  respond(dialogId: string, answer: { readonly confirmed: boolean } | { readonly cancelled: true }): void {
    this.#input?.write(`${JSON.stringify({ type: "extension_ui_response", id: dialogId, ...answer })}\n`);
  }

  async subscribe(ask: { from?: number; threads?: string[]; types?: string[] } = {}): Promise<string> {
    return (await this.request<{ subscription: string }>("subscribe", ask)).subscription;
  }

  /** When nothing more comes by itself. */
  waitForIdle(timeoutMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer);
        stop();
        act();
      };
      const late = () => end(() => reject(new Error(`Nothing settled within ${timeoutMs} ms.`)));
      const timer = setTimeout(late, timeoutMs);
      const stop = this.onEvent(({ type }) => {
        if (type === "agent_settled") end(resolve);
      });
      if (this.#gone) end(() => reject(this.#gone));
      else this.#farewells.add((error) => end(() => reject(error)));
    });
  }

  #spawn(): void {
    const { cwd, env, args = [], cliPath } = this.#options;
    if (cliPath === undefined) throw new Error("There is no command line to start: cliPath is not given.");
    const child = spawn(process.execPath, [cliPath, "rpc", ...args], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MOST_STDERR);
    });
    child.once("exit", (code, signal) => this.#end(`The process ended (${signal ?? code}).`));
    child.once("error", (error) => this.#end(error.message));
    this.#listen(child.stdin, child.stdout);
  }

  #listen(input: Writable, output: Readable): void {
    this.#input = input;
    const lines = new LineReader(Number.POSITIVE_INFINITY);
    // Whoever ends first is told of by the end of the other stream.
    input.on("error", () => {});
    output.on("data", (piece: Buffer) => {
      for (const line of lines.read(piece)) if ("text" in line && line.text !== "") this.#hear(line.text);
    });
    output.once("close", () => this.#end("The connection ended."));
  }

  #hear(text: string): void {
    const value = JSON.parse(text) as Heard;
    if (value.type !== "response") {
      for (const listener of this.#listeners) listener(value as unknown as RpcEvent);
      return;
    }
    const pending = this.#pending.get(value.id ?? "");
    if (!pending) return;
    this.#pending.delete(value.id ?? "");
    if (value.success) pending.resolve(value.data);
    else pending.reject(new RpcError(pending.command, value));
  }

  #end(why: string): void {
    this.#gone ??= new Error([why, this.#stderr.trim()].filter(Boolean).join(" "));
    for (const { reject } of this.#pending.values()) reject(this.#gone);
    this.#pending.clear();
    for (const tell of this.#farewells) tell(this.#gone);
    this.#farewells.clear();
  }
}
