/** The thread that makes notes on another's conversation (X2): a child of its chain, small, and with no rights. */

import type { Stop } from "./cascade.ts";
import { cutTo } from "./context.ts";
import type { NewEvent } from "./event.ts";
import { livingChildren } from "./family.ts";
import { threadId } from "./id.ts";
import { delegate } from "./rights.ts";
import { birthOf, type Prepared } from "./spawn.ts";
import type { Birth } from "./store.ts";
import type { Thread } from "./thread.ts";

export interface SummaryPlan {
  readonly birth: Birth;
  readonly started: NewEvent<"child_thread_started">;
}

interface SummaryNeeds {
  readonly limits: Readonly<{ turns: number; spend: string }>;
  readonly nonce: string;
  readonly sha256: (text: string) => string;
}

export function planSummary(thread: Thread, prepared: Prepared, needs: SummaryNeeds): SummaryPlan {
  const { directive } = prepared;
  const id = summaryId(thread, directive.name, needs.sha256);
  const nobody = { permissions: [], ask: [], delegates: [] };
  const above = { id: thread.chainRootId, directive: thread.directive, rights: thread.rights };
  const birth = birthOf({
    ...prepared,
    ...{ id, nonce: needs.nonce, parent: thread, by: thread.id, start: true, tools: [] },
    requestId: `start_${id}`,
    hook: thread.forHook,
    grant: delegate(above, nobody),
    limits: { ...directive.limits, ...needs.limits, depth: 0 },
  });
  const told = { call_id: null, child_id: id, directive: directive.name, start: true };
  return { birth, started: { type: "child_thread_started", ...told, for: "summary" } };
}

/** Named after the moment: made again after a crash, it is the same. */
function summaryId(thread: Thread, directive: string, sha256: (text: string) => string): string {
  const { chainRootId, children, createdAt } = thread;
  const digest = sha256(`summary ${chainRootId} ${Object.keys(children).length}`);
  const bytes = Uint8Array.from({ length: 6 }, (_, at) =>
    Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16),
  );
  return threadId(directive, Date.parse(createdAt), bytes);
}

export type Notes =
  | { readonly summary: string }
  | { readonly missing: string; readonly stops?: readonly Stop[] };

/** What it noted, if it did its work; why there is nothing, if it did not; who is still at it is told to stop. */
export function notesOf(thread: Thread, mostTokens: number): Notes | undefined {
  const { compaction, children, id: by } = thread;
  const child = compaction?.childId === undefined ? undefined : children[compaction.childId];
  if (!child) return undefined;
  const isAlive = livingChildren({ children: { [child.id]: child } }).length > 0;
  const why = `${child.id} is ${child.status}${child.error === undefined ? "" : `: ${child.error}`}`;
  if (isAlive)
    return { missing: why, stops: [{ thread_id: child.id, reason: "its notes came too late", by }] };
  if (child.status !== "completed") return { missing: why };
  const said = child.outputs?.["summary"];
  const text = (typeof said === "string" ? said : (child.text ?? "")).trim();
  return text === ""
    ? { missing: `${child.id} had nothing to note` }
    : { summary: cutTo(thread, text, mostTokens) };
}
