/** Commands about the connection itself, about what it is told of, and about questions. */
import { closest } from "../../core/closest.ts";
import { EVENTS } from "../../core/event.ts";
import { Problem } from "../../core/problem.ts";
import { approvalObject } from "../cli/approval-object.ts";
import { resolveApproval } from "../cli/approval-resolve.ts";
import { alreadyDecided } from "../cli/given-answer.ts";
import { requirePerson } from "../cli/operator.ts";
import { resolveThread } from "../cli/resolve.ts";
import { decideQuestion } from "../sdk/approvals.ts";
import { limitsOf } from "../sdk/start.ts";
import { type Ask, COMMAND_NAMES } from "./commands.ts";
import type { Desk, Handlers } from "./desk.ts";

type About =
  | "hello"
  | "ping"
  | "shutdown"
  | "subscribe"
  | "unsubscribe"
  | "list_approvals"
  | "decide_approval";

/** Of the protocol; a number rises when something that was there is not any more. */
const PROTOCOL = 1;

export const HOUSE_HANDLERS: Handlers<About> = {
  hello: (_, { needs, session, world }) => ({
    ...{ name: "selvage", version: needs.version, protocol: PROTOCOL },
    ...{ project: needs.runtime.root, store_id: world.store.storeId, pid: process.pid },
    ...{ thread_id: session.threadId ?? null, commands: COMMAND_NAMES },
  }),
  ping: (_, { world }) => ({ pong: true, now: new Date(world.clock.now()).toISOString() }),
  // The server answers, and then goes.
  shutdown: () => undefined,
  subscribe,
  unsubscribe: ({ subscription }, { subscriptions }) => {
    if (subscriptions.remove(subscription)) return;
    throw new Problem("E_USAGE", {
      what: `There is no subscription "${subscription.slice(0, 40)}".`,
      why: "It was ended before, or never begun.",
    });
  },
  list_approvals: async ({ states = ["open"] }, { world }) => {
    const { store, clock } = world;
    const approvals = await store.approvals({ states });
    const shown = approvals.map(async (row) => {
      const [thread] = await store.find({ threadId: row.thread_id, limit: 1 });
      return approvalObject(row, thread, clock.now());
    });
    return { approvals: await Promise.all(shown) };
  },
  decide_approval: decide,
};

async function subscribe({ from, threads, types }: Ask<"subscribe">, { subscriptions, world }: Desk) {
  const known = Object.keys(EVENTS);
  const strange = types?.find((type) => !known.includes(type));
  if (strange !== undefined) {
    const [near] = closest(strange.slice(0, 60), known);
    throw new Problem("E_USAGE", {
      what: `"${strange.slice(0, 60)}" is no type of event.`,
      why: near ? `Did you mean ${near}?` : "docs/events.md lists them.",
    });
  }
  const ids = threads && (await Promise.all(threads.map((id) => resolveThread(world.store, id))));
  const added = await subscriptions.add({ from, types, threads: ids?.map(({ thread_id }) => thread_id) });
  if (added) return added;
  throw new Problem("E_OVERLOADED", {
    what: "There are too many subscriptions.",
    why: "One connection has at most 64 of them.",
    next: [{ cmd: "unsubscribe", why: "ends one" }],
  });
}

/** An agent cannot approve itself: what a tool started is refused (L5). */
async function decide(asked: Ask<"decide_approval">, { world }: Desk) {
  requirePerson("rpc");
  const { approved, message, new_limits } = asked;
  const question = await resolveApproval(world, asked.approval_id);
  if (question.decision) throw await alreadyDecided(world, question, question.decision);
  const posted = await decideQuestion(world, question, {
    ...{ approved, via: "rpc" },
    ...(message === undefined ? {} : { message }),
    ...(new_limits === undefined ? {} : { limits: limitsOf(new_limits) }),
  });
  const { approval_id } = question.approval;
  if (posted.accepted) return { approval_id, approved, thread_id: question.thread_id };
  if (posted.decided) throw await alreadyDecided(world, question, posted.decided);
  throw new Problem("E_WRONG_STATE", {
    what: `${approval_id} cannot be answered: ${posted.why}.`,
    why: "Nothing was written.",
    threadId: question.thread_id,
  });
}
