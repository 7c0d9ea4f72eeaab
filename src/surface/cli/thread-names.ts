/** Names in front of log lines, once lines of several threads mix: indented as the tree is, and in one column. */
import type { Event } from "../../core/event.ts";
import { shortId } from "./short-id.ts";

const WIDEST = 32;

export class ThreadNames {
  readonly #depths = new Map<string, number>();
  #width = 0;

  constructor(threadIds: readonly string[] = []) {
    for (const id of threadIds) this.add(id, null);
  }

  add(threadId: string, parentId: string | null): void {
    const above = parentId === null ? undefined : this.#depths.get(parentId);
    this.#depths.set(threadId, above === undefined ? 0 : above + 1);
    this.#width = Math.min(WIDEST, Math.max(this.#width, this.#name(threadId).length));
  }

  /** Children are known from the moment their parent starts them. */
  note(event: Event): void {
    if (!this.#depths.has(event.thread_id)) this.add(event.thread_id, null);
    if (event.type === "child_thread_started") this.add(event.child_id, event.thread_id);
    // The same chain, one thread further: nobody new has to be told apart.
    if (event.type === "thread_continued") this.#goOn(event.thread_id, event.to);
  }

  /** Undefined as long as there is one thread only: nothing has to be told apart. */
  of(threadId: string): string | undefined {
    return this.#depths.size > 1 ? this.#name(threadId).padEnd(this.#width) : undefined;
  }

  #goOn(from: string, to: string): void {
    const depth = this.#depths.get(from) ?? 0;
    this.#depths.delete(from);
    this.#depths.set(to, depth);
  }

  #name(threadId: string): string {
    return `${"  ".repeat(Math.min(this.#depths.get(threadId) ?? 0, 6))}${shortId(threadId)}`;
  }
}
