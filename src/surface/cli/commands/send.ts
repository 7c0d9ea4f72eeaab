/** `selvage send`: says something to a thread; it reads it before its next turn. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { EXIT, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { isTerminal } from "../../../core/status.ts";
import { grouped, oneLine } from "../../../core/text.ts";
import type { World } from "../../../core/world.ts";
import { applyRequests, newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { damagedThread } from "../damaged-thread.ts";
import { PATIENCE_MS } from "../hosting.ts";
import { requireRelative, sender } from "../operator.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import type { Session } from "../session.ts";
import { requireSeen, type ThreadObject, threadObject } from "../thread-object.ts";

interface SendOptions {
  readonly file?: string;
}

/** Everything said to a model is paid for with every turn that follows. */
const MOST_CHARACTERS = 200_000;

export function sendCommand(play: Play): Command {
  return new Command("send")
    .description("say something to a thread; it reads it before its next turn")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .argument("[text]", "what; - reads it from standard input")
    .option("--file <file>", "what stands in this file")
    .action((id: string, text: string | undefined, options: SendOptions) =>
      play((session) => send(session, id, text, options)),
    );
}

async function send(
  session: Session,
  id: string,
  given: string | undefined,
  options: SendOptions,
): Promise<Answer> {
  const text = textOf(id, given, options);
  const { world } = session.openTrusted();
  const row = await resolveHead(world.store, id);
  await requireRelative(world, row);
  const { sighting } = await requireSeen(world, row.thread_id);
  if (isTerminal(row.status)) throw ended(row, `it is ${row.status}`);
  if (sighting.damage) throw damagedThread(row.thread_id, sighting.damage);
  await postInbox(world, await world.store.candidates(row.root_id));
  const asked = { request_id: newRequestId(world), thread_id: row.thread_id, by: sender() };
  const posted = await postRequest(world, { ...asked, kind: "message", text });
  if (!posted.accepted) throw ended(row, posted.why);
  // It is in the journal at once: an open request would stand in the way of who lets the thread go on.
  const isTaken = !posted.host && (await applyRequests(world, row.thread_id, PATIENCE_MS));
  const open = await world.store.openRequests(row.chain_root_id);
  const position = isTaken ? 1 : Math.max(1, open.filter(({ kind }) => kind === "message").length);
  return answerOf(world, row, { position, isHosted: posted.host !== undefined });
}

function textOf(id: string, given: string | undefined, { file }: SendOptions): string {
  if ((given === undefined) === (file === undefined)) {
    throw usage(
      id,
      given === undefined ? "Neither a text nor --file was given." : "A text and --file were both given.",
    );
  }
  const text = file === undefined && given !== "-" ? (given ?? "") : read(file ?? 0);
  if (text.trim() === "") throw usage(id, "The message is empty.");
  if (text.length > MOST_CHARACTERS)
    throw usage(id, `It has more than ${grouped(MOST_CHARACTERS)} characters.`);
  return text;
}

function read(file: string | 0): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const what = file === 0 ? "Standard input cannot be read." : `${oneLine(file, 200)} cannot be read.`;
    throw new Problem("E_USAGE", { what, why: cause instanceof Error ? cause.message : "", cause });
  }
}

function usage(id: string, why: string): Problem {
  return new Problem("E_USAGE", {
    what: `Nothing was sent to ${oneLine(id, 60)}.`,
    why,
    next: [{ cmd: `selvage send ${oneLine(id, 60)} "…"`, why: "says something" }],
  });
}

function ended(row: ThreadRow, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} reads nothing any more: ${why}.`,
    why: `Since ${row.updated_at}. Nothing was written.`,
    next: [
      { cmd: `selvage show ${row.thread_id}`, why: "how it ended" },
      { cmd: `selvage resume ${row.thread_id} -m "…"`, why: "goes on with it, in a new thread" },
    ],
    threadId: row.thread_id,
  });
}

async function answerOf(
  world: World,
  { thread_id }: ThreadRow,
  { position, isHosted }: { readonly position: number; readonly isHosted: boolean },
): Promise<Answer> {
  const { sighting, thread: fold } = await requireSeen(world, thread_id);
  const thread = threadObject({
    sighting,
    thread: fold,
    statement: undefined,
    correctable: [],
    processes: [],
  });
  const turn = thread.cost.turns + (fold.step && !fold.step.answer ? 2 : 1);
  const when = whenRead(thread, turn);
  const data = { thread_id, position, turn, deliver_at: when, hosted: isHosted };
  const hint = sighting.isAbandoned ? { hint: `  next  selvage recover ${thread_id}   hosts it` } : {};
  return { kind: "send", exit: EXIT.ok, data, text: `Queued for ${thread_id}: ${when}.`, ...hint };
}

/** When the model sees it. What it is at now comes first. */
function whenRead({ view, now, approval }: ThreadObject, turn: number): string {
  const read = `read at turn ${turn}`;
  switch (view) {
    case "created":
      return "read at its first turn";
    case "suspended":
      return `${read}, once it goes on${approval === null ? "" : ` (it waits for an answer to ${approval})`}`;
    case "stopping":
      return "it is stopping, and may not read it any more";
    case "completed":
    case "error":
    case "cancelled":
      return "it has ended meanwhile, and does not read it";
    default:
      return `${read} (now: ${oneLine(now.doing, 80)})`;
  }
}
