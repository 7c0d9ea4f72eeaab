/** A problem as a person reads it (UX a.4) and as a program does (a.3). */
import { BrokenChain } from "../../core/chain-links.ts";
import { diskWhy, isDiskError } from "../../core/disk-error.ts";
import { StorageFailure } from "../../core/failure.ts";
import { type NextStep, PAGES, Problem, type ProblemCode } from "../../core/problem.ts";
import { stripControls } from "../../core/text.ts";
import type { Colours } from "./terminal.ts";

/** Whatever was thrown, as something that can be told. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return withWayOn(error);
  if (error instanceof BrokenChain) {
    return new Problem("E_CORRUPT", {
      what: "The links of a chain are damaged.",
      why: `${error.message}. Nothing was written.`,
      next: [{ cmd: "selvage verify", why: "names every link that is wrong" }],
      cause: error,
    });
  }
  if (error instanceof StorageFailure) {
    return new Problem("E_DISK", {
      what: "The store could not be written.",
      why: `${error.message} (${error.code}). Nothing was acknowledged that is not stored.`,
      next: [{ cmd: "selvage recover", why: "once there is room again" }],
      cause: error,
    });
  }
  if (isDiskError(error)) {
    return new Problem("E_DISK", {
      what: "A file could not be read or written.",
      why: diskWhy(error),
      next: [LOOK_AT_DISK],
      cause: error,
    });
  }
  return new Problem("E_INTERNAL", {
    what: "Selvage itself failed.",
    why: error instanceof Error ? error.message : String(error),
    next: [{ cmd: "selvage recover", why: "brings back whatever was running" }],
    cause: error,
  });
}

const LOOK_AT_DISK = { cmd: "selvage doctor", why: "what is free, and what cannot be written" };

/** Where a problem was found nobody knew the commands; for these there is one that always fits. */
const WAYS_ON: Partial<Record<ProblemCode, NextStep>> = {
  E_CONFIG_INVALID: { cmd: "selvage config check", why: "shows everything that is wrong at once" },
  E_DIRECTIVE_INVALID: { cmd: "selvage directive lint", why: "shows everything that is wrong at once" },
  E_DISK: LOOK_AT_DISK,
  E_MODEL_UNKNOWN: { cmd: "selvage models ls -a", why: "lists the models" },
};

function withWayOn(problem: Problem): Problem {
  const { code, message: what, why, threadId } = problem;
  const step = WAYS_ON[code];
  if (problem.next.length > 0 || !step) return problem;
  return new Problem(code, {
    ...{ what, next: [step], cause: problem.cause ?? problem },
    ...(why === undefined ? {} : { why }),
    ...(threadId === undefined ? {} : { threadId }),
  });
}

export function exitOf(problem: Problem): number {
  return PAGES[problem.code].exit;
}

export function problemText(problem: Problem, colours: Colours, options: { verbose: boolean }): string {
  const lines = [`${colours.red("✗")} ${stripControls(problem.message)}`];
  if (problem.why) lines.push(...labelled("why", stripControls(problem.why).split("\n"), colours));
  const width = Math.min(60, Math.max(0, ...problem.next.map(({ cmd }) => cmd.length)));
  const steps = problem.next
    .slice(0, 3)
    .map(({ cmd, why }) => `${stripControls(cmd).padEnd(width)}   ${colours.dim(why)}`);
  lines.push(...labelled("next", steps, colours));
  lines.push(`  ${colours.dim(`${problem.code} · selvage explain ${problem.code}`)}`);
  if (options.verbose) lines.push(...stack(problem));
  return lines.join("\n");
}

function labelled(label: string, lines: readonly string[], colours: Colours): string[] {
  return lines.map((line, index) => `  ${colours.dim((index === 0 ? label : "").padEnd(4))}  ${line}`);
}

function stack(problem: Problem): string[] {
  const cause = problem.cause instanceof Error ? problem.cause.stack : undefined;
  return (cause ?? problem.stack ?? "").split("\n").map((line) => `  ${line}`);
}

export function problemData(problem: Problem) {
  return {
    code: problem.code,
    what: problem.message,
    why: problem.why ?? null,
    next: problem.next,
    ...(problem.threadId === undefined ? {} : { thread_id: problem.threadId }),
    docs: `errors/${problem.code}`,
  };
}
