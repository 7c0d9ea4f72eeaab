/**
 * What people say where they talk, to the thread that listens there: stored before anybody is told that it was received,
 * and once, however often it is delivered and however many processes take it in.
 */
import { isWrittenTo } from "../core/birth.ts";
import { queued, successorId } from "../core/chain.ts";
import { BEGIN_ANEW } from "../core/chat-events.ts";
import { requestAgain } from "../core/chat-request.ts";
import { Problem } from "../core/problem.ts";
import type { Request } from "../core/request.ts";
import type { ThreadRow } from "../core/row.ts";
import { hasEnded } from "../core/status.ts";
import { foldThread } from "../core/thread.ts";
import type { World } from "../core/world.ts";
import { continueThread, createThread, newThreadId, postRequest, type StartAsk } from "./start.ts";

export interface Said {
  readonly address: string;
  /** A function: what it reads as depends on the thread that has it, and on what has to be done for that. */
  readonly text: string | ((threadId: string) => string);
  readonly by: string;
  /** Made of what the platform calls it: delivered again, it is the same. */
  readonly messageId: string;
  /** Read before the next tool, and not after the answer to what was said before. */
  readonly steers?: boolean;
}

/** Somebody may be stopping it just now: then it is looked at again, and the platform waits for us as long. */
const PAUSE_MS = 25;
const MOST_LOOKS = 100;

/** The thread that has it; it was stored. `prepare` is asked for a thread to begin, or to go on, with. */
export async function tellChat(
  world: World,
  said: Said,
  prepare: () => Promise<Omit<StartAsk, "by" | "chat">>,
): Promise<{ readonly threadId: string }> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const [row] = await world.store.find({ address: said.address, onlyHeads: true, limit: 1 });
    const threadId = await (row && isWrittenTo(row)
      ? tell(world, row, said)
      : row && (await goesOn(world, row))
        ? goOn(world, row, said, prepare)
        : begin(world, said, prepare, row));
    if (threadId !== undefined) return { threadId };
    await world.clock.sleep(PAUSE_MS);
  }
  throw new Problem("E_WRONG_STATE", {
    what: "What was said could not be handed over.",
    why: "The thread that listens there changed again and again.",
  });
}

type Prepare = Parameters<typeof tellChat>[2];

/** Undefined: it changed meanwhile, and is looked at again. */
async function tell(world: World, row: ThreadRow, said: Said): Promise<string | undefined> {
  const { thread_id } = row;
  const { by, messageId, steers } = said;
  const text = textFor(said, thread_id);
  const request: Request = steers
    ? { kind: "message", request_id: messageId, thread_id, by, text }
    : queued(thread_id, { by, text, messageId });
  const posted = await postRequest(world, request);
  return posted.accepted ? thread_id : undefined;
}

/** `before`: the one that listened there. What it had not come to is read first, each message as it was said. */
async function begin(
  world: World,
  said: Said,
  prepare: Prepare,
  before: ThreadRow | undefined,
): Promise<string | undefined> {
  const { address, messageId, by } = said;
  const earlier = before ? await leftBehind(world, before) : [];
  const ask = await prepare();
  const id = newThreadId(world, ask.directive.name);
  const text = textFor(said, id);
  const refused = await createThread(world, id, { ...ask, by, chat: { address, text, messageId, earlier } });
  if (refused?.refused !== "known") return refused ? undefined : id;
  // Nobody has begun since: it is this message that was stored before.
  const holder = await holderOf(world, said);
  return holder === before?.thread_id || earlier.length === 0 ? holder : undefined;
}

/** Under names of their own: those that they had belong to the thread that did not come to them. */
async function leftBehind({ store }: World, { thread_id, status, corrupt }: ThreadRow) {
  if (status !== "cancelled" || corrupt) return [];
  const { followUps } = foldThread(thread_id, (await store.load(thread_id)).events);
  return followUps.map(({ request_id, by, text }) => ({
    ...{ by, text, messageId: requestAgain(request_id, "anew") },
  }));
}

async function goOn(world: World, row: ThreadRow, said: Said, prepare: Prepare): Promise<string | undefined> {
  const { by, messageId, address } = said;
  const { events } = await world.store.load(row.thread_id);
  const { system = "" } = await prepare();
  const thread = foldThread(row.thread_id, events);
  const text = textFor(said, successorId(thread, world));
  const limits = {};
  const gone = await continueThread(world, thread, { message: text, by, messageId, system, limits });
  if ("threadId" in gone) return gone.threadId;
  if ("refused" in gone && gone.refused === "known") return holderOf(world, { address });
  if ("refused" in gone) return undefined;
  throw new Problem("E_BUDGET_REFUSED", {
    what: `${row.thread_id} cannot go on: nobody pays for it.`,
    why: "What its limit allows is spent.",
    next: [{ cmd: `selvage budget ${row.thread_id}`, why: "shows its money" }],
  });
}

function textFor({ text }: Pick<Said, "text">, threadId: string): string {
  return typeof text === "string" ? text : text(threadId);
}

/** What was said before has a thread: the last that listened there. */
async function holderOf({ store }: World, { address }: Pick<Said, "address">): Promise<string | undefined> {
  const [row] = await store.find({ address, onlyHeads: true, limit: 1 });
  return row?.thread_id;
}

/** Whether one that has ended goes on with what is said next. */
async function goesOn({ store }: World, row: ThreadRow): Promise<boolean> {
  if (!hasEnded(row.status) || row.corrupt) return false;
  if (row.status !== "cancelled") return true;
  const { events } = await store.load(row.thread_id);
  const end = events.findLast(({ type }) => type === "thread_cancelled");
  return end?.type === "thread_cancelled" && end.reason !== BEGIN_ANEW;
}
