/** What a wait tells: a line for every change, and at its end what each thread came to (O2). */
import { showDollars } from "../../core/money.ts";
import { isTerminal } from "../../core/status.ts";
import { oneLine, stripControls } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { VIEWS } from "./glyph.ts";
import { clockTime } from "./moment.ts";
import { suspendedHint, suspendedSteps } from "./result.ts";
import type { Flags } from "./session.ts";
import { shortId, shortIds } from "./short-id.ts";
import type { Colours } from "./terminal.ts";
import { seeThread, threadObject } from "./thread-object.ts";
import type { Waited } from "./wait-look.ts";
import type { WaitedFor } from "./wait-run.ts";

export function changeLine(
  { sighting, needs, child }: Waited,
  before: Waited | undefined,
  now: number,
  colours: Colours,
): string {
  const { view, row } = sighting;
  const from = before ? `${before.sighting.view} → ` : "";
  const who = needs.filter((each) => each.row.thread_id !== row.thread_id).map((each) => each.row.thread_id);
  const why = who.length > 0 ? ` · needs somebody: ${shortIds(who)}` : "";
  const said = view === "error" || view === "suspended" ? ` · ${oneLine(child.error ?? "", 80)}` : why;
  const time = colours.dim(clockTime(new Date(now).toISOString()));
  return `${time} ${VIEWS[view].glyph} ${shortId(row.thread_id)}  ${from}${view}${said}`;
}

/** As `wait_threads` hands it to a model, and who needs somebody. */
export function waitObject({ result, threads }: WaitedFor) {
  const needs = threads.flatMap((each) => each.needs);
  const all = new Map(needs.map(({ row }) => [row.thread_id, row]));
  return {
    ...result,
    needs_you: [...all.values()].map(({ thread_id, suspend_reason, waits_for }) => ({
      thread_id,
      suspend_reason,
      approval: waits_for?.kind === "person" ? (waits_for.approval_id ?? null) : null,
    })),
  };
}

export function endedText({ threads, result }: WaitedFor, { quiet, plain }: Flags): string {
  if (quiet)
    return threads
      .filter(({ child }) => isOver(child.status))
      .map(({ child }) => child.id)
      .join("\n");
  return threads
    .map(({ sighting, child }) => {
      const { view, row } = sighting;
      const spent = showDollars(child.cost?.spent ?? 0);
      const { status } = result.threads[child.id] ?? { status: child.status };
      if (plain) return [child.id, status, view, row.turns, spent].join("\t");
      const text = view === "completed" ? (child.text ?? "") : (child.error ?? "");
      const said = text === "" ? "" : `: ${stripControls(oneLine(text, 200))}`;
      const shown = isOver(child.status)
        ? status
        : `${view}${status === "timeout" ? ", not waited for any longer" : ""}`;
      return `${VIEWS[view].glyph} ${child.id} ${shown}${said} ($${spent})`;
    })
    .join("\n");
}

/** Those that are still waited for. */
export function openOnes(threads: readonly Waited[]): string {
  return shortIds(threads.filter(({ child }) => !isOver(child.status)).map(({ child }) => child.id));
}

function isOver(status: Waited["child"]["status"]): boolean {
  return status !== "created" && status !== "running" && status !== "suspended" && isTerminal(status);
}

const MOST_TOLD = 3;

/** The commands that let those go on who keep everybody waiting. */
export async function needHint(world: World, { threads }: WaitedFor): Promise<string> {
  const all = new Map(threads.flatMap(({ needs }) => needs).map((each) => [each.row.thread_id, each]));
  const told: string[] = [];
  const now = world.clock.now();
  for (const sighting of [...all.values()].slice(0, MOST_TOLD)) {
    const seen = await seeThread(world, sighting);
    const thread = threadObject(seen);
    told.push(suspendedHint(thread, suspendedSteps(seen, thread, now), now));
  }
  const more = all.size > MOST_TOLD ? [`and ${all.size - MOST_TOLD} more: selvage ps`] : [];
  return [...told, ...more].join("\n");
}
