/**
 * Chains (X2–X4): a thread goes on in another, which takes over its account, its children, its processes and its
 * requests because all of these belong to the chain. Linking is part of the commit that makes the successor.
 */
import { broughtFor } from "./brought.ts";
import { carriedFrom, wholeConversation } from "./context-fold.ts";
import type { NewEvent } from "./event.ts";
import { threadId } from "./id.ts";
import type { Message } from "./message.ts";
import type { Request } from "./request.ts";
import type { Birth } from "./store.ts";
import type { Thread } from "./thread.ts";

interface SuccessorNeeds {
  readonly sha256: (text: string) => string;
}

/** Named after the thread it continues: made again after a crash, it is the same. */
export function successorId(
  { id, directive, createdAt }: Thread,
  { sha256 }: Pick<SuccessorNeeds, "sha256">,
): string {
  const digest = sha256(`continues ${id}`);
  const bytes = Uint8Array.from({ length: 6 }, (_, at) =>
    Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16),
  );
  return threadId(directive, Date.parse(createdAt), bytes);
}

interface HandOff extends SuccessorNeeds {
  readonly conversation: readonly Message[];
  readonly summaryTokens: number;
  readonly trailing: number;
  /** As its directive and its project say now; the rules of a thread never come from its own notes. */
  readonly system: string;
  readonly why: "context" | "overflow";
}

/** The thread that goes on where this one is full, at once and in the same run. */
export function handOff(thread: Thread, made: HandOff): { birth: Birth; continued: NewEvent } {
  const { conversation, summaryTokens, trailing, system, why } = made;
  const to = successorId(thread, made);
  const { run, nonce, chainRootId, rootId, parentId } = thread;
  const created = createdAgain(thread, {
    ...{ system, conversation, run, nonce },
    ...{ chain_root_id: chainRootId, root_id: rootId, parent_id: parentId },
    carried: carriedFrom(thread, why),
  });
  const said = { to, why: "context" as const, summary_tokens: summaryTokens, trailing_messages: trailing };
  return {
    birth: {
      ...{ threadId: to, events: [created] },
      requests: [{ kind: "start", request_id: `start_${to}`, thread_id: to, by: thread.id }],
    },
    continued: { type: "thread_continued", ...said },
  };
}

interface Reopening extends SuccessorNeeds {
  readonly nonce: string;
  readonly message: string;
  readonly by: string;
  readonly requestId: string;
  /** Of what is said to one that lasts: said again, it is the same. */
  readonly messageId?: string | undefined;
  readonly system: string;
  /** Limits that a person gives along. */
  readonly limits?: Thread["limits"] | undefined;
  /** Another model than it had. */
  readonly model?: string | undefined;
  /** What the program that goes on with it has beside the project. */
  readonly brought?: readonly string[] | undefined;
  /** Its parent has ended: nobody above pays for it or waits for it, and it begins a tree of its own. */
  readonly asRoot: boolean;
}

/** What a person has to say to a thread that has ended begins a new run of its chain, with all that was said before. */
export function reopen(ended: Thread, asked: Reopening): Birth {
  const { nonce, message, by, requestId, asRoot, limits = {}, model = ended.model } = asked;
  // Where a failure made it go belongs to the model it had.
  const brought = broughtFor([...new Set([...ended.brought, ...(asked.brought ?? [])])], {
    ...{ tools: ended.tools, model },
  });
  const thread = model === ended.model ? ended : { ...ended, model, brought, target: undefined };
  const to = successorId(thread, asked);
  const { chainRootId, rootId, parentId } = thread;
  const carried = carriedFrom(thread, "user");
  const place = asRoot
    ? { chain_root_id: to, root_id: to, parent_id: null }
    : { chain_root_id: chainRootId, root_id: rootId, parent_id: parentId };
  const created = createdAgain(
    { ...thread, limits: { ...thread.limits, ...limits } },
    {
      ...place,
      ...{ system: asked.system, conversation: wholeConversation(thread), nonce },
      run: thread.run + 1,
      // A tree of its own has an account of its own: what was spent before was paid by the one it comes from.
      carried: asRoot ? { ...carried, spent: 0, unbilled: [], children: {}, processes: {} } : carried,
    },
  );
  const start: Request = { kind: "start", request_id: requestId, thread_id: to, by };
  const { messageId } = asked;
  const prompt = { type: "cognition_in", source: by, text: message } as const;
  return {
    threadId: to,
    events: messageId === undefined ? [created, prompt] : [created],
    requests: messageId === undefined ? [start] : [start, queued(to, { by, text: message, messageId })],
    continues: { threadId: thread.id, seq: thread.seq, by },
  };
}

/** A message that a lasting thread takes when it has answered those before it. */
export function queued(
  thread_id: string,
  { by, text, messageId }: { readonly by: string; readonly text: string; readonly messageId: string },
): Request {
  return { kind: "message", request_id: messageId, thread_id, by, text, after: "end" };
}

/** What was given, and what has been taken since: in the new thread it holds from its first event. */
function grantOf({ rights }: Thread): Created["rights"] {
  const { permissions, ask, delegates, above, revoked } = rights;
  return { permissions, ask, delegates, above, revoked };
}

type Created = NewEvent<"thread_created">;

/** Everything that a thread was made with, once more. */
export function createdAgain(
  thread: Thread,
  made: Pick<Created, "system" | "run" | "nonce" | "chain_root_id" | "root_id" | "parent_id" | "carried"> & {
    readonly conversation: readonly Message[];
  },
): Created {
  const { directive, inputs, model, tools, limits, outputs, onExit, id, brought } = thread;
  return {
    type: "thread_created",
    ...{ directive, model, limits: { ...limits } },
    inputs: { ...inputs },
    tools: [...tools],
    rights: grantOf(thread),
    ...(brought.length > 0 ? { brought: [...brought] } : {}),
    ...(Object.keys(outputs).length > 0 ? { outputs } : {}),
    ...(onExit === "wait" ? {} : { on_exit: onExit }),
    ...(thread.forHook === undefined ? {} : { hook: thread.forHook }),
    ...(thread.lasting ? { lasting: true as const } : {}),
    ...(thread.address === undefined ? {} : { address: thread.address }),
    ...made,
    continuation_of: id,
    conversation: made.conversation as Created["conversation"],
  };
}
