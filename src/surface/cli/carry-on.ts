/** Hosts threads that were let go on, in the foreground, and tells what happens (R2): the root's whole tree. */
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { type HostingEnd, hostRoots } from "./hosting.ts";
import { Narrator } from "./narrator.ts";
import type { Session } from "./session.ts";
import { forcedEnd } from "./thread-end.ts";

export interface CarryOnOptions {
  readonly timeoutMs?: number | undefined;
  /** They may be taken from an owner that is alive but stuck. */
  readonly isTaken?: boolean;
}

export async function carryOn(
  session: Session,
  world: World,
  rows: readonly ThreadRow[],
  { timeoutMs, isTaken }: CarryOnOptions = {},
): Promise<HostingEnd> {
  const ids = new Set(rows.map((row) => row.chain_root_id));
  const first = rows[0]?.thread_id;
  session.interruption().onForced((exit) => forcedEnd(session, first ?? "", exit));
  const roots = [...new Set(rows.map((row) => row.root_id))];
  const narrator = new Narrator(session, world, roots);
  try {
    for (const root of roots) await narrator.prime(root);
    const isChosen = (row: ThreadRow) => ids.has(row.chain_root_id);
    return await hostRoots(session, world, {
      roots,
      mayRecover: isChosen,
      timeoutMs,
      ...(isTaken ? { mayTake: isChosen } : {}),
    });
  } finally {
    narrator.end();
  }
}
