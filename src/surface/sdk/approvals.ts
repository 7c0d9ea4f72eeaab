/** Questions that a program answers. One that it leaves, or fails at, stays open for a person. */
import type { ApprovalRow } from "../../core/approval.ts";
import { messageOf } from "../../core/input.ts";
import { type Limits, limitKeyOf, parseLimits } from "../../core/limit.ts";
import { Problem } from "../../core/problem.ts";
import type { Posted } from "../../core/store.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { type ApprovalObject, approvalObject } from "../cli/approval-object.ts";
import { requirePerson } from "../cli/operator.ts";
import { person } from "../cli/person.ts";
import type { Feed } from "./feed.ts";

export interface YesOptions {
  /** Other limits than the one that was proposed. */
  readonly limits?: Limits | undefined;
  readonly message?: string | undefined;
}

/** A question as it was asked. Resolves to whether the answer was the first. */
export interface Question extends ApprovalObject {
  approve(options?: YesOptions): Promise<boolean>;
  deny(message?: string): Promise<boolean>;
  /** A person will decide. */
  leave(): void;
}

export type Answerer = (question: Question) => unknown;

interface Needs {
  readonly world: World;
  readonly feed: Feed;
  readonly requireOpen: () => void;
}

export class Approvals {
  readonly #needs: Needs;
  /** With the questions that were put to each: none is put to it twice. */
  readonly #answerers = new Map<Answerer, Set<string>>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #listing = new Set<Promise<void>>();
  #stop: (() => void) | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Also asked about those that are open already. */
  add(answerer: Answerer): () => void {
    const seen = new Set<string>();
    // The same function twice is two answerers.
    const own: Answerer = (question) => answerer(question);
    this.#answerers.set(own, seen);
    this.#stop ??= this.#needs.feed.listen(
      {
        event: (event) => {
          if (event.type === "approval_requested") this.#begin(event.approval_id);
        },
        over: () => this.#answerers.clear(),
      },
      "all",
    );
    const listing = this.#list().finally(() => this.#listing.delete(listing));
    this.#listing.add(listing);
    return () => {
      this.#answerers.delete(own);
      if (this.#answerers.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  /** Whether somebody was asked and has not spoken yet. Others who do not answer hold nobody up. */
  async isAsking(approvalId: string | null): Promise<boolean> {
    await Promise.all(this.#listing);
    return approvalId !== null && this.#asking.has(approvalId);
  }

  async #list(): Promise<void> {
    const { world, feed } = this.#needs;
    try {
      await feed.ready();
      const open = await world.store.approvals({ states: ["open"] });
      for (const { approval, decision } of open) if (!decision) this.#begin(approval.approval_id);
    } catch (error) {
      // Whoever waits for the threads is told of a store that cannot be read.
      const message = `Open questions could not be listed: ${messageOf(error)}`;
      world.notify({ type: "answer_refused", threadId: "", message });
    }
  }

  #begin(approvalId: string): void {
    const before = this.#asking.get(approvalId) ?? Promise.resolve();
    const asking = before.then(async () => {
      const threadId = await this.#ask(approvalId).catch((error) =>
        this.#complain("", `${approvalId} could not be put: ${messageOf(error)}`),
      );
      if (this.#asking.get(approvalId) === asking) this.#asking.delete(approvalId);
      if (threadId !== undefined) this.#needs.feed.stir(threadId);
    });
    this.#asking.set(approvalId, asking);
  }

  /** One after the other, until one of them has answered. Whose question it was, if anybody was asked. */
  async #ask(approvalId: string): Promise<string | undefined> {
    const { store, clock } = this.#needs.world;
    const waiting = [...this.#answerers].filter(([, seen]) => !seen.has(approvalId));
    if (waiting.length === 0) return undefined;
    const [row] = await store.approvals({ approvalId });
    if (row?.state !== "open" || row.decision) return undefined;
    const [thread] = await store.find({ threadId: row.thread_id, limit: 1 });
    let isAnswered = false;
    const answer = async (approved: boolean, options: YesOptions) => {
      const isFirst = await this.#decide(row, approved, options);
      isAnswered = true;
      return isFirst;
    };
    const question = {
      ...approvalObject(row, thread, clock.now()),
      approve: (options: YesOptions = {}) => answer(true, options),
      deny: (message?: string) => answer(false, { message }),
      leave: () => {},
    };
    for (const [answerer, seen] of waiting) {
      if (isAnswered) break;
      seen.add(approvalId);
      try {
        await answerer(question);
      } catch (error) {
        // Whoever closes the project in the middle of a question knows that it stays open.
        if (!(error instanceof Problem && error.code === "E_CLOSED"))
          this.#complain(
            row.thread_id,
            `The program failed at ${approvalId}, so it stays open: ${messageOf(error)}`,
          );
      }
    }
    return row.thread_id;
  }

  #complain(threadId: string, message: string): undefined {
    this.#needs.world.notify({ type: "answer_refused", threadId, message });
  }

  async #decide(row: ApprovalRow, approved: boolean, { limits, message }: YesOptions): Promise<boolean> {
    const { world, requireOpen } = this.#needs;
    requireOpen();
    requirePerson(approved ? "approve" : "deny");
    return (await decideQuestion(world, row, { approved, via: "sdk", limits, message })).accepted;
  }
}

/** The one answer to a question, with what was proposed where it says nothing else. */
export function decideQuestion(
  world: World,
  row: ApprovalRow,
  { approved, via, limits, message }: YesOptions & { readonly approved: boolean; readonly via: string },
): Promise<Posted> {
  const { approval_id, limit_code, proposed_max } = row.approval;
  const proposed =
    limit_code === undefined || proposed_max === undefined
      ? undefined
      : { [limitKeyOf(limit_code)]: proposed_max };
  return postRequest(world, {
    kind: "decide",
    request_id: newRequestId(world),
    thread_id: row.thread_id,
    by: person(),
    ...{ approval_id, approved, via, message, resume: true },
    limits: approved ? (checked(limits) ?? proposed) : undefined,
  });
}

function checked(limits: Limits | undefined): Limits | undefined {
  if (limits === undefined) return undefined;
  const parsed = parseLimits(limits);
  if ("limits" in parsed) return parsed.limits;
  throw new Problem("E_USAGE", { what: "These limits cannot be used.", why: `${parsed.problem}.` });
}
