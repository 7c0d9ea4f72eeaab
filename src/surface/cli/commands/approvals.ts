/** `selvage approvals`: what waits for a person, the oldest first; with an id, one question in full. */
import { Command } from "commander";
import { closest } from "../../../core/closest.ts";
import { EXIT, Problem } from "../../../core/problem.ts";
import { SUSPEND_REASONS } from "../../../core/suspension.ts";
import { oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import type { Answer } from "../answer.ts";
import { type InboxEntry, readInbox } from "../approval-inbox.ts";
import { approvalObject } from "../approval-object.ts";
import { resolveApproval } from "../approval-resolve.ts";
import { questionText } from "../approval-text.ts";
import { age, counted } from "../moment.ts";
import type { Play } from "../program.ts";
import type { Session } from "../session.ts";
import { table } from "../table.ts";
import { watch } from "../watching.ts";

interface ApprovalsOptions {
  readonly all?: boolean;
  readonly reason?: string;
  readonly exitStatus?: boolean;
  readonly watch?: boolean;
}

const REASONS: readonly string[] = [...SUSPEND_REASONS, "orphaned"];

export function approvalsCommand(play: Play): Command {
  return new Command("approvals")
    .description("what waits for you, the oldest first; with an id, one question in full")
    .argument("[id]", "a question: its id, a unique beginning of it, or its thread")
    .option("-a, --all", "answered and void ones too")
    .option("--reason <reason>", `only these: ${REASONS.join(", ")}`)
    .option("--exit-status", "exit 3 if anything is open")
    .option("-w, --watch", "again whenever something changes")
    .action((id: string | undefined, options: ApprovalsOptions) =>
      play((session) => {
        if (id !== undefined) return one(session, id, options);
        return options.watch ? watchList(session, options) : list(session, session.open().world, options);
      }),
    );
}

async function watchList(session: Session, options: ApprovalsOptions): Promise<Answer> {
  const { world } = session.open();
  return watch(session, world, async () => {
    const entries = await chosen(world, options);
    return { answer: await list(session, world, options), lines: entries.map(plainLine) };
  });
}

async function one(session: Session, id: string, options: ApprovalsOptions): Promise<Answer> {
  const { world } = session.open();
  const question = await resolveApproval(world, id);
  const [row] = await world.store.find({ threadId: question.thread_id, limit: 1 });
  const now = world.clock.now();
  const object = approvalObject(question, row, now);
  const exit = exitFor([object], options);
  return {
    kind: "approvals",
    exit,
    data: { approvals: [object] },
    text: questionText(question, object, now),
  };
}

async function chosen(world: World, { reason, all }: ApprovalsOptions): Promise<InboxEntry[]> {
  if (reason !== undefined) requireReason(reason);
  const inbox = await readInbox(world, { all: all === true });
  return inbox.filter(({ object }) => reason === undefined || object.reason === reason);
}

async function list(session: Session, world: World, options: ApprovalsOptions): Promise<Answer> {
  const entries = await chosen(world, options);
  const approvals = entries.map(({ object }) => object);
  const answer = { kind: "approvals", exit: exitFor(approvals, options), data: { approvals } };
  return { ...answer, ...textOf(session, entries) };
}

function exitFor(approvals: readonly { readonly state: string }[], { exitStatus }: ApprovalsOptions): number {
  return exitStatus && approvals.some(({ state }) => state === "open") ? EXIT.needs_you : EXIT.ok;
}

function requireReason(reason: string): void {
  if (REASONS.includes(reason)) return;
  const [meant] = closest(reason.slice(0, 40), REASONS);
  throw new Problem("E_USAGE", {
    what: `"${oneLine(reason, 40)}" is no reason.`,
    why: meant ? `Did you mean ${meant}?` : `There are: ${REASONS.join(", ")}.`,
    next: [{ cmd: `selvage approvals --reason ${meant ?? "limit"}`, why: "a reason there is" }],
  });
}

function textOf(session: Session, entries: readonly InboxEntry[]): { text: string; hint?: string } {
  const { flags } = session;
  // Ids alone are meant for `approve` and `deny`: a thread that asks nothing has none.
  if (flags.quiet) return { text: entries.flatMap(({ object }) => object.approval_id ?? []).join("\n") };
  if (flags.plain) return { text: entries.map(plainLine).join("\n") };
  if (entries.length === 0) return { text: "", hint: "Nothing waits for you." };
  const questions = entries.filter(({ object }) => object.approval_id !== null);
  const others = entries.filter(({ object }) => object.approval_id === null);
  const blocks = [
    block(session, ["AP", "WAITS", "THREAD", "ASKS", "EVIDENCE"], questions.map(questionCells)),
    block(session, ["ASKS NOTHING, NEEDS", "WAITS", "WHY", ""], others.map(otherCells)),
  ];
  return { text: blocks.filter((text) => text !== "").join("\n\n"), hint: hintFor(entries) };
}

function block(
  { terminal }: Session,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return "";
  const [head, ...lines] = table([titles, ...rows], terminal.columns);
  return [terminal.out.dim(head ?? ""), ...lines].join("\n");
}

function questionCells({ object, asks, evidence }: InboxEntry): string[] {
  return [object.approval_id ?? "", waits(object), object.thread_id, oneLine(asks, 48), evidence];
}

/** The command that deals with it stands in place of an id. */
function otherCells({ object, asks, evidence }: InboxEntry): string[] {
  return [object.command ?? "", waits(object), asks, evidence];
}

function waits({ waits_seconds }: InboxEntry["object"]): string {
  return waits_seconds === null ? "-" : age(waits_seconds * 1000);
}

function hintFor(entries: readonly InboxEntry[]): string {
  const open = entries.filter(({ object }) => object.state === "open");
  const [first] = open.flatMap(({ object }) => object.approval_id ?? []);
  const count = `${counted(open.length, "thread")} ${open.length === 1 ? "needs" : "need"} you`;
  if (open.length === 0) return "Nothing waits for you.";
  if (first === undefined) return count;
  return `${count}\n  next  selvage approvals ${first}   in full\n        selvage approve ${first}\n        selvage deny ${first}`;
}

/** Fixed columns: id or command, state, reason, thread, asked at, asks, evidence. */
function plainLine({ object, asks, evidence }: InboxEntry): string {
  const { approval_id, command, state, reason, thread_id, asked_at } = object;
  return [approval_id ?? command ?? "-", state, reason, thread_id, asked_at, asks, evidence || "-"].join(
    "\t",
  );
}
