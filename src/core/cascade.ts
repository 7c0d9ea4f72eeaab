/** What is asked of a thread and of everything below it, in one transaction (§12, K3). */
import type { Request } from "./request.ts";
import type { ThreadRow } from "./row.ts";
import { isTerminal } from "./status.ts";

/** Children that are told to stop by a commit of somebody above them. */
export interface Stop {
  readonly thread_id: string;
  readonly reason: string;
  readonly by: string;
  /** Not the thread itself, but everyone below it. */
  readonly onlyBelow?: true;
  /** Tools that run may end. */
  readonly afterTool?: true;
}

type Spreading = Request & { readonly kind: "cancel" | "revoke" };

/** Undefined: it concerns one thread alone. A cancel that is meant for another run reaches nobody below either. */
export function spreading(request: Request, row: ThreadRow): Spreading | undefined {
  if (request.kind === "revoke") return request;
  return request.kind === "cancel" && request.nonce === row.nonce ? request : undefined;
}

/** The same for one who is below: bound to its own run. */
export function handedDown(request: Spreading, row: ThreadRow): Request {
  const { by } = request;
  const common = { request_id: `${request.request_id}/${row.chain_root_id}`, thread_id: row.thread_id, by };
  if (request.kind === "cancel") {
    const { reason, after_tool } = request;
    return { ...common, kind: "cancel", reason, nonce: row.nonce, ...(after_tool ? { after_tool } : {}) };
  }
  return { ...common, kind: "revoke", rights: request.rights, from: request.from ?? request.thread_id };
}

/** A stop as the request that it is for the thread itself. */
export function stopRequest({ by, reason, afterTool }: Stop, row: ThreadRow, name: string): Spreading {
  const request_id = `${name}/${row.chain_root_id}`;
  const common = { request_id, thread_id: row.thread_id, by, reason, nonce: row.nonce };
  return { kind: "cancel", ...common, ...(afterTool ? { after_tool: true } : {}) };
}

/** Everyone alive below a thread, by looking from generation to generation. */
export function livingBelow(
  chainRootId: string,
  childrenOf: (chainRootId: string) => readonly ThreadRow[],
): ThreadRow[] {
  const heads = childrenOf(chainRootId).filter(({ status }) => status !== "continued");
  return heads.flatMap((row) => [
    ...(isTerminal(row.status) ? [] : [row]),
    ...livingBelow(row.chain_root_id, childrenOf),
  ]);
}
