/** Whether the money of a project adds up, for tests of programs (B1): drift 0. */
import { familyFindings } from "./store/verify-family.ts";
import { ledgerFindings } from "./store/verify-ledger.ts";
import { type Selvage, storeOf } from "./surface/sdk/runtime.ts";

/** Throws when an account is not what its journal says, or more is spent and held than a limit allows. */
export async function expectLedgerBalanced(runtime: Selvage): Promise<void> {
  const store = storeOf(runtime);
  const rows = await store.find({ onlyHeads: true });
  const found: string[] = [];
  for (const rootId of new Set(rows.map(({ root_id }) => root_id))) {
    const family = await store.family(rootId);
    found.push(...familyFindings(family).map(({ row, what }) => `${row.thread_id}: ${what}`));
    for (const { row, statement } of family) {
      const { cap = null, spent = 0, held = 0 } = statement?.account ?? {};
      if (cap !== null && spent + held > cap)
        found.push(`${row.thread_id}: ${spent} spent and ${held} held are more than its limit, ${cap}`);
    }
  }
  for (const { thread_id, root_id, parent_id } of rows) {
    const isLone = parent_id === null && (await store.find({ rootId: root_id, limit: 2 })).length === 1;
    const seen = isLone ? await store.inspect(thread_id) : undefined;
    if (seen && !seen.loaded.damage)
      found.push(
        ...ledgerFindings(seen.row, seen.loaded.events, seen.statement).map(
          (what) => `${thread_id}: ${what}`,
        ),
      );
  }
  if (found.length > 0) throw new Error(`The money does not add up:\n${found.join("\n")}`);
}
