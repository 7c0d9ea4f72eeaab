/** Limits against use, as programs get them (UX a.6) and as people read them. What is absent is null. */

import type { Statement } from "../../core/bookkeeping.ts";
import { costOf } from "../../core/cost.ts";
import { costsOf } from "../../core/costs.ts";
import type { Event } from "../../core/event.ts";
import { LIMIT_KEYS, type LimitValue } from "../../core/limit.ts";
import { limitHistory } from "../../core/limit-change.ts";
import { showDollars, showShort } from "../../core/money.ts";
import type { Damage, ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import { foldThread, type Thread } from "../../core/thread.ts";
import type { World } from "../../core/world.ts";
import { withEarlier } from "./chain-read.ts";
import { type Correctable, correctable, correctableObject } from "./cost-lines.ts";
import { limitText } from "./limit-text.ts";
import { spendOf } from "./thread-object.ts";

export interface BudgetSeen {
  readonly row: ThreadRow;
  readonly thread: Thread;
  readonly events: readonly Event[];
  readonly statement: Statement | undefined;
  /** The account that its limit comes out of. */
  readonly above: Statement | undefined;
  readonly spawns: number;
  readonly depth: number;
  readonly damage: Damage | undefined;
}

export async function seeBudget({ store }: World, threadId: string): Promise<BudgetSeen> {
  const inspected = await store.inspect(threadId);
  if (!inspected) throw new Error(`${threadId} is gone from the store`);
  const { row, loaded, statement } = inspected;
  const parent = statement?.account.parent;
  const above = parent ? await store.balance(parent) : undefined;
  const tree = await store.find({ rootId: row.root_id, onlyHeads: true });
  const thread = foldThread(threadId, loaded.events);
  const spawns = tree.filter(({ parent_id }) => parent_id === row.chain_root_id).length;
  const depth = generations(tree, row.chain_root_id);
  const events = await withEarlier(store, row, loaded.events);
  return { row, thread, events, statement, above, spawns, depth, damage: loaded.damage };
}

/** How many generations there are below a thread; rows come newest first. */
function generations(tree: readonly ThreadRow[], top: string): number {
  const depths = new Map([[top, 0]]);
  for (const { chain_root_id, parent_id } of [...tree].reverse()) {
    const above = parent_id === null ? undefined : depths.get(parent_id);
    if (above !== undefined) depths.set(chain_root_id, above + 1);
  }
  return Math.max(...depths.values());
}

export function correctableOf({ row, events }: Pick<BudgetSeen, "row" | "events">): Correctable[] {
  return correctable([{ row, charges: costsOf(events).charges }]);
}

export function budgetObject(seen: BudgetSeen) {
  const { row, statement, above, events } = seen;
  const money = moneyOf(seen);
  return {
    thread_id: row.thread_id,
    status: row.status,
    suspend_reason: row.suspend_reason,
    limits: row.limits,
    used: usedOf(seen),
    reserved: showDollars(money.held),
    free: money.free === null ? null : showDollars(money.free),
    parent: statement?.account.parent ?? null,
    parent_free: above && Number.isFinite(above.balance.free) ? showDollars(above.balance.free) : null,
    history: limitHistory(events).map(({ at, by, from, to, refused }) => ({ at, by, from, to, refused })),
    corrections: events.flatMap((event) => {
      if (event.type !== "charge_corrected" || event.refused !== undefined) return [];
      const { ts: at, by, hold, was, amount } = event;
      return [{ at, by, hold, from: showDollars(was), to: showDollars(amount) }];
    }),
    correctable: correctableOf(seen).map(correctableObject),
  };
}

function usedOf(seen: BudgetSeen) {
  const { thread, spawns, depth } = seen;
  const { turns, tokens, duration_seconds: duration } = costOf(thread);
  const spend = spendOf(seen.row) === null ? null : showDollars(moneyOf(seen).spent);
  return { turns, tokens, spend, spawns, duration, depth };
}

/** Its own account's; who shares has spent on another's. */
export function moneyOf({ row, statement }: Pick<BudgetSeen, "row" | "statement">) {
  const account = statement?.account;
  const isShared = account?.cap === null && account.parent !== null;
  const spent = account && !isShared ? account.spent : row.spent;
  const held = account && !isShared ? account.held : row.held;
  const cap = account?.cap ?? null;
  return { spent, held, cap, free: cap === null ? null : cap - spent - held };
}

/** `spend  $0.79 of $0.80 · $0.01 free`, a line for each limit. */
export function limitRows(seen: BudgetSeen): string[][] {
  const used: Record<string, LimitValue | null> = usedOf(seen);
  const { spent, held, free } = moneyOf(seen);
  return LIMIT_KEYS.map((key) => {
    const limit = seen.row.limits[key];
    if (key === "spend") {
      const reserved = held > 0 ? ` · ${showShort(held)} reserved` : "";
      const over = free !== null && free < 0 ? `${showShort(-free)} over` : `${showShort(free ?? 0)} free`;
      return [
        key,
        spendOf(seen.row) === null ? "—" : showShort(spent),
        limitText(key, limit),
        free === null ? reserved.slice(3) : `${over}${reserved}`,
      ];
    }
    const left = typeof limit === "number" ? Math.max(0, limit - Number(used[key])) : undefined;
    const shown =
      left === undefined || isTerminal(seen.row.status)
        ? ""
        : `${limitText(key, Math.round(left * 10) / 10)} left`;
    return [key, limitText(key, used[key] ?? undefined), limitText(key, limit), shown];
  });
}
