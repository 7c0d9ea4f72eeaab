/** Models as people read them: a line each. */
import type { ModelShown } from "../../core/model-list.ts";
import { showDollars } from "../../core/money.ts";
import type { Rates } from "../../core/price.ts";
import { oneLine } from "../../core/text.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const TOKENS = 1_000_000;

/** Dollars per million tokens, as a decimal string. */
export function perMillion(rate: number): string {
  return showDollars(rate * TOKENS);
}

export function modelTable(models: readonly ModelShown[], terminal: Terminal): string {
  const rows = models.map(({ name, price, window, tiers, origin }) => [
    oneLine(name, 60),
    price ? `${shortly(price)}${price.long ? "+" : ""}` : "unknown",
    count(window),
    tiers.join(", "),
    origin,
  ]);
  const head = ["MODEL", "$/M IN / OUT", "WINDOW", "TIER", "WHERE"];
  const [first = "", ...lines] = table([head, ...rows], terminal.columns);
  const more = models.some(({ price }) => price?.long) ? ["+ long prompts cost more: --json"] : [];
  return [terminal.out.dim(first), ...lines, ...more.map(terminal.out.dim)].join("\n");
}

/** Fixed columns: name, input, output, cache read, cache write, window, longest answer, tiers, where. */
export function plainModel({ name, price, window, maxOutput, tiers, origin }: ModelShown): string {
  const { input, output, cache_read, cache_write } = price ?? {};
  const rates = [input, output, cache_read, cache_write].map((rate) =>
    rate === undefined ? "" : perMillion(rate),
  );
  const columns = [
    oneLine(name, 200),
    ...rates,
    String(window),
    String(maxOutput ?? ""),
    tiers.join(","),
    origin,
  ];
  return columns.map((column) => column || "-").join("\t");
}

function shortly({ input, output }: Rates): string {
  return `${trimmed(input)} / ${trimmed(output)}`;
}

/** Two decimals, and more only where there are more. */
function trimmed(rate: number): string {
  return perMillion(rate).replace(/0{1,2}$/, "");
}

function count(tokens: number): string {
  return tokens % 1_000 === 0 ? `${tokens / 1_000}k` : String(tokens);
}
