/** The report of `selvage doctor` for people: a line for each check, and below it what to do. */
import { byCategory, type Check, type CheckStatus } from "../../../core/diagnosis.ts";
import { oneLine } from "../../../core/text.ts";
import { counted } from "../moment.ts";
import type { Session } from "../session.ts";

const SIGNS: Readonly<Record<CheckStatus, string>> = { ok: "✓", warn: "▲", fail: "✗", skip: "·" };
const LABEL = 11;

export function doctorText({ terminal, flags }: Session, checks: readonly Check[]): string {
  const { out, columns } = terminal;
  const paint: Record<CheckStatus, (text: string) => string> = {
    ok: out.green,
    warn: out.yellow,
    fail: out.red,
    skip: out.gray,
  };
  const width = columns - LABEL;
  const lines = byCategory(checks).flatMap(([category, found]) =>
    found.flatMap((check, at) => {
      const label = out.dim((at === 0 ? category : "").padEnd(LABEL));
      const gap = " ".repeat(LABEL + 2);
      const detail = check.status === "ok" && !flags.verbose ? [] : check.detail;
      return [
        `${label}${paint[check.status](SIGNS[check.status])} ${oneLine(check.summary, width - 2)}`,
        ...detail.map((text) => `${gap}${out.dim(oneLine(text, width - 2))}`),
        ...(check.fix ? [`${gap}→ ${oneLine(check.fix.cmd, width - 4)}`] : []),
      ];
    }),
  );
  return [...lines, summary(checks)].join("\n");
}

function summary(checks: readonly Check[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const [failures, warnings] = [count("fail"), count("warn")];
  if (failures + warnings === 0) return "all is well";
  return `${counted(failures, "failure")}, ${counted(warnings, "warning")}`;
}

/** Fixed columns: id, status, summary, command. */
export function plainCheck({ id, status, summary: said, fix }: Check): string {
  return [id, status, oneLine(said, 300), fix?.cmd ?? "-"].join("\t");
}
