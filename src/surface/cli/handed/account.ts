/** What an account of a thread is made from. */
import type { Event } from "../../../core/event.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { spendOf } from "../thread-object.ts";
import { type Account, entriesOf } from "./entry.ts";

export interface Read {
  readonly row: ThreadRow;
  readonly events: readonly Event[];
  readonly damage: string | null;
}

export function accountOf({ row, events, damage }: Read): Account {
  return {
    threadId: row.thread_id,
    directive: row.directive,
    model: row.model,
    status: row.status,
    from: row.created_at,
    until: row.updated_at,
    turns: row.turns,
    tokens: row.input_tokens + row.output_tokens,
    spend: spendOf(row),
    damage,
    entries: entriesOf(events),
  };
}
