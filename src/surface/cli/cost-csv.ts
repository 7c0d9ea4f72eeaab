/** What threads cost, for a spreadsheet: a header, a line each, no total that would be summed once more. */

import { type CsvCell, csvText } from "../../core/csv.ts";
import { showDollars } from "../../core/money.ts";
import type { CostLine, Way } from "./cost-lines.ts";

export function costCsv(lines: readonly CostLine[], by: Way): string {
  const heads = [by, "own", "children", "reserved", "limit", "tokens", "input_tokens", "output_tokens"];
  const counts = ["unpriced_tokens", "calls", "cut_off", "estimated"];
  const about = by === "thread" ? ["parent", "directive", "model", "status"] : [];
  const rows = lines.map((line): CsvCell[] => {
    const { key, sum, children, reserved, limit, row } = line;
    const { inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated } = sum;
    return [
      ...[key, ...[sum.amount, children, reserved, limit].map(dollars)],
      ...[inputTokens + outputTokens, inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated],
      ...(row ? [row.parent_id, row.directive, row.model, row.status] : []),
    ];
  });
  return csvText([[...heads, ...counts, ...about], ...rows]);
}

function dollars(amount: number | null): string | null {
  return amount === null ? null : showDollars(amount);
}
