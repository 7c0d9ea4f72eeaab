/** Whether a spend limit fits, before anybody is asked: the ledger says the same once more when it is written. */
import type { Limits } from "../../core/limit.ts";
import { parseDollars, showDollars } from "../../core/money.ts";
import { Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";

/** Throws with the two numbers when it does not. */
export async function requireFitting(
  { store }: World,
  { thread_id: threadId, chain_root_id }: ThreadRow,
  { spend }: Limits,
): Promise<void> {
  const account = spend === undefined ? undefined : (await store.balance(chain_root_id))?.account;
  if (!account) return;
  const cap = parseDollars(String(spend)) ?? 0;
  const used = account.spent + account.held;
  if (account.cap === null && account.parent !== null) throw shared(threadId, account.parent);
  if (cap < used && (account.cap === null || cap < account.cap))
    throw belowUse(threadId, { cap, used, account });
  const above = account.parent === null ? undefined : await store.balance(account.parent);
  const more = Math.max(cap, used) - Math.max(account.cap ?? 0, used);
  if (above && more > above.balance.free) throw tooLittle(threadId, more, above.balance);
}

function shared(threadId: string, parent: string): Problem {
  return new Problem("E_BUDGET_REFUSED", {
    what: `${threadId} has no spend limit of its own to change.`,
    why: `It draws on what ${parent} may spend. Nothing was written.`,
    next: [{ cmd: `selvage budget ${parent}`, why: "the limits it draws on" }],
    threadId,
  });
}

function belowUse(
  threadId: string,
  { cap, used, account }: { cap: number; used: number; account: { spent: number; held: number } },
): Problem {
  return new Problem("E_BUDGET_REFUSED", {
    what: `A spend limit of $${showDollars(cap)} for ${threadId} is below the $${showDollars(used)} that are spent and held.`,
    why: `$${showDollars(account.spent)} are spent and $${showDollars(account.held)} are held for what is under way. Nothing was written.`,
    next: [
      {
        cmd: `selvage budget ${threadId} --set spend=${showDollars(used)}`,
        why: "the lowest there can be now",
      },
      { cmd: `selvage cancel ${threadId}`, why: "stops it" },
    ],
    threadId,
  });
}

function tooLittle(
  threadId: string,
  more: number,
  { account, free }: { account: string; free: number },
): Problem {
  return new Problem("E_BUDGET_REFUSED", {
    what: `Cannot reserve $${showDollars(more)} more for ${threadId}: ${account} has $${showDollars(free)} free.`,
    why: "The limit of a child comes out of what its parent may spend. Nothing was written.",
    next: [
      {
        cmd: `selvage budget ${account} --add spend=${showDollars(more - free)}`,
        why: "raises the parent first",
      },
      { cmd: `selvage cost ${account}`, why: "where its money is" },
    ],
    threadId,
  });
}
