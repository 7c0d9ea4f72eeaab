/** Bringing a thread into being, and asking things of threads that exist. */
import { mint } from "../core/grant.ts";
import { randomName, type ThreadId, threadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import type { Request } from "../core/request.ts";
import { birthOf, type Startable } from "../core/spawn.ts";
import type { Posted } from "../core/store.ts";
import type { World } from "../core/world.ts";

export interface StartAsk {
  readonly directive: Startable;
  /** The whole system prompt, stored with the thread: a resume never reads its files again. */
  readonly system?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** All there are; it is offered those that it may use. */
  readonly tools: readonly string[];
  /** What the person who starts it says, over the directive. */
  readonly limits?: Limits;
  readonly by: string;
}

/** The id is known before anything is written, so that a host for it can be enrolled first. */
export function newThreadId(world: World, directive: string): ThreadId {
  return threadId(directive, world.clock.now(), world.random(6));
}

/** A person asks for it: nobody stands above it. What the directive does not declare it does not have (K2). */
export async function createThread(world: World, id: ThreadId, ask: StartAsk): Promise<void> {
  const { directive, by } = ask;
  const { spend, ...others } = directive.limits;
  // Nobody is there to share with.
  const own = spend === undefined || spend === "shared" ? others : { ...others, spend };
  await world.store.create(
    birthOf({
      ...ask,
      ...{ id, by, start: true, grant: mint(directive), requestId: newRequestId(world) },
      system: ask.system ?? directive.description,
      limits: { ...world.settings.limits.defaults, ...own, ...ask.limits },
      nonce: randomName(world.random(16)),
    }),
  );
  for (const { scope, socket } of await world.store.hosts()) {
    if (socket && (scope === "*" || scope === id)) world.machine.ring(socket);
  }
}

export function newRequestId(world: World): string {
  return `req_${randomName(world.random(16))}`;
}

/** Stores a request and wakes whoever hosts the thread. */
export async function postRequest(world: World, request: Request): Promise<Posted> {
  const [posted] = await world.store.post([request]);
  if (!posted) return { accepted: false, why: "it was not stored" };
  if (posted.accepted && posted.host?.socket) world.machine.ring(posted.host.socket);
  return posted;
}
