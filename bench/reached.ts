/** Whether what was found is what was asked for, read from both as they stand in the report. */

const UNITS: Readonly<Record<string, readonly [kind: string, size: number]>> = {
  "×": ["ratio", 1],
  "": ["count", 1],
  ms: ["time", 1],
  s: ["time", 1_000],
  KB: ["room", 1],
  MB: ["room", 1_000],
};
const NUMBER = /(-?[\d.]+) ?(×|ms|s|KB|MB)?(?![\p{L}\d])/u;

/** Empty where nothing is asked for, or something that one number does not answer. */
export function reached(what: string, found: string, mark: string): "" | "yes" | "no" {
  const [, which = "", sign, wanted = ""] = /^(p50 )?([≤≥]) (.*)$/.exec(mark) ?? [];
  const limit = valueIn(wanted);
  const values = asked(what, which !== "", found).map(valueIn);
  if (!sign || !limit || values.length === 0) return "";
  if (values.some((value) => value?.kind !== limit.kind)) return "";
  const isFine = values.every((value) =>
    sign === "≤" ? (value?.size ?? 0) <= limit.size : (value?.size ?? 0) >= limit.size,
  );
  return isFine ? "yes" : "no";
}

/** Of several numbers: the first of quantiles, the last of sides (raw comes first), otherwise all. */
function asked(what: string, isMedian: boolean, found: string): string[] {
  const parts = found.replaceAll(/\(.*?\)/g, "").split("|");
  if (isMedian) return parts.slice(0, 1);
  return what.endsWith("raw | durable") ? parts.slice(-1) : parts;
}

function valueIn(text: string): { kind: string; size: number } | undefined {
  const [, number, unit = ""] = NUMBER.exec(text.replace(/\(.*/, "")) ?? [];
  const [kind, size] = UNITS[unit] ?? [];
  return number === undefined || kind === undefined || size === undefined
    ? undefined
    : { kind, size: Number(number) * size };
}
