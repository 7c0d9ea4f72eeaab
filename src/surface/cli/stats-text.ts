/** What threads did, as people and spreadsheets read it. */

import { csvText } from "../../core/csv.ts";
import { showDollars, showShort } from "../../core/money.ts";
import { type StatsWay, statsTotal, type Tally, type ToolTally } from "../../core/stats.ts";
import { grouped, oneLine } from "../../core/text.ts";
import { age, counted, duration } from "./moment.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface StatsLine {
  readonly key: string;
  readonly tally: Tally;
}

const HEADS: Record<StatsWay, string> = {
  tree: "TREE",
  model: "MODEL",
  directive: "DIRECTIVE",
  day: "DAY (UTC)",
};

export function statsTable(lines: readonly StatsLine[], by: StatsWay, terminal: Terminal): string {
  const { columns, out } = terminal;
  const total = statsTotal(lines.map(({ tally }) => tally));
  const heads = [HEADS[by], "COST", "IN", "CACHED", "OUT", "TURNS", "RETRIES", "FAILED", "CALLS", "WAITED"];
  const rows = lines.map(({ key, tally }) => [oneLine(key, 80), ...cells(tally)]);
  const sums = lines.length > 1 ? [["total", ...cells(total)]] : [];
  const [head = "", ...shown] = table([heads, ...rows, ...sums], columns);
  return [
    out.dim(head),
    ...shown,
    ...notes(total).map((note) => `  ${note}`),
    ...toolTable(total, terminal),
  ].join("\n");
}

function cells(tally: Tally): string[] {
  const { cost, cacheRead, turns, retries, failures, waitedMs } = tally;
  const calls = callsOf(tally);
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  return [
    moneyOf(tally),
    ...[cost.inputTokens, cacheRead, cost.outputTokens, turns, retries, failed].map(number),
    calls.errors > 0 ? `${number(calls.calls)} (${share(calls)} errors)` : number(calls.calls),
    waitedMs > 0 ? age(waitedMs) : "",
  ];
}

/** What nobody priced is not known to be nothing. */
function moneyOf({ cost: { amount, unpricedTokens } }: Tally): string {
  if (unpricedTokens === 0) return showShort(amount);
  return amount === 0 ? "—" : `${showShort(amount)} + —`;
}

function notes({ failures, recoveries, handOffs, stops, waitedMs }: Tally): string[] {
  const failed = [...failures].sort((left, right) => right[1] - left[1]);
  const said = [
    ...(recoveries > 0 ? [counted(recoveries, "recovery", "recoveries")] : []),
    ...(handOffs > 0 ? [counted(handOffs, "hand-off")] : []),
    ...(stops > 0 ? [`${counted(stops, "stop")} for a person, ${age(waitedMs)}`] : []),
  ];
  return [
    ...(failed.length > 0
      ? [`failures   ${failed.map(([category, count]) => `${category} ${number(count)}`).join(" · ")}`]
      : []),
    ...(said.length > 0 ? [said.join(" · ")] : []),
  ];
}

/** Those that were called most first. */
function toolTable({ tools }: Tally, { columns, out }: Terminal): string[] {
  if (tools.size === 0) return [];
  const rows = [...tools]
    .sort((left, right) => right[1].calls - left[1].calls)
    .map(([tool, each]) => [
      oneLine(tool, 60),
      number(each.calls),
      each.errors > 0 ? `${number(each.errors)} (${share(each)})` : "",
      each.unknown > 0 ? number(each.unknown) : "",
      duration(each.totalMs / each.calls),
      duration(each.longestMs),
    ]);
  const [head = "", ...shown] = table(
    [["TOOL", "CALLS", "ERRORS", "UNKNOWN", "AVERAGE", "LONGEST"], ...rows],
    columns,
  );
  return ["", out.dim(head), ...shown];
}

function share({ errors, calls }: Pick<ToolTally, "errors" | "calls">): string {
  return `${((100 * errors) / calls).toFixed(1)} %`;
}

function number(count: number): string {
  return grouped(count);
}

function callsOf({ tools }: Tally): Pick<ToolTally, "calls" | "errors" | "totalMs"> {
  const sum = { calls: 0, errors: 0, totalMs: 0 };
  for (const { calls, errors, totalMs } of tools.values()) {
    sum.calls += calls;
    sum.errors += errors;
    sum.totalMs += totalMs;
  }
  return sum;
}

const COLUMNS = [
  ...["cost", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "unpriced_tokens"],
  ...["requests", "turns", "retries", "failures", "tool_calls", "tool_errors", "tool_ms", "recoveries"],
  ...["hand_offs", "stops", "waited_ms", "threads"],
];

function figures(tally: Tally): (string | number)[] {
  const { cost, cacheRead, cacheWrite, turns, retries, failures } = tally;
  const { calls, errors, totalMs } = callsOf(tally);
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...[showDollars(cost.amount), cost.inputTokens, cacheRead, cacheWrite, cost.outputTokens],
    ...[cost.unpricedTokens, cost.calls, turns, retries, failed, calls, errors, totalMs],
    ...[tally.recoveries, tally.handOffs, tally.stops, tally.waitedMs, tally.threads],
  ];
}

/** A header, a line each, no total that would be summed once more. */
export function statsCsv(lines: readonly StatsLine[], by: StatsWay): string {
  return csvText([[by, ...COLUMNS], ...lines.map(({ key, tally }) => [key, ...figures(tally)])]);
}

/** The columns of the spreadsheet, without a header. */
export function plainStats({ key, tally }: StatsLine): string {
  return [oneLine(key, 200), ...figures(tally)].join("\t");
}

export function statsObject(tally: Tally) {
  const { cost, failures, tools } = tally;
  const { calls, errors, totalMs } = callsOf(tally);
  return {
    // Unknown is not nothing.
    cost: cost.amount === 0 && cost.unpricedTokens > 0 ? null : showDollars(cost.amount),
    input_tokens: cost.inputTokens,
    cache_read_tokens: tally.cacheRead,
    cache_write_tokens: tally.cacheWrite,
    output_tokens: cost.outputTokens,
    unpriced_tokens: cost.unpricedTokens,
    requests: cost.calls,
    turns: tally.turns,
    retries: tally.retries,
    failures: Object.fromEntries(failures),
    tool_calls: { calls, errors, error_rate: calls === 0 ? 0 : errors / calls, total_ms: totalMs },
    tools: Object.fromEntries([...tools].map(([tool, each]) => [tool, toolObject(each)])),
    recoveries: tally.recoveries,
    hand_offs: tally.handOffs,
    waiting_for_people: { stops: tally.stops, ms: tally.waitedMs },
  };
}

function toolObject({ calls, errors, unknown, stopped, totalMs, longestMs }: ToolTally) {
  const rate = { error_rate: errors / calls };
  return { calls, errors, ...rate, unknown, stopped, total_ms: totalMs, longest_ms: longestMs };
}
