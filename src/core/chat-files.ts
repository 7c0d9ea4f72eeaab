/**
 * Messages with files, between the platform and the thread.
 *   H1. A message is held, durably, before the platform is told that it was received; its files are read after that, for a
 *       platform does not wait for as long as they take.
 *   H2. It is handed to its thread when they are here, or are known not to come. Until then a crash loses no word of it.
 *   H3. A file that is not whole is seen by nobody.
 */
import type { ChatPlace } from "./chat-platform.ts";

export interface HeldMessage {
  /** Safe as the name of a file. */
  readonly key: string;
  /** The process that reads its files. */
  readonly owner: string;
  readonly place: ChatPlace;
  readonly messageId: string;
  readonly personId: string;
  readonly by: string;
  readonly text: string;
  readonly steers: boolean;
  readonly at: number;
  /** Of several at one moment, which came first. */
  readonly n: number;
  /** Those that are to be read, by the names that they are kept under. */
  readonly files: readonly { readonly name: string; readonly said: string; readonly type: string }[];
  /** What is not read, in words for who sent it. */
  readonly refused: readonly string[];
  /** The thread that has its files already. */
  readonly handedTo?: string | undefined;
}

export interface KeptFile {
  readonly name: string;
  readonly bytes: number;
}

export interface ChatFiles {
  /** Durable when it returns. */
  hold(message: HeldMessage): void;
  /** The oldest first. */
  held(): readonly HeldMessage[];
  /** A whole file of a message that is held. */
  keep(key: string, name: string, bytes: Uint8Array): Promise<void>;
  /** They are with this thread from here on, and go with it; `folder` is told from the project's root. */
  hand(key: string, threadId: string): { readonly folder: string; readonly files: readonly KeptFile[] };
  /** Undefined: it is no text, or not there any more. */
  text(folder: string, name: string): string | undefined;
  /** What a call of a thread hands over; undefined: it is not there any more. */
  outgoing(threadId: string, callId: string): Promise<Uint8Array | undefined>;
  /** The message is with its thread. */
  drop(key: string): void;
}
