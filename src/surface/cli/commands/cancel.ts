/** `selvage cancel`: asks a thread to stop. The request is durable; without a live host it is applied here. */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import { isTerminal } from "../../../core/status.ts";
import type { World } from "../../../core/world.ts";
import { newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { hostRoots } from "../hosting.ts";
import { Narrator } from "../narrator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { resolveThread } from "../resolve.ts";
import type { Session } from "../session.ts";
import { seeById, type ThreadObject, threadObject } from "../thread-object.ts";

interface CancelOptions {
  readonly reason: string;
}

/** Tools get 3 s between TERM and KILL: longer than this the command does not wait for a host elsewhere. */
const WAIT_MS = 6_000;
const LOOK_EVERY_MS = 50;

export function cancelCommand(play: Play): Command {
  return new Command("cancel")
    .description("stop a thread; its work is kept")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("--reason <text>", "why, for the journal", "cancelled by a person")
    .action((id: string, options: CancelOptions) => play((session) => cancel(session, id, options)));
}

async function cancel(session: Session, id: string, { reason }: CancelOptions): Promise<Answer> {
  const { world } = session.openTrusted();
  const row = await resolveThread(world.store, id);
  if (isTerminal(row.status)) throw ended(row, `it is ${row.status}`);
  await postInbox(world, await world.store.candidates(row.root_id));
  const asked = { request_id: newRequestId(world), thread_id: row.thread_id, by: person() };
  const posted = await postRequest(world, { ...asked, kind: "cancel", reason, nonce: row.nonce });
  if (!posted.accepted) throw ended(row, posted.why);
  if (posted.host) await waitForEnd(world, row.thread_id);
  else await applyHere(session, world, row);
  const seen = await seeById(world, row.thread_id);
  if (!seen) throw new Error(`${row.thread_id} is gone from the store`);
  return answerOf(threadObject(seen));
}

async function applyHere(session: Session, world: World, row: ThreadRow): Promise<void> {
  const narrator = new Narrator(session, world, [row.thread_id]);
  try {
    await hostRoots(session, world, {
      roots: [row.root_id],
      mayRecover: ({ thread_id }) => thread_id === row.thread_id,
    });
  } finally {
    narrator.end();
  }
}

async function waitForEnd(world: World, threadId: string): Promise<void> {
  const { clock, store } = world;
  const deadline = clock.monotonic() + WAIT_MS;
  while (clock.monotonic() < deadline) {
    const [row] = await store.find({ threadId, limit: 1 });
    if (!row || isTerminal(row.status)) return;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function ended(row: ThreadRow, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${row.thread_id} cannot be cancelled: ${why}.`,
    why: `It is ${row.status} since ${row.updated_at}. Nothing was written.`,
    next: [{ cmd: `selvage show ${row.thread_id}`, why: "how it ended" }],
    threadId: row.thread_id,
  });
}

function answerOf(thread: ThreadObject): Answer {
  const { thread_id, status, now } = thread;
  const isDone = status === "cancelled";
  const data = {
    requested: [thread_id],
    cancelled: isDone ? [thread_id] : [],
    waiting_on: isTerminal(status) ? [] : [{ id: thread_id, tool: now.tool, since: now.since }],
    thread,
  };
  return { kind: "cancel", exit: 0, data, text: wordsFor(thread) };
}

function wordsFor({ thread_id, status, now }: ThreadObject): string {
  if (status === "cancelled") return `⊘ ${thread_id} cancelled. Its work is kept: selvage show ${thread_id}`;
  if (status === "completed" || status === "error")
    return `${thread_id} had ended before it could be stopped: ${status}.`;
  return `◐ ${thread_id} is asked to stop${now.tool ? `; it waits for ${now.tool}` : ""}.`;
}
