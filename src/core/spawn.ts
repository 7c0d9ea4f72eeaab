/** What it takes to bring a thread into being: as a root, or as the child of another (T2, O1, B3, K2). */
import { broughtFor } from "./brought.ts";
import { queued } from "./chain.ts";
import { type Directive, renderPrompt } from "./directive.ts";
import type { NewEvent } from "./event.ts";
import { livingChildren } from "./family.ts";
import type { Grant } from "./grant.ts";
import { handedLimits } from "./handed-limits.ts";
import type { Breach, Limits } from "./limit.ts";
import { orchestrationNames, type SpawnInput } from "./orchestration.ts";
import { Problem } from "./problem.ts";
import { delegate, rightsOf } from "./rights.ts";
import { isOffered } from "./signing.ts";
import type { Birth } from "./store.ts";
import type { Thread } from "./thread.ts";

export type Startable = Pick<
  Directive,
  "name" | "description" | "model" | "limits" | "body" | "permissions" | "ask" | "delegates"
> &
  Partial<Pick<Directive, "outputs" | "onExit">>;

/** A directive of the project, ready to be started. */
export interface Prepared {
  readonly directive: Startable;
  readonly system: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** All tools there are beside those of the runtime; it is offered those that it may use. */
  readonly tools: readonly string[];
  /** Names of tools and models that only this program has. */
  readonly brought?: readonly string[] | undefined;
}

export interface NewThread extends Prepared {
  readonly id: string;
  readonly grant: Grant;
  readonly limits: Limits;
  readonly parent?: Pick<Thread, "chainRootId" | "rootId"> | undefined;
  /** The hook that it, or one above it, answers for. */
  readonly hook?: string | undefined;
  readonly by: string;
  readonly nonce: string;
  readonly requestId: string;
  readonly start: boolean;
  /** It lasts: where people write to it, and the first that they said. */
  readonly chat?: Chat | undefined;
}

export interface Chat {
  readonly address: string;
  readonly text: string;
  readonly messageId: string;
  /** What was said before that, and is to be read first. */
  readonly earlier?: readonly Parameters<typeof queued>[1][];
}

/** The thread, its prompt and the wish to start it are one: nothing is ever half asked for (T2). */
export function birthOf(made: NewThread): Birth {
  const { id, directive, inputs, grant, limits, parent, by, nonce, requestId } = made;
  const prompt = renderPrompt(directive.body, inputs);
  if ("missing" in prompt) throw missingInput(directive.name, prompt.missing);
  const rights = rightsOf(grant);
  const { outputs = {}, onExit } = directive;
  const tools = made.tools.filter((tool) => isOffered(rights, tool));
  const brought = broughtFor(made.brought ?? [], { tools, model: directive.model });
  return {
    threadId: id,
    events: [
      {
        type: "thread_created",
        directive: directive.name,
        inputs: { ...inputs },
        model: directive.model,
        system: made.system,
        tools: [...tools, ...orchestrationNames(rights, outputs)],
        rights: grant,
        limits,
        ...(brought.length > 0 ? { brought } : {}),
        ...(Object.keys(outputs).length > 0 ? { outputs } : {}),
        ...(onExit === undefined ? {} : { on_exit: onExit }),
        chain_root_id: id,
        root_id: parent?.rootId ?? id,
        parent_id: parent?.chainRootId ?? null,
        run: 1,
        nonce,
        ...(made.hook === undefined ? {} : { hook: made.hook }),
        ...(made.chat ? { lasting: true as const, address: made.chat.address } : {}),
      },
      { type: "cognition_in", source: "directive", text: prompt.text },
    ],
    requests: [
      ...(made.start ? [{ kind: "start" as const, request_id: requestId, thread_id: id, by }] : []),
      ...[...(made.chat?.earlier ?? []), ...(made.chat ? [{ by, ...made.chat }] : [])].map((said) =>
        queued(id, said),
      ),
    ],
  };
}

function missingInput(directive: string, name: string): Problem {
  return new Problem("E_DIRECTIVE_INVALID", {
    what: `${directive} needs the input "${name}".`,
    why: `Its text uses {input:${name}} and none was given.`,
    next: [{ cmd: `selvage run ${directive} ${name}=…`, why: "gives it" }],
  });
}

/** One more child than the thread may start (L1); a person may allow more. */
export function spawnBreach({ spawns, limits }: Pick<Thread, "spawns" | "limits">): Breach | undefined {
  const max = limits["spawns"];
  if (typeof max !== "number" || spawns < max) return undefined;
  return { code: "spawns_exceeded", key: "spawns", current: spawns, max, needs: spawns + 1 };
}

export interface SpawnNeeds {
  readonly childId: string;
  /** Null: no call started it, but a hook. */
  readonly callId: string | null;
  readonly nonce: string;
  readonly defaults: Limits;
  readonly maxChildren: number;
  readonly hook?: Pick<NewEvent<"child_thread_started">, "point" | "hook">;
}

export type SpawnPlan =
  | { readonly birth: Birth; readonly started: NewEvent<"child_thread_started"> }
  | { readonly refused: string };

/** A child out of what its parent has. Whether the money is there is for the commit to say (B3). */
export function planSpawn(parent: Thread, ask: SpawnInput, prepared: Prepared, needs: SpawnNeeds): SpawnPlan {
  const { directive } = prepared;
  const depth = depthLeft(parent);
  const crowded = needs.hook ? undefined : crowding(parent, depth, needs.maxChildren);
  if (crowded) return crowded;
  const given = limitsOf(ask, directive, { own: parent.limits, defaults: needs.defaults });
  if ("refused" in given) return given;
  const { childId, callId, nonce } = needs;
  const birth = birthOf({
    ...prepared,
    ...{ id: childId, nonce, parent, by: parent.id, start: ask.start },
    requestId: `start_${childId}`,
    hook: needs.hook?.hook?.id ?? parent.forHook,
    grant: delegate(
      { id: parent.chainRootId, directive: parent.directive, rights: parent.rights },
      directive,
    ),
    limits: { ...given.limits, ...lowered(depth, given.limits) },
  });
  const told = { call_id: callId, child_id: childId, directive: directive.name, start: ask.start };
  return { birth, started: { type: "child_thread_started", ...told, ...needs.hook } };
}

/** What a model may start is counted. A hook is there for every thread, the deepest too: a guard that is one too many is none. */
function crowding(parent: Thread, depth: number, maxChildren: number): { refused: string } | undefined {
  if (depth <= 0) return { refused: "depth_exceeded: no thread may be started this far down" };
  if (livingChildren(parent).length < maxChildren) return undefined;
  return { refused: `too many children: ${maxChildren} live already; wait for some of them` };
}

/** Generations that may still come below a thread. */
function depthLeft({ limits }: Pick<Thread, "limits">): number {
  return typeof limits["depth"] === "number" ? limits["depth"] : Number.POSITIVE_INFINITY;
}

/** One fewer below a child than below its parent, or as few as it asks for; where nobody limits it, no number at all. */
function lowered(depth: number, { depth: asked }: Limits): Limits {
  const left = Math.max(0, Math.min(Number(asked ?? depth), depth - 1));
  return Number.isFinite(left) ? { depth: left } : {};
}

const SHARED = "shared";

/**
 * What is asked for, no wider than the parent's, over its directive's over the defaults; but money is named, or shared
 * with whoever pays for the parent.
 */
function limitsOf(
  { limits: asked = {} }: SpawnInput,
  directive: Startable,
  { own, defaults }: { readonly own: Limits; readonly defaults: Limits },
): { readonly limits: Limits } | { readonly refused: string } {
  const spend = asked["spend"] ?? directive.limits["spend"];
  if (spend === undefined) {
    const line = 'limits: { spend: "0.50" }';
    return {
      refused: `no spend limit: ${directive.name} names none. Add ${line} to the directive, or hand limits with the call; spend: "${SHARED}" draws on this thread's.`,
    };
  }
  const { spend: _, ...others } = asked;
  const handed = handedLimits(own, spend === SHARED ? others : { ...others, spend }, "limits");
  if ("problem" in handed) return { refused: handed.problem };
  const { spend: __, ...whole } = { ...defaults, ...directive.limits, ...handed.limits };
  return { limits: spend === SHARED ? whole : { ...whole, spend } };
}
