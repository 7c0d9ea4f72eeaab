/**
 * What threads cost, read from the store. All rows are of one moment, and each journal is read up to its row: so what
 * is shown of a project that goes on adds up. One look at the registry, one at each journal with money in it.
 */
import { addCharge, type Charge, type CostSum, costsOf, noCost, type OpenHold } from "../../core/costs.ts";
import { parseDollars } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";

export interface ThreadCost {
  readonly row: ThreadRow;
  readonly thread_id: string;
  readonly parent_id: string | null;
  /** Since the time that was asked for. */
  readonly charges: readonly Charge[];
  readonly sum: CostSum;
  /** The request under way. */
  readonly open: OpenHold | undefined;
  /** On its account: for the request under way, and for children that live. */
  readonly reserved: number;
  /** Spent, as the registry says, and not to be found in a damaged journal. */
  readonly unreadable: number;
}

export async function readCosts(
  world: World,
  rows: readonly ThreadRow[],
  since: string | undefined,
): Promise<ThreadCost[]> {
  const found: ThreadCost[] = [];
  for (const row of rows) found.push(await readCost(world, row, since));
  return found;
}

async function readCost({ store }: World, row: ThreadRow, since: string | undefined): Promise<ThreadCost> {
  const { thread_id, parent_id } = row;
  const statement = isTerminal(row.status) ? undefined : await store.balance(row.chain_root_id);
  const reserved = statement?.account.held ?? 0;
  const said = { row, thread_id, parent_id, reserved };
  const isIdle = row.turns === 0 && row.spent === 0 && row.held === 0;
  const isEarlier = since !== undefined && row.updated_at < since && row.held === 0;
  if (isIdle || isEarlier) return { ...said, charges: [], sum: noCost, open: undefined, unreadable: 0 };
  const { events } = await store.load(thread_id);
  // A cap on the numbers: what a thread that goes on wrote since its row was read is not in it.
  const { charges: all, open, carried } = costsOf(events.filter(({ seq }) => seq <= row.seq));
  const charges = since === undefined ? all : all.filter(({ at }) => at >= since);
  const sum = charges.reduce(addCharge, noCost);
  const whole = all.reduce((total, { amount }) => total + (amount ?? 0), 0);
  const unreadable = since === undefined ? row.spent - carried - whole : 0;
  const amount = sum.amount + unreadable;
  return { ...said, charges, sum: { ...sum, amount }, open, unreadable };
}

/** The spend limit of a thread in nano-dollars; null when it has none of its own. */
export function capOf({ limits }: Pick<ThreadRow, "limits">): number | null {
  const { spend } = limits;
  return spend === undefined ? null : (parseDollars(String(spend)) ?? 0);
}
