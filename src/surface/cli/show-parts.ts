/** Parts of `selvage show` that are asked for alone: state, limits, hooks, files. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { costOf } from "../../core/cost.ts";
import type { Event } from "../../core/event.ts";
import { oneLine, spelledOut } from "../../core/text.ts";
import { limitRows, seeBudget } from "./budget-object.ts";
import type { OpenProject } from "./house.ts";
import { usedText } from "./limit-text.ts";
import { clockTime } from "./moment.ts";
import type { Session } from "./session.ts";
import { table } from "./table.ts";
import type { Seen, ThreadObject } from "./thread-object.ts";

export interface PartOptions {
  readonly state?: boolean;
  readonly limits?: boolean;
  readonly hooks?: boolean;
  readonly paths?: boolean;
}

interface Part {
  readonly data: object;
  readonly text: string;
}

/** The parts that were asked for, one below the other; undefined when none was. */
export async function partsOf(
  session: Session,
  project: OpenProject,
  seen: Seen,
  options: PartOptions,
): Promise<Part | undefined> {
  const parts: Part[] = [
    ...(options.state ? [stateOf(seen)] : []),
    ...(options.limits ? [await limitsOf(session, project, seen)] : []),
    ...(options.hooks ? [await hooksOf(project, seen)] : []),
    ...(options.paths ? [pathsOf(project, seen)] : []),
  ];
  if (parts.length === 0) return undefined;
  return {
    data: Object.assign({}, ...parts.map(({ data }) => data)),
    text: parts.map(({ text }) => text).join("\n\n"),
  };
}

/** What follows from its journal, as far as it says where the thread stands. */
function stateOf({ thread }: Seen): Part {
  const { directive, inputs, status, limits, suspendReason, seq, turns, run } = thread;
  const state = {
    ...{ directive, inputs, status, suspend_reason: suspendReason ?? null, run, turns, seq },
    ...{ cost: costOf(thread), limits },
    wait: thread.wait ?? null,
    stopping: thread.stopping ?? null,
  };
  return { data: { state }, text: spelledOut(JSON.stringify(state, null, 2)) };
}

async function limitsOf({ terminal }: Session, { world }: OpenProject, { sighting }: Seen): Promise<Part> {
  const budget = await seeBudget(world, sighting.row.thread_id);
  return { data: {}, text: table(limitRows(budget), terminal.columns).join("\n") };
}

async function hooksOf({ world }: OpenProject, { thread }: Seen): Promise<Part> {
  const { events } = await world.store.load(thread.id);
  const matched = events.filter((event): event is Event<"hook_matched"> => event.type === "hook_matched");
  const hooks = matched.map(({ hook, event, action, where, ts, message = null, problem = null }) => ({
    ...{ hook, event, action, path: where, at: ts, message, problem },
  }));
  const lines = hooks.map(({ at, event, hook, action, message, problem }) => {
    const said = message ?? problem;
    const words = said === null ? "" : `: ${oneLine(said, 80)}`;
    return `${clockTime(at)} ${event} ${oneLine(hook, 60)} → ${action}${words}`;
  });
  return { data: { hooks }, text: lines.length === 0 ? "No hook was asked." : lines.join("\n") };
}

function pathsOf({ root }: OpenProject, { thread }: Seen): Part {
  const folder = join(root, ".ai", "threads", thread.id);
  const paths = filesIn(folder).map((path) => relative(root, path));
  return { data: { paths }, text: paths.length === 0 ? "It has no files." : paths.join("\n") };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return []; // they may be deleted at any time
  }
}

/** What it used of what it may, beside money. */
export function useText({ cost, limits }: ThreadObject): string {
  const turns = usedText(cost.turns, limits["turns"]);
  const tokens = usedText(cost.tokens, limits["tokens"]);
  return `${turns} turns · ${tokens} tokens · ${usedText(cost.duration_seconds, limits["duration"])} s`;
}
