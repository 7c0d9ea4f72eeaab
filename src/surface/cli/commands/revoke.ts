/** `selvage revoke`: takes rights from a thread that has not ended. Once it is stored, no call that needs one starts. */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import { toolNamed } from "../../../core/right.ts";
import { meet, namesRight, type Rights } from "../../../core/rights.ts";
import { isTerminal } from "../../../core/status.ts";
import type { Thread } from "../../../core/thread.ts";
import type { World } from "../../../core/world.ts";
import { applyRequests, newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { damagedThread } from "../damaged-thread.ts";
import { PATIENCE_MS } from "../hosting.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import { revokeAnswer } from "../revoke-answer.ts";
import { givenRight, noSuchTool } from "../right-given.ts";
import { rightsNow } from "../rights-now.ts";
import type { Session } from "../session.ts";
import { requireSeen, type Seen } from "../thread-object.ts";

interface RevokeOptions {
  readonly all?: boolean;
}

const EVERYTHING = "selvage.*";
/** A host that is in the middle of a call takes it down when that ends: nobody waits for it here. */
const WAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;

export function revokeCommand(play: Play): Command {
  return new Command("revoke")
    .description("take rights from a thread; they do not come back")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .argument("[rights...]", "rights, such as execute.tool.bash or execute.tool.*, or names of tools")
    .option("--all", "all that it has")
    .action((id: string, rights: string[], options: RevokeOptions) =>
      play((session) => revoke(session, id, rights, options)),
    );
}

async function revoke(
  session: Session,
  id: string,
  texts: readonly string[],
  options: RevokeOptions,
): Promise<Answer> {
  requirePerson("revoke");
  requireChoice(id, texts, options);
  const { world } = session.openTrusted();
  await postInbox(world, await world.store.candidates("*"));
  const { thread_id: threadId } = await resolveHead(world.store, id);
  const seen = await requireSeen(world, threadId);
  requireLive(seen);
  const { thread } = seen;
  const asked = options.all ? [EVERYTHING] : texts.map((text) => givenRight(threadId, text, thread.tools));
  const rights = rightsNow(seen);
  for (const right of asked) requireTool({ ...thread, rights }, right);
  const has = asked.filter((right) => isHeld(rights, right));
  const hasNot = asked.filter((right) => !has.includes(right));
  if (has.length === 0) return revokeAnswer(seen, { taken: [], hasNot, isApplied: true });
  const isApplied = await take(world, seen, has);
  return revokeAnswer(await requireSeen(world, threadId), { taken: has, hasNot, isApplied });
}

function requireChoice(id: string, texts: readonly string[], { all }: RevokeOptions): void {
  if (texts.length > 0 !== (all === true)) return;
  throw new Problem("E_USAGE", {
    what: all ? "Either some rights are taken away, or all." : "Which rights are to be taken away?",
    why: all ? "--all was given, and rights as well." : "Neither a right nor --all was given.",
    next: [
      { cmd: `selvage show ${id} --caps`, why: "what it has" },
      { cmd: `selvage revoke ${id} execute.tool.bash`, why: "takes one" },
      { cmd: `selvage revoke ${id} --all`, why: "takes everything" },
    ],
  });
}

function requireLive(seen: Seen): void {
  const { row, damage } = seen.sighting;
  if (isTerminal(row.status)) throw ended(seen, `it is ${row.status}`);
  if (damage) throw damagedThread(row.thread_id, damage);
}

function ended({ sighting }: Seen, why: string): Problem {
  const { row } = sighting;
  const { thread_id: threadId, status } = row;
  return new Problem("E_WRONG_STATE", {
    what: `Nothing can be taken from ${threadId}: ${why}.`,
    why: `It is ${status} since ${row.updated_at}. Nothing was written.`,
    next: [{ cmd: `selvage show ${threadId} --caps`, why: "what it had" }],
    threadId,
  });
}

/** A name that fits a right it has, and no tool it knows, is a slip: taking it would look like something was done. */
function requireTool({ id, tools, rights }: Thread, right: string): void {
  const tool = toolNamed(right);
  if (tool === undefined || tools.includes(tool) || !isHeld(rights, right)) return;
  if (![...rights.use, ...rights.handOn].includes(right)) throw noSuchTool(id, tool, tools);
}

/** Of something wider that it has, this may have been taken before. */
function isHeld(rights: Rights, right: string): boolean {
  const taken = rights.revoked.map((each) => each.right);
  return meet([...rights.use, ...rights.handOn], [right]).some((part) => !namesRight(taken, part));
}

/** False: it is stored and keeps every call that needs one from starting; the thread takes it down when it can. */
async function take(world: World, seen: Seen, rights: readonly string[]): Promise<boolean> {
  const { row } = seen.sighting;
  const { thread_id: threadId } = row;
  const request_id = newRequestId(world);
  const posted = await postRequest(world, {
    kind: "revoke",
    request_id,
    thread_id: threadId,
    by: person(),
    rights,
  });
  if (!posted.accepted) throw ended(seen, posted.why);
  if (!posted.host) return applyAll(world, seen, request_id);
  const isOpen = async () =>
    (await world.store.openRequests(row.chain_root_id)).some((request) => request.request_id === request_id);
  const deadline = world.clock.monotonic() + WAIT_MS;
  while (await isOpen()) {
    if (world.clock.monotonic() > deadline) return false;
    await world.clock.sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** It was stored for everyone below as well (K3). True: the thread itself has taken it. */
async function applyAll(world: World, { sighting: { row } }: Seen, requestId: string): Promise<boolean> {
  const isTaken = await applyRequests(world, row.thread_id, PATIENCE_MS);
  for (const { row: below, requests } of await world.store.candidates(row.root_id)) {
    const isAsked = requests.some(({ request_id }) => request_id.startsWith(`${requestId}/`));
    if (isAsked) await applyRequests(world, below.thread_id, PATIENCE_MS);
  }
  return isTaken;
}
