/** `selvage` alone: the project at a glance, or what this is. */

import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import { isTerminal, STATUSES } from "../../../core/status.ts";
import { grouped } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { type InboxEntry, readInbox } from "../approval-inbox.ts";
import { type DaySpend, daySpend } from "../day-spend.ts";
import { VIEW_ORDER, VIEWS, type View } from "../glyph.ts";
import { hostName, hostObject } from "../host-text.ts";
import type { OpenProject } from "../house.ts";
import { age } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { looker, surveyLive } from "../survey.ts";
import { watch } from "../watching.ts";

const ABOUT = [
  "selvage runs LLM agents so that no crash loses finished work or repeats it.",
  "",
  "  selvage demo     a story of 25 s: waves, a rate limit, a real crash, recovery, an approval; no key needed",
  "  selvage init     make a project here",
  "  selvage --help   all commands",
].join("\n");

export function statusCommand(play: Play): Command {
  return new Command("status")
    .description("the project at a glance; also `selvage` alone")
    .option("-w, --watch", "again whenever something changes")
    .action((options: { watch?: boolean }) =>
      play((session) => (options.watch ? watchStatus(session) : status(session))),
    );
}

export async function status(session: Session): Promise<Answer> {
  const root = findRoot(session);
  if (root === undefined) return { kind: "status", exit: EXIT.ok, data: { project: null }, text: ABOUT };
  return glance(session, session.open(root));
}

async function watchStatus(session: Session): Promise<Answer> {
  const project = session.open();
  return watch(session, project.world, async () => {
    const answer = await glance(session, project);
    return { answer, lines: lineOf(answer.data) };
  });
}

/** One line for all: what is counted, and who needs somebody. */
function lineOf({
  counts,
  needs_you,
}: {
  counts: Record<View, number>;
  needs_you: readonly object[];
}): string[] {
  const shown = VIEW_ORDER.filter((view) => counts[view]).map((view) => `${counts[view]} ${view}`);
  return [`status\t${shown.join(", ") || "no threads yet"}\t${needs_you.length} need you`];
}

async function glance(session: Session, { root, world, trusted }: OpenProject) {
  const live = await surveyLive(world);
  const look = await looker(world);
  const rows = await world.store.find({ statuses: STATUSES.filter(isTerminal) });
  const ended = rows.map((row) => look(row));
  const counts = Object.fromEntries(
    VIEW_ORDER.map((view) => [view, [...live, ...ended].filter((one) => one.view === view).length]),
  ) as Record<View, number>;
  const spend = await daySpend(
    world,
    [...live, ...ended].map(({ row }) => row),
  );
  const inbox = await readInbox(world, { all: false });
  const { object: host, name: hosted } = await hostOf(world, root);
  const [first] = inbox;
  const next = !trusted
    ? "selvage trust"
    : (first?.object.command ?? (live.length + ended.length === 0 ? "selvage run hello" : "selvage ps -a"));
  const data = {
    project: root,
    trusted,
    host,
    counts,
    spend,
    needs_you: inbox.map(({ object }) => object),
    next,
  };
  return {
    kind: "status",
    exit: EXIT.ok,
    data,
    ...textOf(session, { ...data, hosted }, trusted ? first : undefined),
  };
}

/** Who hosts the project, or some of it; null when nobody does. */
async function hostOf({ store, machine, clock }: World, root: string) {
  const hosts = (await store.hosts()).filter(({ owner }) => machine.ownerState(owner) !== "dead");
  const chosen = hosts.find(({ scope }) => scope === "*") ?? hosts[0];
  const seen = hostObject(root, chosen);
  if (!chosen || !seen) return { object: null, name: "no host" };
  const more = hosts.length > 1 ? ` and ${hosts.length - 1} more` : "";
  return {
    object: { ...seen, scope: chosen.scope, count: hosts.length },
    name: `hosted by ${hostName(root, chosen, clock.now())}${more}`,
  };
}

interface Glance {
  readonly project: string;
  readonly trusted: boolean;
  readonly hosted: string;
  readonly counts: Record<View, number>;
  readonly spend: DaySpend;
  readonly next: string;
}

function textOf({ flags, terminal }: Session, seen: Glance, first: InboxEntry | undefined): { text: string } {
  const { project, trusted, counts, spend, next } = seen;
  if (flags.quiet) return { text: next };
  if (flags.plain) {
    const figures = VIEW_ORDER.map((view) => `${view}\t${counts[view]}`);
    return { text: [...figures, `spent_today\t${spend.today}`, `reserved\t${spend.reserved}`].join("\n") };
  }
  const shown = VIEW_ORDER.filter((view) => counts[view]).map(
    (view) => `${VIEWS[view].glyph} ${counts[view]} ${view}`,
  );
  const about = first ? `   ${first.object.thread_id}: ${first.asks}${waiting(first)}` : "";
  const lines = [
    `${project} · ${seen.hosted}${trusted ? "" : " · not trusted"}`,
    `  ${shown.length === 0 ? "no threads yet" : shown.join("    ")}`,
    ...(shown.length === 0 ? [] : [`  ${spendText(spend)}`]),
    `  next   ${next}${about}`,
  ];
  return { text: lines.map((line) => terminal.fitted(line)).join("\n") };
}

function waiting({ object: { waits_seconds } }: InboxEntry): string {
  return waits_seconds === null ? "" : ` (waiting ${age(waits_seconds * 1_000)})`;
}

function spendText({ today, limit, reserved, unpriced_tokens }: DaySpend): string {
  const of = limit === null ? "" : ` · live trees may spend $${short(limit)}`;
  const held = Number(reserved) > 0 ? ` · reserved $${short(reserved)}` : "";
  const unknown = unpriced_tokens > 0 ? ` · ${grouped(unpriced_tokens)} tokens without a price` : "";
  return `spent today $${short(today)}${of}${held}${unknown}`;
}

/** Cents are enough where there are any. */
function short(dollars: string): string {
  const value = Number(dollars);
  return value === 0 || value >= 0.01 ? value.toFixed(2) : dollars;
}

function findRoot(session: Session): string | undefined {
  try {
    return session.house.findProject(session.folder);
  } catch (error) {
    // Outside a project is a fine place to ask what this is, unless a folder was named.
    if (error instanceof Problem && error.code === "E_NO_PROJECT" && session.flags.project === undefined)
      return undefined;
    throw error;
  }
}
