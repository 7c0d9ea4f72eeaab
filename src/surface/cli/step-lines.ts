/** The commands that come next, one under the other, each with what it is good for (UX a.4). */
import type { NextStep } from "../../core/problem.ts";

export function stepLines(steps: readonly NextStep[]): string[] {
  const width = Math.max(0, ...steps.map(({ cmd }) => cmd.length));
  return steps.map(
    ({ cmd, why }, index) => `  ${(index === 0 ? "next" : "").padEnd(4)}  ${cmd.padEnd(width)}   ${why}`,
  );
}
