/**
 * Which thread a person means: its id, a unique prefix, its short form, a directive with one live thread; or `@last`,
 * `@root` and `@suspended`: what was started last, the top of the one live tree, and the one that is suspended.
 */
import { headOf } from "../../core/chain-links.ts";
import { closest } from "../../core/closest.ts";
import { idProblem } from "../../core/id.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal, STATUSES } from "../../core/status.ts";
import type { Store } from "../../core/store.ts";
import { oneLine } from "../../core/text.ts";
import { shortId } from "./short-id.ts";

const LIVE = STATUSES.filter((status) => !isTerminal(status));
const LIST = { cmd: "selvage ps -a", why: "lists the threads" };

export async function resolveThread(store: Store, text: string): Promise<ThreadRow> {
  if (text === "@last") return lastThread(store);
  if (text === "@root")
    return onlyOne(await store.find({ onlyRoots: true, statuses: LIVE, limit: 50 }), ROOT);
  if (text === "@suspended")
    return onlyOne(await store.find({ statuses: ["suspended"], limit: 50 }), STOPPED);
  const why = idProblem(text.endsWith("-") || text.endsWith("/") ? text.slice(0, -1) : text);
  if (why !== undefined) {
    throw new Problem("E_BAD_ID", {
      what: `"${oneLine(text, 60)}" is no thread id.`,
      why: `${why}.`,
      next: [LIST],
    });
  }
  const [exact] = await store.find({ threadId: text, limit: 1 });
  if (exact) return exact;
  const beginning = await store.find({ prefix: text, limit: 50 });
  const [only] = beginning;
  if (only && beginning.length === 1) return only;
  // All of one chain: the one that it goes on in is meant.
  if (only && beginning.every((row) => row.chain_root_id === only.chain_root_id)) return headOf(store, only);
  const named = await store.find({ prefix: `${text}-`, statuses: LIVE });
  const [live, ...others] = named.filter((row) => row.directive === text);
  if (live && others.length === 0) return live;
  if (only) throw ambiguous(beginning, `threads begin with ${text}`);
  return (await byShortId(store, text)) ?? Promise.reject(await unknown(store, text));
}

/** `worker-k3v9qa`, as it stands in front of log lines. */
async function byShortId(store: Store, text: string): Promise<ThreadRow | undefined> {
  const directive = text.slice(0, text.lastIndexOf("-"));
  if (directive === "") return undefined;
  const found = (await store.find({ prefix: `${directive}-` })).filter(
    ({ thread_id }) => shortId(thread_id) === text,
  );
  if (found.length > 1) throw ambiguous(found, `threads are called ${text}`);
  return found[0];
}

/** As `resolveThread`, for who asks something of it: of a chain, the thread that it goes on in now. */
export async function resolveHead(store: Store, text: string): Promise<ThreadRow> {
  return headOf(store, await resolveThread(store, text));
}

/** In the order of asking, each chain once. */
export async function resolveHeads(store: Store, texts: readonly string[]): Promise<ThreadRow[]> {
  const rows = new Map<string, ThreadRow>();
  for (const text of texts) {
    const row = await resolveHead(store, text);
    rows.set(row.thread_id, row);
  }
  return [...rows.values()];
}

/** In the order of asking, each thread once. */
export async function resolveThreads(store: Store, texts: readonly string[]): Promise<ThreadRow[]> {
  const rows = new Map<string, ThreadRow>();
  for (const text of texts) {
    const row = await resolveThread(store, text);
    rows.set(row.thread_id, row);
  }
  return [...rows.values()];
}

/** What a person started last: what that has started since is not what he means. */
async function lastThread(store: Store): Promise<ThreadRow> {
  const [row] = await store.find({ onlyRoots: true, limit: 1 });
  if (row) return row;
  throw new Problem("E_THREAD_NOT_FOUND", {
    what: "There is no last thread.",
    why: "No thread was started in this project yet.",
    next: [{ cmd: "selvage run hello", why: "starts one" }],
  });
}

interface Sought {
  readonly none: string;
  readonly many: string;
}

const ROOT: Sought = { none: "No tree of threads is live.", many: "trees are live" };
const STOPPED: Sought = { none: "No thread is suspended.", many: "threads are suspended" };

/** Which of several is meant, nobody can know: they are named. */
function onlyOne(rows: readonly ThreadRow[], { none, many }: Sought): ThreadRow {
  const [row, ...others] = rows;
  if (!row) {
    throw new Problem("E_THREAD_NOT_FOUND", { what: none, why: "So none can be meant.", next: [LIST] });
  }
  if (others.length > 0) throw ambiguous(rows, many);
  return row;
}

function ambiguous(rows: readonly ThreadRow[], are: string): Problem {
  const shown = rows.slice(0, 8).map((row) => `${row.thread_id}  ${row.status}`);
  const more = rows.length > shown.length ? [`and ${rows.length - shown.length} more`] : [];
  return new Problem("E_AMBIGUOUS_ID", {
    what: `${rows.length === 50 ? "Many" : rows.length} ${are}.`,
    why: [...shown, ...more].join("\n"),
    next: [{ cmd: `selvage show ${rows[0]?.thread_id ?? "@last"}`, why: "the newest of them" }, LIST],
  });
}

async function unknown(store: Store, text: string): Promise<Problem> {
  const recent = await store.find({ limit: 500 });
  const names = recent.flatMap((row) => [row.thread_id, row.directive]);
  const near = closest(text, [...new Set(names)]);
  return new Problem("E_THREAD_NOT_FOUND", {
    what: `There is no thread ${text}.`,
    why: near.length > 0 ? `Close to it: ${near.join(", ")}.` : "No thread has this id or begins with it.",
    next: [LIST],
  });
}
