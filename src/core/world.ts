/** The ports: everything outside that the runtime touches. `main.ts` builds the real ones, `testing/` the others. */
import type { OwnerState } from "./claim.ts";
import type { Event, LiveEvent } from "./event.ts";
import type { Model } from "./model.ts";
import type { Damage } from "./row.ts";
import type { Settings } from "./settings.ts";
import type { Store } from "./store.ts";
import type { Thread } from "./thread.ts";
import type { Tool } from "./tool.ts";

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
  /** Compares the transcript with the store and mends it; ahead of the store it proves loss. */
  reconcile(threadId: string, events: readonly Event[]): Damage | undefined;
}

export interface Inbox {
  /** Cancel files that wait for these threads, claimed by rename. */
  take(threadIds: readonly string[]): readonly InboxFile[];
  /** The request is stored: the file may go, or is kept under another name when it was not meant for this run. */
  done(file: InboxFile, fate: "removed" | "archived"): void;
  /** Calls back soon after a file arrives for a watched thread. */
  watch(threadId: string, onArrival: () => void): () => void;
}

export interface InboxFile {
  readonly threadId: string;
  readonly path: string;
  readonly requestId: string;
  readonly nonce: string;
  readonly reason: string;
}

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
  | { readonly type: "settings_ignored"; readonly message: string }
  | { readonly type: "tool_ignored"; readonly message: string }
  | { readonly type: "fenced"; readonly threadId: string };

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
  /** Awaited before threads are looked at: the tools of a project take a moment to be known. Asking twice is free. */
  readonly ready?: () => Promise<void>;
  readonly settings: Settings;
  readonly notify: (notice: Notice) => void;
}
