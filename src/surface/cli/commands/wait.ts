/** `selvage wait`: until threads have ended, wherever they run. */
import { Command } from "commander";
import type { Wait } from "../../../core/family.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { parseCount, parseSeconds } from "../number.ts";
import type { Play } from "../program.ts";
import { resolveHeads } from "../resolve.ts";
import { exitOfThread, worstExit } from "../result.ts";
import type { Session } from "../session.ts";
import { applyHere, askToStop } from "../stopping.ts";
import { type WaitedFor, waitFor } from "../wait-run.ts";
import { changeLine, endedText, needHint, openOnes, waitObject } from "../wait-text.ts";

interface WaitOptions {
  readonly any?: boolean;
  readonly require?: number;
  readonly failFast?: boolean;
  readonly cancelSiblings?: boolean;
  readonly timeout?: number;
}

export function waitCommand(play: Play): Command {
  return new Command("wait")
    .description("until threads have ended, wherever they run")
    .argument("<ids...>", "threads: an id, a unique beginning of it, or @last")
    .option("--any", "one that completes is enough")
    .option("--require <count>", "so many that complete are enough", parseCount)
    .option("--fail-fast", "come back at the first that fails")
    .option("--cancel-siblings", "with --fail-fast: stop the others then")
    .option("--timeout <seconds>", "come back after this time; they go on (exit 8)", parseSeconds)
    .action((ids: string[], options: WaitOptions) => play((session) => wait(session, ids, options)));
}

async function wait(session: Session, ids: readonly string[], options: WaitOptions): Promise<Answer> {
  requireSense(options, ids);
  const { world } = options.cancelSiblings ? session.openTrusted() : session.open();
  const rows = await resolveHeads(world.store, ids);
  const { terminal, flags } = session;
  const waited = await waitFor(session, world, {
    wait: waitOf(rows, options, world.clock.now()),
    timeoutMs: options.timeout === undefined ? undefined : options.timeout * 1_000,
    onChange: (one, before) => {
      if (!flags.quiet) terminal.say(changeLine(one, before, world.clock.now(), terminal.err));
    },
    onBeat: (threads) => {
      if (!flags.quiet) terminal.say(`still waiting for ${openOnes(threads)}`);
    },
  });
  await stopOthers(world, waited);
  const hint = waited.why === "suspended" ? { hint: await needHint(world, waited) } : {};
  const exit = exitOf(waited, session.interruption().exit);
  return { kind: "wait", exit, data: waitObject(waited), text: endedText(waited, flags), ...hint };
}

function requireSense({ any, require, failFast, cancelSiblings }: WaitOptions, ids: readonly string[]): void {
  const why =
    cancelSiblings && !failFast
      ? "--cancel-siblings needs --fail-fast: without it nobody comes back before all have ended."
      : any && require !== undefined
        ? "--any is --require 1."
        : require !== undefined && require > ids.length
          ? `Only ${ids.length} were named.`
          : undefined;
  if (why === undefined) return;
  throw new Problem("E_USAGE", {
    what: "That cannot be waited for.",
    why,
    next: [{ cmd: "selvage wait --help", why: "what the options mean" }],
  });
}

function waitOf(rows: readonly ThreadRow[], options: WaitOptions, now: number): Wait {
  const { any, require, failFast = false, cancelSiblings = false } = options;
  return {
    callId: null,
    ids: rows.map(({ thread_id }) => thread_id),
    require: Math.min(any ? 1 : (require ?? rows.length), rows.length),
    failFast,
    cancelSiblings,
    includeSuspended: false,
    since: new Date(now).toISOString(),
  };
}

/** Should one have ended in this very moment, there is nothing left to stop. */
async function stopOthers(world: World, { cancels, threads }: WaitedFor): Promise<void> {
  for (const { id, reason } of cancels) {
    const row = threads.find(({ child }) => child.id === id)?.sighting.row;
    if (!row) continue;
    try {
      if (!(await askToStop(world, row, { reason }))) await applyHere(world, row);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}

function exitOf({ why, result, threads }: WaitedFor, signal: number | undefined): number {
  if (why === "signal") return signal ?? EXIT.ok;
  if (result.success) return EXIT.ok;
  const exits = threads.map(({ sighting, needs }) =>
    needs.length > 0 ? EXIT.needs_you : exitOfThread({ status: sighting.row.status, resumes_at: null }),
  );
  return worstExit(
    why === "timeout" ? [...exits.filter((exit) => exit !== EXIT.needs_you), EXIT.pending] : exits,
  );
}
