/** What was charged since midnight, and what is held now, over all threads of a project. */
import { addCost, noCost } from "../../core/costs.ts";
import { showDollars } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { readCosts } from "./cost-read.ts";

export interface DaySpend {
  readonly today: string;
  /** Of the trees that live; null when one of them has no limit, or none lives. */
  readonly limit: string | null;
  readonly reserved: string;
  readonly unpriced_tokens: number;
}

/** Midnight is the reader's. Only journals that were written to since then are read. */
export async function daySpend(world: World, rows: readonly ThreadRow[]): Promise<DaySpend> {
  const midnight = new Date(world.clock.now());
  midnight.setHours(0, 0, 0, 0);
  const since = midnight.toISOString();
  const heads = rows.filter(({ status, updated_at }) => status !== "continued" && updated_at >= since);
  const costs = await readCosts(world, heads, since);
  const sum = costs.reduce((total, each) => addCost(total, each.sum), noCost);
  const accounts = [];
  for (const row of rows) {
    if (row.parent_id !== null || isTerminal(row.status)) continue;
    accounts.push((await world.store.balance(row.chain_root_id))?.account);
  }
  const caps = accounts.map((account) => account?.cap ?? null);
  const isKnown = caps.length > 0 && caps.every((cap) => cap !== null);
  return {
    today: showDollars(sum.amount),
    limit: isKnown ? showDollars(caps.reduce((total: number, cap) => total + (cap ?? 0), 0)) : null,
    reserved: showDollars(accounts.reduce((total, account) => total + (account?.held ?? 0), 0)),
    unpriced_tokens: sum.unpricedTokens,
  };
}
