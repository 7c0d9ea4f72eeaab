/** A new thread: made and hosted here, or made for the process that hosts everything, and followed (R2). */
import { EXIT, Problem } from "../../core/problem.ts";
import type { ThreadRow } from "../../core/row.ts";
import type { World } from "../../core/world.ts";
import { projectHost } from "../host/project-host.ts";
import { ensureHost } from "../host/start-host.ts";
import type { Answer } from "./answer.ts";
import { followElsewhere } from "./follow-elsewhere.ts";
import { type HostAsk, type HostingEnd, hostRoots } from "./hosting.ts";
import type { OpenProject } from "./house.ts";
import { Narrator } from "./narrator.ts";
import { requirePerson } from "./operator.ts";
import type { Session } from "./session.ts";
import { forcedEnd } from "./thread-end.ts";
import { requireSeen, threadObject } from "./thread-object.ts";

export interface NewThread {
  readonly id: string;
  readonly create: () => Promise<void>;
  readonly timeoutMs: number | undefined;
  /** Roots that are taken up as well when it is hosted here. */
  readonly others?: readonly string[];
  readonly mayRecover?: HostAsk["mayRecover"];
}

export async function startThread(session: Session, world: World, start: NewThread): Promise<HostingEnd> {
  if (await projectHost(world)) return createThere(session, world, start);
  const end = await createHere(session, world, start);
  // Somebody came to host everything in this very moment, so nothing was made yet.
  const isTheirs = end.type === "settled" && end.refused.has(start.id);
  return isTheirs ? createThere(session, world, start) : end;
}

async function createHere(session: Session, world: World, start: NewThread): Promise<HostingEnd> {
  const { id, create, timeoutMs, others = [], mayRecover = () => false } = start;
  const narrator = new Narrator(session, world, [id]);
  session.interruption().onForced((exit) => forcedEnd(session, id, exit));
  try {
    for (const root of others) await narrator.prime(root);
    const prepare = async (root: string) => {
      if (root !== id) return;
      await create();
      await narrator.catchUp(id);
    };
    return await hostRoots(session, world, { roots: [id, ...others], mayRecover, prepare, timeoutMs });
  } finally {
    narrator.end();
  }
}

async function createThere(session: Session, world: World, start: NewThread): Promise<HostingEnd> {
  await start.create();
  const row = await rowOf(world, start.id);
  // All of it is new to who asked for it.
  return followElsewhere(session, world, [{ ...row, seq: 0 }], start.timeoutMs);
}

async function rowOf({ store }: World, threadId: string): Promise<ThreadRow> {
  const [row] = await store.find({ threadId, limit: 1 });
  if (!row) throw new Error(`${threadId} is gone from the store`);
  return row;
}

/** Somebody hosts the project from here on, in the background if need be: which a tool may not decide. */
export async function hostInBackground({ house }: Session, { world, root }: OpenProject): Promise<void> {
  if (await projectHost(world)) return;
  requirePerson("serve");
  await ensureHost(world, { root, program: house.program });
}

/** It goes on without us. */
export async function detachedAnswer(world: World, threadId: string): Promise<Answer> {
  const data = threadObject(await requireSeen(world, threadId));
  const hint = `It runs in the background: selvage logs -f ${threadId}`;
  return { kind: "thread.result", exit: EXIT.ok, data, text: threadId, hint };
}

/** Who does not stay has nothing to time. */
export function requireNoTimeout(
  command: string,
  { detach, timeout }: { readonly detach?: boolean; readonly timeout?: number },
): void {
  if (!detach || timeout === undefined) return;
  throw new Problem("E_USAGE", {
    what: "--detach and --timeout do not go together.",
    why: "The one leaves at once, the other says how long to stay. Nothing was done.",
    next: [{ cmd: `selvage ${command} --help`, why: "what they mean" }],
  });
}
