/** `selvage prune`: deletes what ended long ago, whole trees and whole chains. A person's act, and never by mistake. */
import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { Answer } from "../answer.ts";
import type { OpenProject } from "../house.ts";
import { age, bytes, counted } from "../moment.ts";
import { parseCount } from "../number.ts";
import { requirePerson } from "../operator.ts";
import type { Play } from "../program.ts";
import { endedAt, type PrunePlan, planPrune } from "../prune-plan.ts";
import type { Session } from "../session.ts";
import { table } from "../table.ts";
import { pastTime } from "../when.ts";

interface PruneOptions {
  readonly olderThan: string;
  readonly keepFailed?: boolean;
  readonly dryRun?: boolean;
  readonly confirm?: number;
}

/** Trees that are shown one by one. */
const MOST_SHOWN = 20;

export function pruneCommand(play: Play): Command {
  return new Command("prune")
    .description("delete threads that ended long ago, whole trees and chains only")
    .option("--older-than <age>", "only what ended before: 30d, 12h, 2026-11-16", "30d")
    .option("--keep-failed", "not those in which a thread failed")
    .option("--dry-run", "only show what would go")
    .option("--confirm <count>", "yes to deleting exactly this many threads", parseCount)
    .action((options: PruneOptions) => play((session) => prune(session, options)));
}

async function prune(session: Session, options: PruneOptions): Promise<Answer> {
  if (!options.dryRun) requirePerson("prune");
  const project = options.dryRun ? session.open() : session.openTrusted();
  const { world } = project;
  const now = world.clock.now();
  const before = pastTime(options.olderThan, now, "prune", "--older-than");
  const plan = await planPrune(world, { before, keepFailed: options.keepFailed === true });
  const weight = (await world.store.weigh(plan.ids)) + project.files.weigh(plan.ids);
  const unexported = unexportedOf(project, plan);
  const data = objectOf(plan, weight, unexported.length);
  const look = { ...data, now, before };
  if (options.dryRun || plan.ids.length === 0)
    return { ...answer(data, 0), text: listing(session, plan, look), hint: summary(look, plan) };
  if (!session.terminal.isMachine)
    session.terminal.say(`${listing(session, plan, look)}\n${summary(look, plan)}`);
  if (!(await agreed(session, plan, unexported.length, options))) {
    return { ...answer(data, 0), text: "Nothing was deleted." };
  }
  const refusal = await world.store.remove(plan.ids);
  if (refusal) throw changed(refusal.threadId);
  for (const told of project.files.forget(plan.ids)) session.warn(told);
  const text = `✓ ${counted(plan.ids.length, "thread")} deleted, ${bytes(weight)}. The store uses the room again.`;
  return { ...answer(data, plan.ids.length), text };
}

function answer(data: ReturnType<typeof objectOf>, deleted: number) {
  return { kind: "prune", exit: EXIT.ok, data: { ...data, deleted } };
}

function objectOf({ ids, groups, kept }: PrunePlan, weight: number, unexported: number) {
  const oldest = kept.map(({ group }) => endedAt(group)).sort()[0];
  const keptFor = (why: string) =>
    kept.filter((each) => each.why === why).reduce((sum, { group }) => sum + group.length, 0);
  return {
    would_delete: ids.length,
    trees: groups.length,
    bytes: weight,
    kept_failed: keptFor("failed"),
    kept_live: keptFor("lives"),
    unexported,
    oldest_kept: oldest ?? null,
    ids,
  };
}

/** Nobody has all of it outside the store. */
function unexportedOf({ files }: OpenProject, { groups }: PrunePlan): string[] {
  return groups
    .flat()
    .flatMap(({ thread_id, seq }) => (files.exportedSeq(thread_id) < seq ? [thread_id] : []));
}

function listing(session: Session, { groups }: PrunePlan, { now }: { readonly now: number }): string {
  const rows = [...groups]
    .sort((left, right) => (endedAt(left) < endedAt(right) ? -1 : 1))
    .map((group) => {
      const top = group.find(({ parent_id }) => parent_id === null) ?? group[0];
      return [
        top?.thread_id ?? "",
        top?.status ?? "",
        String(group.length),
        age(now - Date.parse(endedAt(group))),
      ];
    });
  const { flags, terminal } = session;
  if (flags.quiet)
    return groups
      .flat()
      .map(({ thread_id }) => thread_id)
      .join("\n");
  if (flags.plain) return rows.map((row) => row.join("\t")).join("\n");
  if (rows.length === 0) return "";
  const [head = "", ...lines] = table([["TREE", "STATE", "THREADS", "ENDED"], ...rows], terminal.columns);
  const rest = lines.length > MOST_SHOWN ? [`and ${lines.length - MOST_SHOWN} more`] : [];
  return [terminal.out.dim(head), ...lines.slice(0, MOST_SHOWN), ...rest].join("\n");
}

interface Look extends ReturnType<typeof objectOf> {
  readonly now: number;
  readonly before: string;
}

function summary(look: Look, { kept }: PrunePlan): string {
  const { would_delete, trees, unexported, kept_failed, oldest_kept, now, before } = look;
  const isLastOld = kept.some(({ group, why }) => why === "last" && endedAt(group) < before);
  const parts = [
    would_delete === 0
      ? "Nothing to delete"
      : `${counted(would_delete, "thread")} in ${counted(trees, "tree")}, ${bytes(look.bytes)}`,
    ...(unexported > 0 ? [`${unexported} not exported`] : []),
    ...(kept_failed > 0 ? [`${kept_failed} kept for a failure`] : []),
    ...(isLastOld ? [LAST] : []),
    oldest_kept === null ? "nothing is kept" : `oldest kept ended ${age(now - Date.parse(oldest_kept))} ago`,
  ];
  return parts.join(" · ");
}

/** Whoever follows the feed of events finds its end again. */
const LAST = "the tree in which something happened last always stays";

/** What nobody has elsewhere is deleted only by its number; the rest by a yes. */
async function agreed(
  session: Session,
  { ids }: PrunePlan,
  unexported: number,
  { confirm }: PruneOptions,
): Promise<boolean> {
  const { flags, terminal } = session;
  const count = ids.length;
  if (confirm !== undefined) {
    if (confirm === count) return true;
    throw new Problem("E_WRONG_STATE", {
      what: `${counted(count, "thread")} would be deleted, not ${confirm}.`,
      why: "Something has changed since you looked. Nothing was deleted.",
      next: [{ cmd: "selvage prune --dry-run", why: "what would go now" }],
    });
  }
  if (unexported === 0 && flags.yes) return true;
  if (!session.mayAsk || terminal.isMachine) throw unconfirmed(count, unexported);
  if (unexported === 0) return terminal.confirm(`Delete ${counted(count, "thread")}?`, "no");
  const typed = await terminal.ask(`${unexported} were not exported. Type ${count} to delete them all:`);
  return typed === String(count);
}

function unconfirmed(count: number, unexported: number): Problem {
  return new Problem("E_USAGE", {
    what: `To delete ${counted(count, "thread")} has to be confirmed.`,
    why:
      unexported > 0
        ? `${unexported} of them were not exported: what is in them is nowhere else. Nothing was deleted.`
        : "There is nobody here to be asked. Nothing was deleted.",
    next: [
      { cmd: `selvage prune --confirm ${count}`, why: "with the same other flags" },
      { cmd: "selvage prune --dry-run", why: "what would go" },
    ],
  });
}

function changed(threadId: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} has to stay, so nothing was deleted.`,
    why: "It was taken up, or something was added to what belongs to it, a moment ago.",
    next: [{ cmd: "selvage prune --dry-run", why: "what would go now" }],
    threadId,
  });
}
