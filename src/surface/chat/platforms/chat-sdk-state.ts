/**
 * What the Chat SDK wants to remember, as far as we let it. What counts is in our journal:
 *   - A message that was seen is not skipped when it comes again: the first time may have failed before it was stored.
 *   - Every chat counts as one that we listen to: which ones we answer in is decided by who knows them.
 * The rest are the adapters' own small caches, which may be lost at any time.
 */
import type { Lock, QueueEntry, StateAdapter } from "chat";
import type { Clock } from "../../../core/world.ts";

const MOST_KEPT = 10_000;
const SEEN = "dedupe:";

interface Kept {
  readonly value: unknown;
  readonly until: number;
}

export class ChatSdkState implements StateAdapter {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}
  async subscribe(): Promise<void> {}
  async unsubscribe(): Promise<void> {}

  async isSubscribed(): Promise<boolean> {
    return true;
  }

  async get<T>(key: string): Promise<T | null> {
    return (this.#read(key) ?? null) as T | null;
  }

  async set(key: string, value: unknown, ttlMs?: number): Promise<void> {
    this.#write(key, value, ttlMs);
  }

  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    if (key.startsWith(SEEN)) return true;
    if (this.#read(key) !== undefined) return false;
    this.#write(key, value, ttlMs);
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#kept.delete(key);
  }

  async appendToList(
    key: string,
    value: unknown,
    options: { readonly maxLength?: number; readonly ttlMs?: number } = {},
  ): Promise<void> {
    const list = [...(await this.getList(key)), value];
    this.#write(key, options.maxLength === undefined ? list : list.slice(-options.maxLength), options.ttlMs);
  }

  async getList<T>(key: string): Promise<T[]> {
    return (this.#read(key) ?? []) as T[];
  }

  // Locks and queues are for those who let handlers wait for each other. Ours do not; adapters may.

  async acquireLock(threadId: string, ttlMs: number): Promise<Lock | null> {
    this.#count += 1;
    const lock: Lock = { threadId, token: `${this.#count}`, expiresAt: this.#clock.now() + ttlMs };
    return (await this.setIfNotExists(lockKey(threadId), lock, ttlMs)) ? lock : null;
  }

  async extendLock(lock: Lock, ttlMs: number): Promise<boolean> {
    if (!this.#isHeld(lock)) return false;
    this.#write(lockKey(lock.threadId), lock, ttlMs);
    return true;
  }

  async releaseLock(lock: Lock): Promise<void> {
    if (this.#isHeld(lock)) this.#kept.delete(lockKey(lock.threadId));
  }

  async forceReleaseLock(threadId: string): Promise<void> {
    this.#kept.delete(lockKey(threadId));
  }

  async enqueue(threadId: string, entry: QueueEntry, maxSize: number): Promise<number> {
    await this.appendToList(queueKey(threadId), entry, { maxLength: maxSize });
    return this.queueDepth(threadId);
  }

  async dequeue(threadId: string): Promise<QueueEntry | null> {
    const [first, ...rest] = await this.getList<QueueEntry>(queueKey(threadId));
    if (first) this.#write(queueKey(threadId), rest);
    return first ?? null;
  }

  async queueDepth(threadId: string): Promise<number> {
    return (await this.getList(queueKey(threadId))).length;
  }

  #isHeld(lock: Lock): boolean {
    return (this.#read(lockKey(lock.threadId)) as Lock | undefined)?.token === lock.token;
  }

  #read(key: string): unknown {
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.#clock.monotonic()) return kept.value;
    this.#kept.delete(key);
    return undefined;
  }

  #write(key: string, value: unknown, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: this.#clock.monotonic() + ttlMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function lockKey(threadId: string): string {
  return `lock:${threadId}`;
}

function queueKey(threadId: string): string {
  return `queue:${threadId}`;
}
