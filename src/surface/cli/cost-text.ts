/** What threads cost, as people read it. */
import { addCost, type CostSum, noCost } from "../../core/costs.ts";
import { showDollars, showShort } from "../../core/money.ts";
import { grouped, oneLine } from "../../core/text.ts";
import { type Correctable, type CostLine, costTotal, settleCommand, type Way } from "./cost-lines.ts";
import { counted } from "./moment.ts";
import { cutTo, widthOf } from "./shown-width.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const HEADS: Record<Way, string> = {
  thread: "THREAD",
  model: "MODEL",
  day: "DAY (UTC)",
  directive: "DIRECTIVE",
};

export function costTable(lines: readonly CostLine[], by: Way, { columns, out }: Terminal): string {
  const total = costTotal(lines);
  const hasChildren = lines.some(({ children }) => (children ?? 0) > 0);
  const rows = lines.map((line) => {
    const { key, depth, sum, children, reserved, reservedUsed, limit } = line;
    return [
      `${"  ".repeat(Math.min(depth, 20))}${oneLine(key, 80)}`,
      moneyOf(sum),
      ...(hasChildren ? [children ? showShort(children) : ""] : []),
      reservedText(reserved, reservedUsed),
      ...(by === "thread" ? [limit === null ? "" : showShort(limit)] : []),
      tokensOf(sum),
      flags(sum),
    ];
  });
  const sums = [
    "total",
    moneyOf(total.sum),
    ...(hasChildren ? [""] : []),
    reservedText(total.reserved, 0),
    ...(by === "thread" ? [""] : []),
    tokensOf(total.sum),
    "",
  ];
  const heads = [
    HEADS[by],
    "OWN",
    ...(hasChildren ? ["CHILDREN"] : []),
    "RESERVED",
    ...(by === "thread" ? ["LIMIT"] : []),
    "TOKENS",
    "",
  ];
  const [head = "", ...shown] = table([heads, ...rows, ...(lines.length > 1 ? [sums] : [])], columns);
  return [out.dim(head), ...shown].join("\n");
}

/** Fixed columns: key, own, children, reserved, limit, tokens, unpriced tokens, calls, cut off, estimated. */
export function plainCost({ key, sum, children, reserved, limit }: CostLine): string {
  const money = [sum.amount, children, reserved, limit].map((amount) =>
    amount === null ? "-" : showDollars(amount),
  );
  const { inputTokens, outputTokens, unpricedTokens, calls, cutOff, estimated } = sum;
  return [
    oneLine(key, 200),
    ...money,
    inputTokens + outputTokens,
    unpricedTokens,
    calls,
    cutOff,
    estimated,
  ].join("\t");
}

/** What nobody priced is not known to be nothing. */
function moneyOf({ amount, unpricedTokens }: CostSum): string {
  if (unpricedTokens === 0) return showShort(amount);
  return amount === 0 ? "—" : `${showShort(amount)} + —`;
}

function tokensOf({ inputTokens, outputTokens }: CostSum): string {
  return grouped(inputTokens + outputTokens);
}

function reservedText(reserved: number | null, used: number): string {
  if (reserved === null || reserved === 0) return "";
  return used > 0 ? `${showShort(reserved)} (${showShort(used)} used)` : showShort(reserved);
}

function flags({ cutOff, estimated }: CostSum): string {
  return [
    ...(cutOff > 0 ? [`! ${counted(cutOff, "call")} cut off`] : []),
    ...(estimated > 0 ? [`~ ${counted(estimated, "bill")} estimated`] : []),
  ].join(" · ");
}

/** `per model   sonnet $1.61 · haiku $0.40`: on one line where that fits, and otherwise one for each. */
export function perModel(lines: readonly CostLine[], columns: number): string[] {
  if (lines.length === 0) return [];
  const models = lines.map(({ key, sum }) => `${oneLine(key, 60)} ${moneyOf(sum)}`);
  const whole = `per model   ${models.join(" · ")}`;
  if (widthOf(whole) <= columns - 2) return [whole];
  return models.map((model, at) => cutTo(`${at === 0 ? "per model" : "         "}   ${model}`, columns - 2));
}

/** What is behind the signs of the table. */
export function costNotes(lines: readonly CostLine[]): string[] {
  const { cutOff, estimated, unpricedTokens } = lines.reduce((sum, line) => addCost(sum, line.sum), noCost);
  return [
    ...(cutOff > 0
      ? [
          `${counted(cutOff, "call")} cut off, the provider may have billed ${cutOff === 1 ? "it" : "them"}: charged as held`,
        ]
      : []),
    ...(estimated > 0 ? [`${counted(estimated, "bill")} estimated: nobody reported what was used`] : []),
    ...(unpricedTokens > 0
      ? [`— ${counted(unpricedTokens, "token")} of models that have no price here: selvage models ls`]
      : []),
  ];
}

const SHOWN = 5;

/** The commands that correct charges which nobody has looked up yet. */
export function correctLines(found: readonly Correctable[]): string[] {
  const open = found.filter(({ charge }) => !charge.isCorrected);
  const shown = open.slice(-SHOWN);
  const width = Math.max(0, ...shown.map((each) => settleCommand(each).length));
  const lines = shown.map((each) => {
    const { amount, kind } = each.charge;
    const how = kind === "cut_off" ? "charged as held" : "estimated";
    return `  ${settleCommand(each).padEnd(width)}   $${showDollars(amount)}, ${how}`;
  });
  const more = open.length > SHOWN ? [`  and ${open.length - SHOWN} earlier: --json lists them all`] : [];
  return open.length === 0 ? [] : ["if the invoice says otherwise:", ...lines, ...more];
}

/** What was charged as held: an estimate is mentioned only where somebody asks for the budget of its thread. */
export function cutOffLines(found: readonly Correctable[]): string[] {
  return correctLines(found.filter(({ charge }) => charge.kind === "cut_off"));
}
