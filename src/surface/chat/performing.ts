/** Commands of a chat (UX d.3): each asks something of the thread that listens there, and says what came of it. */
import type { ApprovalRow } from "../../core/approval.ts";
import {
  COMMAND_ANSWERS,
  cancelText,
  costAnswer,
  decisionText,
  HELP,
  newText,
  statusText,
  undecidedText,
} from "../../core/chat-answers.ts";
import type { ChatCommand } from "../../core/chat-command.ts";
import { BEGIN_ANEW } from "../../core/chat-events.ts";
import type { ChatState } from "../../core/chat-state.ts";
import { mayBeRetried } from "../../core/chat-trouble.ts";
import { type Limits, limitKeyOf } from "../../core/limit.ts";
import { NOTHING_UNDER_WAY, type Request } from "../../core/request.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import type { World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { transcriptOf } from "./transcript.ts";

export interface Performing {
  readonly world: World;
  /** The thread that listens there, if there is one. */
  readonly row: ThreadRow | undefined;
  readonly state: ChatState;
  readonly by: string;
  /** The surface, for decisions. */
  readonly via: string;
  readonly hideCosts: boolean;
  /** Hands words over as if they had been said. */
  readonly tell: (text: string) => Promise<void>;
}

/** What came of it: words, or a transcript to hand over. */
export type Performed = string | { readonly transcript: string; readonly of: string };

export async function perform(command: ChatCommand, on: Performing): Promise<Performed> {
  const { state, hideCosts, row } = on;
  const now = on.world.clock.now();
  switch (command.name) {
    case "help":
      return HELP;
    case "status":
      return statusText(state, { now, hideCosts });
    case "cost":
      return costAnswer({ here: state.run.spent, today: await today(on), limit: state.run.limit, hideCosts });
    case "cancel":
      return stop(on, command.reason);
    case "new":
      return beginAnew(on);
    case "approve":
    case "deny":
      return decide(command, on);
    case "ask_amount":
      return `Say how much: /approve ${command.approval} 1.60`;
    case "retry":
      return retry(on);
    case "stop_retry":
      return (await ask(on, { kind: "retry", action: "stop" })) ? COMMAND_ANSWERS.retryStopped : NOTHING;
    case "resume":
      return resume(command.text, on);
    case "log":
      return row
        ? { transcript: await transcriptOf(on.world, row), of: row.thread_id }
        : COMMAND_ANSWERS.noLog;
  }
}

const NOTHING = COMMAND_ANSWERS.nothingToRetry;

type Body = Request extends infer R
  ? R extends Request
    ? Omit<R, "request_id" | "thread_id" | "by">
    : never
  : never;

async function ask(on: Performing, body: Body): Promise<boolean> {
  return (await post(on, body)) === undefined;
}

/** Why it was not taken; undefined: it was. */
async function post({ world, row, by }: Performing, body: Body): Promise<string | undefined> {
  if (!row) return "there is no thread";
  const request = { ...body, request_id: newRequestId(world), thread_id: row.thread_id, by } as Request;
  const posted = await postRequest(world, request);
  return posted.accepted ? undefined : posted.why;
}

/** What is under way, and nothing else: the thread stays, with all that waits for it. */
async function stop(on: Performing, why: string | undefined): Promise<string> {
  const { world, row, state } = on;
  const { answering } = state.run;
  const meant = answering === undefined ? {} : { for: answering };
  const reason = why === undefined ? {} : { reason: why };
  const refused =
    row && !isTerminal(row.status)
      ? await post(on, { kind: "stop", ...meant, ...reason })
      : NOTHING_UNDER_WAY;
  return cancelText(state, world.clock.now(), refused);
}

/** The thread ends; the next message begins another, with what was waiting before it. */
async function beginAnew(on: Performing): Promise<string> {
  const { row } = on;
  if (!row || isTerminal(row.status)) return newText(row?.thread_id);
  const waiting = await inLine(on, row);
  await ask(on, { kind: "cancel", reason: BEGIN_ANEW, nonce: row.nonce });
  return newText(row.thread_id, waiting);
}

/** Messages that were not begun: those that were heard of, and those that are stored and not taken yet. */
async function inLine({ world, state }: Performing, { chain_root_id }: ThreadRow): Promise<number> {
  const heard = state.works.flatMap(({ prompt, startedAt }) => (startedAt === undefined ? [prompt] : []));
  const open = await world.store.openRequests(chain_root_id);
  const asked = open.flatMap((each) =>
    each.kind === "message" && each.after && each.replaces === undefined ? [each.request_id] : [],
  );
  return new Set([...heard, ...asked]).size;
}

async function retry(on: Performing): Promise<string> {
  const { row } = on;
  const body: Body =
    row?.status === "suspended" && mayBeRetried(row.suspend_reason)
      ? { kind: "resume", nonce: row.nonce }
      : { kind: "retry", action: "now" };
  return (await ask(on, body)) ? COMMAND_ANSWERS.retry : NOTHING;
}

async function resume(text: string | undefined, on: Performing): Promise<string> {
  const { row } = on;
  if (row?.status === "suspended") {
    const said = text === undefined ? {} : { message: text };
    const isTaken = await ask(on, { kind: "resume", nonce: row.nonce, ...said });
    return isTaken ? COMMAND_ANSWERS.resumed : COMMAND_ANSWERS.nothingToResume;
  }
  if (text === undefined) return COMMAND_ANSWERS.nothingToResume;
  await on.tell(text);
  return COMMAND_ANSWERS.resumed;
}

/** The question that is meant: the one that is named, or the only one there is. */
async function decide(command: ChatCommand & { name: "approve" | "deny" }, on: Performing): Promise<string> {
  const { world, via } = on;
  const open = await questions(on);
  const { approval: id } = command;
  const meant = id === undefined ? open : open.filter(({ approval }) => approval.approval_id.startsWith(id));
  const [found, second] = meant;
  if (second) return undecidedText({ is: "several", ids: meant.map((each) => each.approval.approval_id) });
  if (!found) return id === undefined ? undecidedText({ is: "none" }) : gone(world, id);
  const { approval, thread_id } = found;
  const approved = command.name === "approve";
  const limits = approved ? limitsOf(approval.limit_code, command.amount) : undefined;
  const note = command.name === "deny" ? command.note : undefined;
  const said = { ...(limits ? { limits } : {}), ...(note === undefined ? {} : { message: note }) };
  const posted = await postRequest(world, {
    ...{ kind: "decide", request_id: newRequestId(world), thread_id, by: on.by },
    ...{ approval_id: approval.approval_id, approved, via, resume: true, ...said },
  });
  if (posted.accepted) return decisionText({ approved, limits }, approval);
  return posted.decided ? undecidedText({ is: "decided", decision: posted.decided }) : posted.why;
}

function limitsOf(code: string | undefined, amount: string | undefined): Limits | undefined {
  if (code === undefined || amount === undefined) return undefined;
  const key = limitKeyOf(code);
  return { [key]: key === "spend" ? amount : Number(amount) };
}

/** Of the whole tree: a child may ask too. */
async function questions({ world, row }: Performing): Promise<readonly ApprovalRow[]> {
  if (!row) return [];
  const tree = new Set((await world.store.find({ rootId: row.root_id })).map(({ thread_id }) => thread_id));
  const open = await world.store.approvals({ states: ["open"] });
  return open.filter(({ thread_id }) => tree.has(thread_id));
}

async function gone({ store }: World, id: string): Promise<string> {
  const [found] = await store.approvals({ prefix: id });
  return found?.decision
    ? undecidedText({ is: "decided", decision: found.decision })
    : undecidedText({ is: "unknown", id });
}

/** Of everything that this project's people were answered since midnight, as the clock of the machine has it. */
async function today({ world }: Performing): Promise<number> {
  const since = new Date(world.clock.now());
  since.setUTCHours(0, 0, 0, 0);
  const rows = await world.store.find({ since: since.toISOString(), onlyRoots: true, onlyHeads: true });
  return rows
    .filter(({ address }) => address !== null)
    .reduce((sum, { spent, below }) => sum + spent + below, 0);
}
