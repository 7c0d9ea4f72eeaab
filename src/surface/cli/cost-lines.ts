/** What threads cost, line by line: as the trees they are, or by model, day or directive. Amounts in nano-dollars. */
import { treeOf } from "../../core/cost-tree.ts";
import { addCharge, addCost, type Charge, type CostSum, noCost } from "../../core/costs.ts";
import { showDollars } from "../../core/money.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import { capOf, type ThreadCost } from "./cost-read.ts";

export const WAYS = ["thread", "model", "day", "directive"] as const;
export type Way = (typeof WAYS)[number];

export interface CostLine {
  readonly key: string;
  readonly depth: number;
  /** What it was charged itself. */
  readonly sum: CostSum;
  /** What all below it were charged; null where nothing can be below. */
  readonly children: number | null;
  /** Null: it cannot be told that way. */
  readonly reserved: number | null;
  /** As much of what is reserved is spent already, by children that live. */
  readonly reservedUsed: number;
  readonly limit: number | null;
  readonly row?: ThreadRow;
}

export function costLines(costs: readonly ThreadCost[], by: Way): CostLine[] {
  return by === "thread" ? threadLines(costs) : groupLines(costs, by);
}

function threadLines(costs: readonly ThreadCost[]): CostLine[] {
  const used = usedByChildren(costs);
  return treeOf(costs, ({ sum }) => sum.amount).map(({ member, depth, below }) => ({
    key: member.thread_id,
    depth,
    sum: member.sum,
    children: below,
    reserved: member.reserved,
    reservedUsed: used.get(member.chain_root_id) ?? 0,
    limit: capOf(member.row),
    row: member.row,
  }));
}

/** Of all that was ever spent, whatever time is looked at: what is reserved is reserved now. */
function usedByChildren(costs: readonly ThreadCost[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const { member, below } of treeOf(costs, ({ row }) => row.spent)) {
    const { row, parent_id } = member;
    if (parent_id === null || isTerminal(row.status) || capOf(row) === null) continue;
    used.set(parent_id, (used.get(parent_id) ?? 0) + row.spent + below);
  }
  return used;
}

/** What a damaged journal does not tell. */
const UNREADABLE = "(unreadable)";

function groupLines(costs: readonly ThreadCost[], by: Exclude<Way, "thread">): CostLine[] {
  const groups = new Map<string, { sum: CostSum; reserved: number }>();
  const at = (key: string) => groups.get(key) ?? { sum: noCost, reserved: 0 };
  for (const { row, charges, open, unreadable } of costs) {
    const keyOf = (charge: Pick<Charge, "model" | "at">) =>
      by === "model" ? charge.model : by === "day" ? charge.at.slice(0, 10) : row.directive;
    for (const charge of charges) {
      const key = keyOf(charge);
      const found = at(key);
      groups.set(key, { ...found, sum: addCharge(found.sum, charge) });
    }
    if (open && by !== "day") {
      const key = keyOf({ model: open.model, at: "" });
      const found = at(key);
      groups.set(key, { ...found, reserved: found.reserved + open.amount });
    }
    if (unreadable !== 0) {
      const key = by === "directive" ? row.directive : UNREADABLE;
      const found = at(key);
      groups.set(key, { ...found, sum: addCost(found.sum, { ...noCost, amount: unreadable }) });
    }
  }
  return [...groups]
    .map(([key, { sum, reserved }]) => ({
      ...{ key, depth: 0, sum, children: null, reservedUsed: 0, limit: null },
      reserved: by === "day" ? null : reserved,
    }))
    .sort((left, right) =>
      by === "day"
        ? compare(left.key, right.key)
        : right.sum.amount - left.sum.amount || compare(left.key, right.key),
    );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** All of it. What is reserved for children stands on the account of whoever is at the top. */
export function costTotal(lines: readonly CostLine[]): { sum: CostSum; reserved: number | null } {
  const tops = lines.filter(({ depth }) => depth === 0);
  const isTold = lines.every(({ reserved }) => reserved !== null);
  return {
    sum: lines.reduce((total, { sum }) => addCost(total, sum), noCost),
    reserved: isTold ? tops.reduce((total, { reserved }) => total + (reserved ?? 0), 0) : null,
  };
}

/** A charge that a person who has the invoice may correct, with the thread it was made for. */
export interface Correctable {
  readonly row: ThreadRow;
  readonly charge: Charge & { readonly hold: string; readonly amount: number };
}

/** Only while its thread lives. */
export function correctable(costs: readonly Pick<ThreadCost, "row" | "charges">[]): Correctable[] {
  return costs.flatMap(({ row, charges }) =>
    isTerminal(row.status)
      ? []
      : charges.flatMap((charge) => {
          const { hold, amount, kind } = charge;
          return kind === "billed" || hold === null || amount === null
            ? []
            : [{ row, charge: { ...charge, hold, amount } }];
        }),
  );
}

/** A hold is named after its chain; the end of the name is enough beside the thread. */
export function settleCommand({ row, charge }: Correctable): string {
  const short = charge.hold.startsWith(`${row.chain_root_id}/`)
    ? charge.hold.slice(row.chain_root_id.length + 1)
    : charge.hold;
  return `selvage budget ${row.thread_id} --settle ${short}=AMOUNT`;
}

export function correctableObject(each: Correctable) {
  const { hold, at, amount, kind, isCorrected: corrected } = each.charge;
  const { thread_id } = each.row;
  return { thread_id, hold, at, amount: showDollars(amount), kind, corrected, command: settleCommand(each) };
}
