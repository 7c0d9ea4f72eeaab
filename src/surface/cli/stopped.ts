/** What became of threads that were asked to stop: every call and process finished, stopped, killed, or of unknown outcome (§12). */
import { showShort } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { VIEWS } from "./glyph.ts";
import { age } from "./moment.ts";
import { surveyOne } from "./survey.ts";
import { seenFrom, type ThreadObject, threadObject } from "./thread-object.ts";

interface CallReport {
  readonly call_id: string;
  readonly tool: string;
  readonly outcome: string;
}

export interface Stopped {
  readonly thread: ThreadObject;
  readonly isOver: boolean;
  readonly report: readonly CallReport[];
  readonly row: ThreadRow;
  /** For how long it has been at what it does now. */
  readonly sinceMs: number;
  readonly timeoutSeconds: number;
}

export async function seeStopped(world: World, meant: readonly ThreadRow[]): Promise<Stopped[]> {
  const { store, clock, settings } = world;
  const found: Stopped[] = [];
  for (const { thread_id: threadId } of meant) {
    const [row] = await store.find({ threadId, limit: 1 });
    if (!row) throw new Error(`${threadId} is gone from the store`);
    const loaded = await store.load(threadId);
    const thread = threadObject(seenFrom(await surveyOne(world, row), loaded));
    const end = loaded.events.findLast((event) => event.type === "thread_cancelled");
    const report = end?.type === "thread_cancelled" ? end.report : [];
    const sinceMs = clock.now() - Date.parse(thread.now.since);
    const { timeout_seconds: timeoutSeconds } = settings.tool;
    found.push({ thread, isOver: isTerminal(row.status), report, row, sinceMs, timeoutSeconds });
  }
  return found;
}

export function stoppedObject(stopped: readonly Stopped[]) {
  return {
    cancelled: stopped.filter(({ row }) => row.status === "cancelled").map(({ row }) => row.thread_id),
    waiting_on: stopped
      .filter(({ isOver }) => !isOver)
      .map(({ row, thread, sinceMs, timeoutSeconds }) => ({
        id: row.thread_id,
        tool: thread.now.tool,
        since_s: Math.round(sinceMs / 1_000),
        timeout_s: timeoutSeconds,
      })),
    threads: stopped.map(({ thread, report }) => ({ ...thread, report })),
  };
}

export function stoppedText(stopped: readonly Stopped[]): string {
  const lines = stopped.map(lineOf);
  const [last] = stopped.slice(-1);
  const isKept = last?.row.status === "cancelled";
  return [...lines, ...(isKept ? [`Its work is kept: selvage show ${last.row.thread_id}`] : [])].join("\n");
}

function lineOf({ row, thread, report, sinceMs, isOver }: Stopped): string {
  const { thread_id, status } = row;
  const calls = report.map(({ tool, outcome }) => `${tool}: ${outcome}`);
  if (status === "cancelled") {
    const spent = row.spent > 0 ? [`${showShort(row.spent)} spent`] : [];
    const where = row.turns > 0 ? [`cancelled at turn ${row.turns}`] : ["cancelled"];
    return `⊘ ${thread_id}  ${[...where, ...calls, ...spent].join(" · ")}`;
  }
  if (isOver)
    return `${VIEWS[thread.view].glyph} ${thread_id}  had ended before it could be stopped: ${status}`;
  const { tool, doing } = thread.now;
  const at = tool ? `it waits for ${tool}, at it for ${age(sinceMs)}` : oneLine(doing, 80);
  return `◐ ${thread_id}  is asked to stop; ${at}`;
}
