/** `selvage chain`: the threads in which one piece of work went on, and why it did. */
import { Command } from "commander";
import { chainOf } from "../../../core/chain-links.ts";
import type { Event } from "../../../core/event.ts";
import { plus, showDollars } from "../../../core/money.ts";
import { EXIT } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { grouped, oneLine, stripControls } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { VIEWS, type View } from "../glyph.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { surveyOne } from "../survey.ts";

export function chainCommand(play: Play): Command {
  return new Command("chain")
    .description("the threads in which one piece of work went on")
    .argument("<id>", "any thread of it: its id, a unique beginning of it, or @last")
    .option("--summaries", "with the notes that were carried over")
    .action((id: string, options: { summaries?: boolean }) =>
      play((session) => chain(session, id, options.summaries === true)),
    );
}

interface Link {
  readonly thread_id: string;
  readonly position: number;
  readonly status: string;
  readonly view: View;
  readonly turns: number;
  /** Why it goes on in another thread; null for the last. */
  readonly why: "context" | "user" | null;
  readonly by: string | null;
  /** How full its conversation was then. */
  readonly pressure: number | null;
  readonly summary_tokens: number | null;
  readonly trailing_messages: number | null;
  /** Notes that it began with, and what a person had to say to it. */
  readonly summary: string | null;
  readonly message: string | null;
  readonly created_at: string;
}

async function chain(session: Session, id: string, withSummaries: boolean): Promise<Answer> {
  const { world } = session.open();
  const rows = await chainOf(world.store, await resolveThread(world.store, id));
  const links: Link[] = [];
  for (const row of rows) links.push(await linkOf(world, row, links.length + 1));
  const spent = spentBy(rows);
  const last = rows.at(-1);
  const data = {
    threads: links.map(({ summary, ...link }) => (withSummaries ? { ...link, summary } : link)),
    chain_root_id: rows[0]?.thread_id ?? null,
    head: last?.thread_id ?? null,
    turns: last?.turns ?? 0,
    spend: showDollars(spent),
  };
  const text = textOf(session, links, withSummaries, `$${showDollars(spent)} over the whole chain`);
  return { kind: "chain", exit: EXIT.ok, data, text };
}

/** An account is the chain's; one that became a tree of its own has another. */
function spentBy(rows: readonly ThreadRow[]): number {
  const byAccount = new Map(rows.map((row) => [row.chain_root_id, plus(row.spent, row.below)]));
  return [...byAccount.values()].reduce(plus, 0);
}

async function linkOf(world: World, row: ThreadRow, position: number): Promise<Link> {
  const { events } = await world.store.load(row.thread_id);
  const continued = events.findLast((event) => event.type === "thread_continued") as
    | Event<"thread_continued">
    | undefined;
  const start = events.findLast((event) => event.type === "context_compaction_start") as
    | Event<"context_compaction_start">
    | undefined;
  const { view } = await surveyOne(world, row);
  return {
    ...{ thread_id: row.thread_id, position, status: row.status, view, turns: row.turns },
    why: continued?.why ?? null,
    by: continued?.by ?? null,
    pressure: continued?.why === "context" && start && start.window > 0 ? start.tokens / start.window : null,
    summary_tokens: continued?.why === "context" ? continued.summary_tokens : null,
    trailing_messages: continued?.why === "context" ? continued.trailing_messages : null,
    ...beginningOf(events),
    created_at: row.created_at,
  };
}

function beginningOf(events: readonly Event[]): Pick<Link, "summary" | "message"> {
  const [first, second] = events;
  if (first?.type !== "thread_created" || first.continuation_of === undefined)
    return { summary: null, message: null };
  const notes = first.conversation?.find((said) => said.role === "user" && said.origin === "runtime");
  const message = second?.type === "cognition_in" ? second.text : null;
  return { summary: message === null && notes?.role === "user" ? notes.text : null, message };
}

function textOf(session: Session, links: readonly Link[], withSummaries: boolean, total: string): string {
  const { look, out } = session.terminal;
  const wide = Math.max(...links.map(({ thread_id }) => thread_id.length));
  return links
    .flatMap((link, at) => {
      const sign = look.ascii ? VIEWS[link.view].ascii : VIEWS[link.view].glyph;
      const next = links[at + 1];
      const why = next ? whyText(link, next) : `turn ${link.turns} · ${total}`;
      const line = `${link.position}  ${link.thread_id.padEnd(wide)}  ${sign} ${link.view.padEnd(10)} ${why}`;
      const notes = withSummaries && link.summary !== null ? notesOf(link.summary).map(out.dim) : [];
      return [line, ...notes];
    })
    .join("\n");
}

function notesOf(summary: string): string[] {
  return stripControls(summary)
    .split("\n")
    .map((line) => `     ${line}`);
}

function whyText(link: Link, next: Link): string {
  if (link.why === "user")
    return `resumed by ${link.by ?? "a person"}: ${JSON.stringify(oneLine(next.message ?? "", 60))}`;
  const full = link.pressure === null ? "full" : `${Math.round(link.pressure * 100)} % of context`;
  const carried = `${link.trailing_messages ?? 0} messages carried`;
  return `${full} at turn ${link.turns} · notes of ${grouped(link.summary_tokens ?? 0)} tokens, ${carried}`;
}
