/** The ports: everything outside that the runtime touches. `main.ts` builds the real ones, `testing/` the others. */
import type { OwnerState } from "./claim.ts";
import type { Event, LiveEvent, NewEvent } from "./event.ts";
import type { Facts, Hook, HookResult, LocalHook } from "./hook.ts";
import type { CallId } from "./id.ts";
import type { Items } from "./items.ts";
import type { Limits } from "./limit.ts";
import type { Model } from "./model.ts";
import type { Processes } from "./processes.ts";
import type { Damage } from "./row.ts";
import type { RuleSet } from "./rule.ts";
import type { Settings } from "./settings.ts";
import type { Prepared } from "./spawn.ts";
import type { Store } from "./store.ts";
import type { Thread } from "./thread.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

export interface Clock {
  /** Wall time in ms since 1970: for display and for due times, never for ownership. */
  now(): number;
  /** Time that never jumps, in ms. */
  monotonic(): number;
  /** Ends early when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Files beside the store, for people and other programs; never believed over it (F3). */
export interface Exports {
  append(events: readonly Event[]): void;
  remake(thread: Thread): void;
  /** A line could not be appended: it is missing until the thread is read and its transcript mended. */
  isBehind(threadId: string): boolean;
  /** Compares the transcript with the store and mends it; ahead of the store it proves loss. */
  reconcile(threadId: string, events: readonly Event[]): Damage | undefined;
}

export interface Inbox {
  /** Files that wait for these threads, claimed by rename. */
  take(threadIds: readonly string[]): readonly InboxFile[];
  /** The request is stored: the file may go, or is kept under another name when it was not accepted. */
  done(file: InboxFile, fate: "removed" | "archived"): void;
  /** Calls back soon after a file arrives for a watched thread. */
  watch(threadId: string, onArrival: () => void): () => void;
}

interface ClaimedFile {
  readonly threadId: string;
  readonly path: string;
  readonly requestId: string;
}

/** `cancel.requested`, or the answer to a question. `problem`: it does not parse, or nobody who may answer wrote it. */
export type InboxFile = ClaimedFile &
  (
    | { readonly type: "cancel"; readonly nonce: string; readonly reason: string }
    | {
        readonly type: "answer";
        readonly approvalId: string;
        readonly approved: boolean;
        readonly message?: string | undefined;
        readonly limits?: Limits | undefined;
        readonly problem?: string | undefined;
      }
  );

export interface Bell {
  readonly socket: string | null;
  onRing(listener: () => void): void;
  close(): Promise<void>;
}

/** This machine: who we are, who lives, how to be woken. */
export interface Machine {
  readonly owner: string;
  /** Leases that this process walks now, as `thread epoch`: a lease in our name that is not here has no walker. */
  readonly walking: Set<string>;
  ownerState(owner: string): OwnerState;
  listen(): Promise<Bell>;
  ring(socket: string): void;
}

/** Something a surface may want to say: never needed for correctness. */
export type Notice =
  | { readonly type: "event"; readonly event: Event }
  | { readonly type: "live"; readonly event: LiveEvent }
  | { readonly type: "storage"; readonly threadId: string; readonly message: string }
  | { readonly type: "damaged"; readonly threadId: string; readonly damage: Damage }
  | { readonly type: "watching"; readonly scope: string; readonly owner: string; readonly ms: number }
  | { readonly type: "export_failed"; readonly message: string }
  | { readonly type: "spans_failed"; readonly message: string }
  | { readonly type: "settings_ignored"; readonly message: string }
  | { readonly type: "tool_ignored"; readonly message: string }
  /** The store has an older layout and is written anew: it takes a while, once. */
  | { readonly type: "rewriting"; readonly bytes: number }
  | { readonly type: "sandbox"; readonly state: "on" | "off" | "missing"; readonly message: string }
  | { readonly type: "fenced"; readonly threadId: string }
  | { readonly type: "walk_failed"; readonly threadId: string; readonly message: string }
  | { readonly type: "process_reaped"; readonly threadId: string; readonly handle: string }
  | { readonly type: "held"; readonly threadId: string; readonly model: string; readonly ms: number }
  | { readonly type: "answer_refused"; readonly threadId: string; readonly message: string };

/** Facts of a call that is under way: written at once, or with its result. */
export interface Notes {
  now(event: NewEvent): Promise<void>;
  withResult(event: NewEvent): void;
}

export interface World {
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly sha256: (text: string) => string;
  readonly store: Store;
  readonly exports: Exports;
  readonly inbox: Inbox;
  readonly machine: Machine;
  /** Undefined: no such model. */
  readonly model: (name: string) => Model | undefined;
  readonly tool: (name: string) => Tool | undefined;
  /** What models may search and load; without it there is nothing. */
  readonly items?: Items;
  /** In place of every tool and of what is asked of other threads: what a call came to, where that is known (X5). */
  readonly answered?: (callId: CallId, notes: Notes) => Promise<ToolOutcome>;
  /** Processes that outlive their calls; without it there are none. */
  readonly processes?: Processes;
  /** A directive of the project, ready to be started as a child. Throws a Problem when it cannot be. */
  readonly prepare?: (ask: {
    readonly directive: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly model?: string | undefined;
    /** More than it need take: given where it declares an input of that name. */
    readonly offers?: Readonly<Record<string, unknown>>;
  }) => Promise<Prepared>;
  /** The system prompt of a thread, as its directive and its project would make it now; undefined: that cannot be told. */
  readonly systemNow?: (
    thread: { readonly directive: string; readonly model: string },
    messageId: string,
  ) => string | undefined;
  /** Awaited before threads are looked at: the tools of a project take a moment to be known. Asking twice is free. */
  readonly ready?: () => Promise<void>;
  readonly settings: Settings;
  /** How failures are classified; the built-in rules when there are no others. */
  readonly rules?: RuleSet;
  /** Hooks for threads of a directive. Throws a Problem when they cannot be told: a guard may be among them. */
  readonly hooks?: (directive: string) => Promise<readonly Hook[]>;
  /** Runs one hook that is asked on the spot within its own time limit; `key` is the same when it is run again after a crash. Never throws. */
  readonly runHook?: (
    hook: LocalHook,
    facts: Facts,
    at: { readonly key: string; readonly signal: AbortSignal; readonly network: boolean },
  ) => Promise<HookResult | { readonly problem: string }>;
  /** A JSON value without secrets (K5); the same one when there are none in it. What is stored and shown goes through it. */
  readonly redact?: <T>(value: T) => T;
  readonly notify: (notice: Notice) => void;
}
