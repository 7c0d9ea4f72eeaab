/** Questions that a program answers. One that it leaves, or fails at, stays open for a person. */
import type { ApprovalRow } from "../../core/approval.ts";
import type { Event } from "../../core/event.ts";
import { messageOf } from "../../core/input.ts";
import { type Limits, limitKeyOf, parseLimits } from "../../core/limit.ts";
import { Problem } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { type ApprovalObject, approvalObject } from "../cli/approval-object.ts";
import { person } from "../cli/person.ts";

export interface YesOptions {
  /** Other limits than the one that was proposed. */
  readonly limits?: Limits;
  readonly message?: string;
}

/** A question as it was asked. Resolves to whether the answer was the first. */
export interface Question extends ApprovalObject {
  approve(options?: YesOptions): Promise<boolean>;
  deny(message?: string): Promise<boolean>;
  /** A person will decide. */
  leave(): void;
}

export type Answerer = (question: Question) => unknown;

export class Approvals {
  readonly #world: World;
  readonly #answerers = new Set<Answerer>();
  readonly #seen = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(world: World) {
    this.#world = world;
  }

  hear(event: Event): void {
    if (event.type !== "approval_requested" || this.#answerers.size === 0) return;
    this.#begin(this.#ask(event.approval_id));
  }

  /** Also those that are open already. */
  add(answerer: Answerer): () => void {
    this.#answerers.add(answerer);
    this.#begin(this.#askAll());
    return () => void this.#answerers.delete(answerer);
  }

  /** Once every answerer that was asked has spoken. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #begin(asking: Promise<void>): void {
    const done = asking.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #askAll(): Promise<void> {
    for (const { approval } of await this.#world.store.approvals({ states: ["open"] }))
      await this.#ask(approval.approval_id);
  }

  /** Each one is put once, whoever asks first. */
  async #ask(approvalId: string): Promise<void> {
    const { store, clock, notify } = this.#world;
    const [row] = await store.approvals({ approvalId });
    if (row?.state !== "open" || row.decision || this.#seen.has(approvalId)) return;
    this.#seen.add(approvalId);
    const [thread] = await store.find({ threadId: row.thread_id, limit: 1 });
    const question = {
      ...approvalObject(row, thread, clock.now()),
      approve: (options: YesOptions = {}) => this.#decide(row, true, options),
      deny: (message?: string) => this.#decide(row, false, message === undefined ? {} : { message }),
      leave: () => {},
    };
    for (const answerer of this.#answerers) {
      try {
        await answerer(question);
      } catch (error) {
        const message = `The program failed at ${approvalId}, so it stays open: ${messageOf(error)}`;
        notify({ type: "answer_refused", threadId: row.thread_id, message });
      }
    }
  }

  async #decide(row: ApprovalRow, approved: boolean, { limits, message }: YesOptions): Promise<boolean> {
    const { approval_id, limit_code, proposed_max } = row.approval;
    const proposed =
      limit_code === undefined || proposed_max === undefined
        ? undefined
        : { [limitKeyOf(limit_code)]: proposed_max };
    const posted = await postRequest(this.#world, {
      kind: "decide",
      request_id: newRequestId(this.#world),
      thread_id: row.thread_id,
      by: person(),
      ...{ approval_id, approved, via: "sdk", message, resume: true },
      limits: approved ? (checked(limits) ?? proposed) : undefined,
    });
    return posted.accepted;
  }
}

function checked(limits: Limits | undefined): Limits | undefined {
  if (limits === undefined) return undefined;
  const parsed = parseLimits(limits);
  if ("limits" in parsed) return parsed.limits;
  throw new Problem("E_USAGE", { what: "These limits cannot be used.", why: `${parsed.problem}.` });
}
