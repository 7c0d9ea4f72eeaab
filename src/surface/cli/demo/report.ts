/** What the demo came to, for programs; and its last words, for people. */
import { showDollars } from "../../../core/money.ts";
import { type Check, cutOffCalls, prove, redone, repaid } from "./proof.ts";
import type { Act } from "./stage.ts";
import type { Told } from "./story.ts";

export interface DemoReport {
  readonly acts: readonly Act[];
  readonly redone: number;
  readonly repaid: string;
  readonly cut_off_calls: number;
  readonly recovered: number;
  readonly total: string;
  readonly thread_id: string;
  readonly checks: readonly {
    readonly claim: string;
    readonly holds: boolean;
    readonly against: readonly string[];
  }[];
  readonly failures: readonly string[];
}

export function reportOf(acts: readonly Act[], { evidence, recovered, rootId }: Told): DemoReport {
  const checks = prove(evidence);
  return {
    acts,
    redone: redone(evidence),
    repaid: showDollars(repaid(evidence)),
    cut_off_calls: cutOffCalls(evidence),
    recovered,
    total: showDollars(evidence.total),
    thread_id: rootId,
    checks: checks.map(({ claim, against }) => ({ claim, holds: against.length === 0, against })),
    failures: [
      ...acts.flatMap(({ name, ok }) => (ok ? [] : [`act "${name}" went wrong`])),
      ...checks.flatMap(failure),
    ],
  };
}

function failure({ claim, against }: Check): string[] {
  return against.length === 0 ? [] : [`not true that ${claim}: ${against.join("; ")}`];
}

/** Nothing failed, nothing that was finished was done or paid for again. */
export function isProven({ failures, redone: again, repaid: paid }: DemoReport): boolean {
  return failures.length === 0 && again === 0 && Number(paid) === 0;
}

/** One line when all of it holds; else what does not. */
export function proofText({ checks }: DemoReport): string {
  const held = checks.filter(({ holds }) => holds).length;
  const agree =
    held === checks.length ? "journal, ledger, files and processes agree" : "not all of it is true";
  return `${held} of ${checks.length} checks hold: ${agree}`;
}

const WORDS: Readonly<Record<string, string>> = {
  "wave 1": "parallel waves",
  retry: "retry",
  kill: "kill -9",
  recover: "recovery",
  approval: "approval",
  server: "managed process",
  end: "tree budget",
};

/** What was there to see, or what went wrong. */
export function summaryLines(report: DemoReport): string[] {
  if (!isProven(report)) return ["The proof failed:", ...report.failures.map((text) => `  ✗ ${text}`)];
  const seen = Object.entries(WORDS).flatMap(([act, words]) =>
    report.acts.some(({ name, ok }) => name === act && ok) ? [words] : [],
  );
  return [`You saw: ${seen.join(" · ")}`];
}

export function nextLines({ thread_id }: DemoReport, kept: string | undefined): string[] {
  const look = kept === undefined ? "selvage demo --keep" : `selvage -C ${kept} tree ${thread_id}`;
  const steps = [
    ["selvage demo --step", "same story, press a key for each act"],
    [look, kept === undefined ? "keeps the project to look at" : "look at what is left"],
    ["selvage init", "your own project"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, why]) => `  ${command.padEnd(width)}   ${why}`);
}
