/** `selvage cost`: what threads cost and what is held for them, to the last unit of the ledger. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { subtreeOf } from "../../../core/cost-tree.ts";
import { type CostSum, turnsLeft } from "../../../core/costs.ts";
import { showDollars, showShort } from "../../../core/money.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { isTerminal } from "../../../core/status.ts";
import { oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { costCsv } from "../cost-csv.ts";
import {
  type CostLine,
  correctable,
  correctableObject,
  costLines,
  costTotal,
  WAYS,
  type Way,
} from "../cost-lines.ts";
import { readCosts, type ThreadCost } from "../cost-read.ts";
import { costNotes, costTable, cutOffLines, perModel, plainCost } from "../cost-text.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";
import { pastTime } from "../when.ts";

interface CostOptions {
  readonly by: string;
  readonly since?: string;
  readonly csv?: boolean;
  readonly reserved?: boolean;
}

export function costCommand(play: Play): Command {
  return new Command("cost")
    .description("what threads cost, and what is held for them")
    .argument(
      "[id]",
      "a thread and all below it: its id, a unique beginning of it, or @last; all threads without",
    )
    .option("--by <what>", `a line for each ${WAYS.join(", ")}`, "thread")
    .option("--since <time>", "only what was charged since then: 2h, 7d, 2026-11-16, 2026-11-16T01:20:00Z")
    .option("--reserved", "only where something is held for what is under way")
    .option("--csv", "for a spreadsheet; amounts in dollars")
    .action((id: string | undefined, options: CostOptions) => play((session) => cost(session, id, options)));
}

async function cost(session: Session, id: string | undefined, options: CostOptions): Promise<Answer> {
  const by = requireWay(options.by);
  const { world } = session.open();
  const since = options.since === undefined ? undefined : pastTime(options.since, world.clock.now());
  const top = id === undefined ? undefined : await resolveHead(world.store, id);
  const rows = await rowsOf(world, top);
  const costs = await readCosts(world, rows, since);
  for (const { row, unreadable } of costs) {
    if (unreadable !== 0) session.warn(damaged(row, unreadable));
  }
  const all = costLines(costs, by);
  const lines = options.reserved ? all.filter(({ reserved }) => (reserved ?? 0) > 0) : all;
  const forecast = top && since === undefined ? forecastOf(costs, top) : undefined;
  const data = { ...objectOf(lines, costs, { by, since }), forecast: forecast?.data ?? null };
  const answer = { kind: "cost", exit: EXIT.ok, data };
  const { flags, terminal } = session;
  if (options.csv) return { ...answer, text: costCsv(lines, by) };
  if (flags.quiet) return { ...answer, text: data.total.own };
  if (flags.plain) return { ...answer, text: lines.map(plainCost).join("\n") };
  if (lines.length === 0)
    return {
      ...answer,
      hint: options.reserved
        ? "Nothing is held for anything."
        : since === undefined
          ? "Nothing was spent yet."
          : `Nothing was spent since ${since}.`,
    };
  const notes = [
    ...(by === "thread" ? perModel(costLines(costs, "model"), terminal.columns) : []),
    ...(forecast ? [forecast.text] : []),
    ...costNotes(lines),
    ...cutOffLines(correctable(costs)),
  ];
  const text = [costTable(lines, by, terminal), ...notes.map((note) => `  ${note}`)].join("\n");
  return { ...answer, text, ...(top && top.parent_id !== null ? { hint: partOf(top) } : {}) };
}

async function rowsOf({ store }: World, top: ThreadRow | undefined): Promise<readonly ThreadRow[]> {
  if (!top) return store.find({ onlyHeads: true });
  return subtreeOf(await store.find({ rootId: top.root_id, onlyHeads: true }), top.chain_root_id);
}

function requireWay(text: string): Way {
  const found = WAYS.find((way) => way === text);
  if (found) return found;
  const [meant] = closest(text.slice(0, 40), WAYS);
  throw new Problem("E_USAGE", {
    what: `Costs cannot be told by "${oneLine(text, 40)}".`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${WAYS.join(", ")}.`,
    next: [{ cmd: `selvage cost --by ${meant ?? "model"}`, why: "a line for each" }],
  });
}

function damaged({ thread_id }: ThreadRow, amount: number): string {
  return `The journal of ${thread_id} is damaged: ${showShort(amount)} of what it spent cannot be told apart. selvage verify`;
}

function partOf({ root_id }: ThreadRow): string {
  return `Part of a tree; all of it: selvage cost ${root_id}`;
}

/** From the median of its last five turns; nothing is said where children spend as well, or where there is no limit. */
function forecastOf(costs: readonly ThreadCost[], { thread_id }: ThreadRow) {
  const [line] = costLines(costs, "thread");
  const found = costs.find((each) => each.thread_id === thread_id);
  if (!line || !found || costs.length > 1 || line.limit === null || isTerminal(found.row.status))
    return undefined;
  const left = turnsLeft(found.charges, line.limit - found.row.spent);
  if (!left) return undefined;
  const { turns, median } = left;
  const text = `at this pace (${showShort(median)} a turn, the median of the last five) the spend limit is reached in about ${turns} ${turns === 1 ? "turn" : "turns"}`;
  return { text, data: { turns, per_turn: showDollars(median) } };
}

function objectOf(
  lines: readonly CostLine[],
  costs: readonly ThreadCost[],
  { by, since }: { by: Way; since: string | undefined },
) {
  const { sum, reserved } = costTotal(lines);
  return {
    by,
    since: since ?? null,
    rows: lines.map(rowObject),
    total: { own: showDollars(sum.amount), reserved: dollars(reserved), ...counts(sum) },
    models: costLines(costs, "model").map(({ key, sum: each }) => ({ key, own: own(each), ...counts(each) })),
    correctable: correctable(costs).map(correctableObject),
  };
}

function rowObject({ key, depth, sum, children, reserved, reservedUsed, limit, row }: CostLine) {
  const about = row
    ? { parent_id: row.parent_id, depth, directive: row.directive, model: row.model, status: row.status }
    : {};
  const money = { own: own(sum), children: dollars(children), reserved: dollars(reserved) };
  return {
    key,
    ...money,
    reserved_used: showDollars(reservedUsed),
    limit: dollars(limit),
    ...counts(sum),
    ...about,
  };
}

function counts({ inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated }: CostSum) {
  return {
    tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    unpriced_tokens: unpricedTokens,
    calls,
    cut_off: cutOff,
    estimated,
  };
}

/** Null when nothing of it has a price: unknown is not nothing. */
function own({ amount, unpricedTokens }: CostSum): string | null {
  return amount === 0 && unpricedTokens > 0 ? null : showDollars(amount);
}

function dollars(amount: number | null): string | null {
  return amount === null ? null : showDollars(amount);
}
