/** Questions of the session's tree, put to the other side as a dialog. What it leaves open waits for a person. */
import type { Event } from "../../core/event.ts";
import type { World } from "../../core/world.ts";
import { requirePerson } from "../cli/operator.ts";
import { decideQuestion } from "../sdk/approvals.ts";
import type { Feed } from "../sdk/feed.ts";
import type { Outlet } from "./outlet.ts";

export interface DialogAnswer {
  readonly id: string;
  readonly confirmed?: boolean | undefined;
  readonly cancelled?: boolean | undefined;
}

export class Questions {
  readonly #world: World;
  readonly #outlet: Outlet;
  readonly #stop: () => void;
  readonly #put = new Set<string>();
  #rootId: string | undefined;

  constructor(world: World, feed: Feed, outlet: Outlet) {
    this.#world = world;
    this.#outlet = outlet;
    this.#stop = feed.listen({ event: (event) => this.#hear(event), over: () => {} }, "all");
  }

  /** The tree whose questions are put; also those that are open already. */
  async watch(rootId: string | undefined): Promise<void> {
    if (this.#rootId === rootId) return;
    this.#rootId = rootId;
    if (rootId === undefined) return;
    for (const { approval } of await this.#world.store.approvals({ states: ["open"] }))
      await this.#ask(approval.approval_id);
  }

  /** Why it does not count; undefined when it does. A dialog that is closed leaves the question open. */
  async answer({ id, confirmed, cancelled }: DialogAnswer): Promise<string | undefined> {
    if (!this.#put.has(id)) return `There is no open dialog "${id.slice(0, 100)}".`;
    if (cancelled) return undefined;
    if (confirmed === undefined) return "A confirm dialog is answered with confirmed, or cancelled.";
    requirePerson("rpc");
    const [row] = await this.#world.store.approvals({ approvalId: id });
    if (!row) return "The question is gone.";
    const posted = await decideQuestion(this.#world, row, { approved: confirmed, via: "rpc" });
    this.#put.delete(id);
    return posted.accepted ? undefined : `The answer came too late: ${posted.why}.`;
  }

  close(): void {
    this.#stop();
  }

  #hear(event: Event): void {
    if (event.type === "approval_requested" && this.#rootId !== undefined)
      this.#ask(event.approval_id).catch(() => {});
  }

  /** Each once. */
  async #ask(approvalId: string): Promise<void> {
    const { store } = this.#world;
    const [row] = await store.approvals({ approvalId });
    if (row?.state !== "open" || row.decision || this.#put.has(approvalId)) return;
    const [thread] = await store.find({ threadId: row.thread_id, limit: 1 });
    if (thread?.root_id !== this.#rootId) return;
    this.#put.add(approvalId);
    const { reason, prompt } = row.approval;
    const title = `${row.thread_id} asks (${reason})`;
    this.#outlet.send({
      ...{ type: "extension_ui_request", id: approvalId, method: "confirm", title, message: prompt },
      thread_id: row.thread_id,
    });
  }
}
