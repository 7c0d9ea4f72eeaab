/** Bringing a thread into being, and asking things of threads that exist. */
import type { BirthRefusal } from "../core/birth.ts";
import { Unpaid } from "../core/bookkeeping.ts";
import type { MoneyRefusal } from "../core/books.ts";
import { reopen } from "../core/chain.ts";
import { headOf } from "../core/chain-links.ts";
import { spentBelow } from "../core/family.ts";
import { mint } from "../core/grant.ts";
import { randomName, type ThreadId, threadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import { parseDollars, showDollars } from "../core/money.ts";
import type { Request } from "../core/request.ts";
import { birthOf, type Chat, type Startable } from "../core/spawn.ts";
import { hasEnded } from "../core/status.ts";
import type { Birth, Posted } from "../core/store.ts";
import type { Thread } from "../core/thread.ts";
import type { World } from "../core/world.ts";

export interface StartAsk {
  readonly directive: Startable;
  /** The whole system prompt, stored with the thread: a resume never reads its files again. */
  readonly system?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** All there are; it is offered those that it may use. */
  readonly tools: readonly string[];
  /** Names of tools and models that only this program has. */
  readonly brought?: readonly string[];
  /** What the person who starts it says, over the directive. */
  readonly limits?: Limits;
  readonly by: string;
  readonly wishes?: Wishes;
  /** It lasts, and people write to it. */
  readonly chat?: Chat;
}

/** What is asked of a thread with its start, in the same write: it is answered before its first turn. */
export interface Wishes {
  readonly autoRetry?: boolean | undefined;
  readonly compact?: { readonly instructions?: string | undefined } | undefined;
}

/** The id is known before anything is written, so that a host for it can be enrolled first. */
export function newThreadId(world: World, directive: string): ThreadId {
  return threadId(directive, world.clock.now(), world.random(6));
}

/** A person asks for it: nobody stands above it. What the directive does not declare it does not have (K2). */
export async function createThread(
  world: World,
  id: ThreadId,
  ask: StartAsk,
): Promise<BirthRefusal | undefined> {
  const { directive, by } = ask;
  const { spend, ...others } = directive.limits;
  // Nobody is there to share with.
  const own = spend === undefined || spend === "shared" ? others : { ...others, spend };
  const birth = birthOf({
    ...ask,
    ...{ id, by, start: true, grant: mint(directive), requestId: newRequestId(world) },
    system: ask.system ?? directive.description,
    limits: { ...world.settings.limits.defaults, ...own, ...ask.limits },
    nonce: randomName(world.random(16)),
  });
  const refused = await world.store.create(withWishes(world, birth, ask));
  if (refused) return refused;
  for (const { scope, socket } of await world.store.hosts()) {
    if (socket && (scope === "*" || scope === id)) world.machine.ring(socket);
  }
  return undefined;
}

export interface ContinueAsk {
  readonly message: string;
  readonly by: string;
  readonly limits: Limits;
  /** As its directive and its project say now. */
  readonly system: string;
  /** Of the wish to start it; a new one when nobody says it twice. */
  readonly requestId?: string;
  /** Of what is said to one that lasts. */
  readonly messageId?: string;
  /** Another model than it had. */
  readonly model?: string | undefined;
  /** What the program that goes on with it has beside the project. */
  readonly brought?: readonly string[] | undefined;
  readonly wishes?: Wishes;
}

function withWishes(
  world: World,
  birth: Birth,
  { by, wishes = {} }: { readonly by: string; readonly wishes?: Wishes },
): Birth {
  const asked = () => ({ request_id: newRequestId(world), thread_id: birth.threadId, by });
  const { autoRetry, compact } = wishes;
  const requests: Request[] = [...birth.requests];
  if (autoRetry !== undefined) requests.push({ ...asked(), kind: "auto_retry", enabled: autoRetry });
  if (compact) requests.push({ ...asked(), kind: "compact", ...compact });
  return { ...birth, requests };
}

/** What kept a thread that has ended from going on. */
export type NotContinued = BirthRefusal | { readonly unpaid: MoneyRefusal };

/** A person has more to say to a thread that has ended: its chain goes on in a new one (X4). */
export async function continueThread(
  world: World,
  thread: Thread,
  ask: ContinueAsk,
): Promise<{ readonly threadId: string; readonly rootId: string } | NotContinued> {
  const { store } = world;
  const [found] = thread.parentId === null ? [] : await store.find({ threadId: thread.parentId, limit: 1 });
  const parent = found && (await headOf(store, found));
  const asRoot = thread.parentId !== null && (!parent || hasEnded(parent.status));
  const birth = reopen(thread, {
    ...ask,
    ...{ asRoot, nonce: randomName(world.random(16)), requestId: ask.requestId ?? newRequestId(world) },
    sha256: world.sha256,
    limits: { ...(asRoot ? leftOf(thread) : {}), ...ask.limits },
  });
  try {
    const refused = await store.create(withWishes(world, birth, ask));
    if (refused) return refused;
  } catch (error) {
    if (error instanceof Unpaid) return { unpaid: error.refusal };
    throw error;
  }
  const rootId = asRoot ? birth.threadId : thread.rootId;
  for (const { scope, socket } of await store.hosts()) {
    if (socket && (scope === "*" || scope === rootId)) world.machine.ring(socket);
  }
  return { threadId: birth.threadId, rootId };
}

/** With nobody above it, what is left of its cap is its cap; what was spent before was paid where it was spent. */
function leftOf({ limits, spent, children }: Thread): Limits {
  const cap = limits["spend"] === undefined ? undefined : parseDollars(String(limits["spend"]));
  if (cap === undefined) return {};
  return { spend: showDollars(Math.max(0, cap - spent - spentBelow({ children }))) };
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
