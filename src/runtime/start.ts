/** Bringing a thread into being, and asking things of threads that exist. */
import type { Directive } from "../core/directive.ts";
import { renderPrompt } from "../core/directive.ts";
import { mint } from "../core/grant.ts";
import { randomName, type ThreadId, threadId } from "../core/id.ts";
import type { Limits } from "../core/limit.ts";
import { Problem } from "../core/problem.ts";
import type { Request } from "../core/request.ts";
import { toolRight } from "../core/right.ts";
import { leaveFor, rightsOf } from "../core/rights.ts";
import type { Posted } from "../core/store.ts";
import type { World } from "../core/world.ts";

export interface StartAsk {
  readonly directive: Pick<
    Directive,
    "name" | "description" | "model" | "limits" | "body" | "permissions" | "ask" | "delegates"
  >;
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

/** The thread, its prompt and the wish to start it are one commit: nothing is ever half asked for (T2). */
export async function createThread(world: World, id: ThreadId, ask: StartAsk): Promise<void> {
  const { directive, inputs, by } = ask;
  const prompt = renderPrompt(directive.body, inputs);
  if ("missing" in prompt) {
    throw new Problem("E_DIRECTIVE_INVALID", {
      what: `${directive.name} needs the input "${prompt.missing}".`,
      why: `Its text uses {input:${prompt.missing}} and none was given.`,
      next: [{ cmd: `selvage run ${directive.name} ${prompt.missing}=…`, why: "gives it" }],
    });
  }
  // A person asks for it: nobody stands above it. What the directive does not declare it does not have (K2).
  const grant = mint(directive);
  const rights = rightsOf(grant);
  const tools = ask.tools.filter((tool) => leaveFor(rights, toolRight(tool)) !== "denied");
  await world.store.create({
    threadId: id,
    events: [
      {
        type: "thread_created",
        directive: directive.name,
        inputs: { ...inputs },
        model: directive.model,
        system: ask.system ?? directive.description,
        tools,
        rights: grant,
        limits: { ...world.settings.limits.defaults, ...directive.limits, ...ask.limits },
        chain_root_id: id,
        root_id: id,
        parent_id: null,
        run: 1,
        nonce: randomName(world.random(16)),
      },
      { type: "cognition_in", source: "directive", text: prompt.text },
    ],
    requests: [{ kind: "start", request_id: newRequestId(world), thread_id: id, by }],
  });
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
