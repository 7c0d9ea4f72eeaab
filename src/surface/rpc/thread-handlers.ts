/** Commands about threads: starting, waiting, speaking to them, stopping them, reading them. */
import { chainOf } from "../../core/chain-links.ts";
import { loadPatterns } from "../../core/like.ts";
import { Problem } from "../../core/problem.ts";
import type { Request } from "../../core/request.ts";
import { search } from "../../core/search.ts";
import { compileQuery } from "../../core/search-query.ts";
import { hasEnded, STATUSES, type Status } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { person } from "../cli/person.ts";
import { resolveHead, resolveThread } from "../cli/resolve.ts";
import { requireResumable } from "../cli/resumable.ts";
import { badQuery } from "../cli/search-text.ts";
import { looker } from "../cli/survey.ts";
import { requireSeen, spendOf, threadObject } from "../cli/thread-object.ts";
import { limitsOf } from "../sdk/start.ts";
import type { Ask } from "./commands.ts";
import type { Desk, Handlers } from "./desk.ts";

const WAIT_SECONDS = 600;
const LISTED = 100;
const FOUND = 50;

type About =
  | "thread_tool"
  | "wait_threads"
  | "resume_thread"
  | "cancel_thread"
  | "send"
  | "get_thread"
  | "list_threads"
  | "get_chain"
  | "chain_search"
  | "retry_now";

export const THREAD_HANDLERS: Handlers<About> = {
  thread_tool: startThread,
  wait_threads: waitThreads,
  resume_thread: resumeThread,
  cancel_thread: async ({ thread_id, reason }, { world }) => {
    const row = await resolveHead(world.store, thread_id);
    const { thread_id: id, nonce } = row;
    await ask(world, id, { kind: "cancel", nonce, reason: reason ?? "cancelled over rpc" });
    return { success: true, thread_id: id, status: "cancel_requested" };
  },
  send: async ({ thread_id, message: text, after }, { world }) => {
    const { thread_id: id } = await resolveHead(world.store, thread_id);
    await ask(world, id, { kind: "message", text, ...(after ? { after } : {}) });
    return { thread_id: id };
  },
  get_thread: async ({ thread_id }, { world }) => {
    const { thread_id: id } = await resolveThread(world.store, thread_id);
    return threadObject(await requireSeen(world, id));
  },
  list_threads: listThreads,
  get_chain: async ({ thread_id }, desk) => {
    const chain = await chainOf(desk.world.store, await desk.rowOf(thread_id));
    const threads = chain.map(({ thread_id: id, status, turns, created_at, continuation_of }) => ({
      ...{ thread_id: id, status, turns, created_at, continuation_of },
    }));
    return { chain_root_id: chain[0]?.chain_root_id ?? null, head: chain.at(-1)?.thread_id ?? null, threads };
  },
  chain_search: searchChain,
  retry_now: async ({ thread_id }, desk) => {
    const { thread_id: id } = await desk.rowOf(thread_id);
    await ask(desk.world, id, { kind: "retry", action: "now" });
    return { thread_id: id };
  },
};

type Body = Request extends infer R
  ? R extends Request
    ? Omit<R, "request_id" | "by" | "thread_id">
    : never
  : never;

async function ask(world: World, threadId: string, body: Body): Promise<void> {
  const asked = { ...body, request_id: newRequestId(world), thread_id: threadId, by: person() } as Request;
  const posted = await postRequest(world, asked);
  if (posted.accepted) return;
  throw new Problem("E_WRONG_STATE", {
    what: `${threadId} cannot be asked that: ${posted.why}.`,
    why: "Nothing was written.",
    next: [{ cmd: `selvage show ${threadId}`, why: "its state" }],
    threadId,
  });
}

async function startThread({ directive, inputs, limits, model, wait }: Ask<"thread_tool">, desk: Desk) {
  const thread = await desk.needs.runtime.start({
    directive,
    ...(inputs === undefined ? {} : { inputs }),
    ...(limits === undefined ? {} : { limits }),
    ...(model === undefined ? {} : { model }),
  });
  if (!wait) return { thread_id: thread.id, status: "created" };
  const result = await thread.result({ signal: desk.over });
  return { thread_id: thread.id, status: result.status, result };
}

async function waitThreads(asked: Ask<"wait_threads">, desk: Desk) {
  const { timeout = WAIT_SECONDS, require, fail_fast, cancel_siblings_on_failure } = asked;
  const { runtime } = desk.needs;
  const startedAt = desk.world.clock.monotonic();
  const rows = await Promise.all(asked.thread_ids.map((id) => resolveHead(desk.world.store, id)));
  const threads = await Promise.all(rows.map(({ thread_id }) => runtime.thread(thread_id)));
  const { success, results, failed, timedOut } = await runtime.wait(threads, {
    ...(timeout === 0 ? {} : { timeout }),
    ...(require === undefined ? {} : { require }),
    failFast: fail_fast ?? false,
    cancelSiblings: cancel_siblings_on_failure ?? false,
    signal: desk.over,
  });
  const told = rows.map(({ thread_id: id }) => [
    id,
    results[id] ?? { status: timedOut ? "timeout" : "running" },
  ]);
  return {
    success,
    threads: Object.fromEntries(told),
    failed_thread: failed,
    elapsed_seconds: Math.round((desk.world.clock.monotonic() - startedAt) / 100) / 10,
  };
}

async function resumeThread(asked: Ask<"resume_thread">, desk: Desk) {
  const { action = "resume", message } = asked;
  const { world, needs } = desk;
  const row = await resolveHead(world.store, asked.thread_id);
  const { thread_id, nonce } = row;
  if (action === "cancel") {
    await ask(world, thread_id, { kind: "cancel", nonce, reason: message ?? "cancelled over rpc" });
    return { thread_id, status: "cancel_requested" };
  }
  const limits = limitsOf(asked.new_limits);
  if (hasEnded(row.status)) {
    if (message === undefined) throw nothingToSay(thread_id, row.status);
    const session = await needs.runtime.createSession({ thread: thread_id });
    const accepted = await session.accept(message).finally(() => session.dispose());
    return { thread_id: accepted.threadId, status: "created", continuation_of: thread_id };
  }
  if (row.status === "created") {
    await ask(world, thread_id, { kind: "start" });
    return { thread_id, status: "created" };
  }
  await requireResumable(world, await requireSeen(world, thread_id), limits);
  await ask(world, thread_id, { kind: "resume", nonce, limits, message });
  return { thread_id, status: "running" };
}

function nothingToSay(threadId: string, status: string): Problem {
  return new Problem("E_USAGE", {
    what: `${threadId} is ${status}: it goes on only if there is something to say to it.`,
    why: "A new thread of its chain begins with all that was said, and with `message`. Nothing was written.",
    threadId,
  });
}

async function listThreads({ statuses, root_id, limit = LISTED }: Ask<"list_threads">, { world }: Desk) {
  const wrong = statuses?.find((status) => !(STATUSES as readonly string[]).includes(status));
  if (wrong !== undefined)
    throw new Problem("E_USAGE", {
      what: `"${wrong.slice(0, 40)}" is no status.`,
      why: `There are ${STATUSES.join(", ")}.`,
    });
  const root = root_id === undefined ? undefined : await resolveThread(world.store, root_id);
  const rows = await world.store.find({
    ...(statuses ? { statuses: statuses as readonly Status[] } : {}),
    ...(root ? { rootId: root.root_id } : {}),
    limit,
  });
  const look = await looker(world);
  const threads = rows.map((row) => {
    const { thread_id, directive, status, suspend_reason, root_id: root, parent_id, model, turns } = row;
    const said = { thread_id, directive, status, suspend_reason, root_id: root, parent_id, model, turns };
    return { ...said, view: look(row).view, spend: spendOf(row), updated_at: row.updated_at };
  });
  return { threads };
}

async function searchChain(asked: Ask<"chain_search">, desk: Desk) {
  const { query: text, search_type: how = "text", limit = FOUND } = asked;
  if (how === "regex") await loadPatterns();
  const matcher = compileQuery({ text, how });
  if ("why" in matcher) throw badQuery({ text, how }, matcher);
  const { chain_root_id: chainRootId } = await desk.rowOf(asked.thread_id);
  const found = await search(
    desk.world.store,
    { matcher, about: [], context: 0, limit, scope: { chainRootId } },
    { signal: desk.over, pause: () => new Promise((resolve) => setImmediate(resolve)) },
  );
  return { hits: found.hits, more: found.next !== null };
}
