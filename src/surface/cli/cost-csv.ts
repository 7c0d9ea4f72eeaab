/** What threads cost, for a spreadsheet: a header, a line each, no total that would be summed once more. */
import { showDollars } from "../../core/money.ts";
import { stripControls } from "../../core/text.ts";
import type { CostLine, Way } from "./cost-lines.ts";

type Cell = string | number | null;

export function costCsv(lines: readonly CostLine[], by: Way): string {
  const heads = [by, "own", "children", "reserved", "limit", "tokens", "input_tokens", "output_tokens"];
  const counts = ["unpriced_tokens", "calls", "cut_off", "estimated"];
  const about = by === "thread" ? ["parent", "directive", "model", "status"] : [];
  const rows = lines.map((line): Cell[] => {
    const { key, sum, children, reserved, limit, row } = line;
    const { inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated } = sum;
    return [
      ...[key, ...[sum.amount, children, reserved, limit].map(dollars)],
      ...[inputTokens + outputTokens, inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated],
      ...(row ? [row.parent_id, row.directive, row.model, row.status] : []),
    ];
  });
  return [[...heads, ...counts, ...about], ...rows].map((row) => row.map(cell).join(",")).join("\n");
}

function dollars(amount: number | null): string | null {
  return amount === null ? null : showDollars(amount);
}

/** What begins like a formula would be run by the program that opens the file; a quote in front makes it text. */
function cell(value: Cell): string {
  if (value === null) return "";
  const text = stripControls(String(value));
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\n\r']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
