/**
 * What the actor of a chat does next: a pure decision from the fold and the clock. It is asked again only when what it said
 * has been done, so that whatever is `intended` and not `posted` when it is asked was left behind by a crash.
 *   D1. `intended` is durable before a post. What a crash left behind is looked for, once it cannot be on its way any more; where
 *       nobody can look, it is not posted again but visibly marked.
 *   D2. Edits of a message that we know may be repeated: they need no intention, but for the one that makes it the answer.
 *   D3. Edits keep the manners of the platform, all of them together; what is shown already is not sent again.
 *   D4. A progress message that was posted gets a last text: the answer, what it took, or what went wrong.
 *   D5. Answers come in the order of what was asked: one that waits to be shown by an edit is not overtaken by the next.
 */
import { LOCAL, personOf } from "./chat-access.ts";
import { cardText, decidedCard, reminderText } from "./chat-card.ts";
import type { Note } from "./chat-events.ts";
import { messageOf } from "./chat-intake.ts";
import { outcomeText } from "./chat-outcome.ts";
import type { ChatManners, ChatText } from "./chat-platform.ts";
import { BEGUN, doneText, progressText } from "./chat-progress.ts";
import { type ChatQuestion, reminderAfter, remindersDue } from "./chat-question.ts";
import { BECOMES_ANSWER_MS, type Reply, replyOf } from "./chat-reply.ts";
import { originOf } from "./chat-request.ts";
import { type ChatOutgoing, type ChatState, type ChatWork, noticeFor } from "./chat-state.ts";
import { RESTARTED, UNDELIVERED, UNSURE } from "./chat-texts.ts";

/** What is meant, without how far it got. */
type Target = Pick<Note, "for" | "what">;
type Sign = "seen" | "queued";

export type ChatAction =
  | { readonly kind: "react"; readonly messageId: string; readonly sign: Sign; readonly on: boolean }
  /** Note `intended`, post (the text with the first file, then the others), note `posted` with the id; `given_up` when it cannot be. */
  | {
      readonly kind: "post";
      readonly target: Target;
      readonly said: ChatText;
      readonly files: Reply["files"];
    }
  /**
   * With a target: edit, then note `posted` with the message's id; for an answer, `intended` with that id comes first.
   * Where the message is not there any more, that is noted instead.
   */
  | {
      readonly kind: "edit";
      readonly messageId: string;
      readonly said: ChatText;
      readonly target?: Target;
      readonly ifGone: Note;
    }
  /** Found among our recent messages: note `posted` with its id. Not there: `absent`. Nobody can look: `unknown`. */
  | {
      readonly kind: "look";
      readonly target: Target;
      readonly text: string;
      readonly since: number;
      readonly known: readonly string[];
      readonly absent: readonly ChatAction[];
      readonly unknown: readonly ChatAction[];
    }
  /** A file of the agent's: as a post; with `isTold`, people are told where it stands instead. */
  | {
      readonly kind: "send";
      readonly target: Target;
      readonly file: ChatOutgoing;
      readonly isTold?: true;
    }
  | { readonly kind: "note"; readonly note: Note };

/** What the actor knows beside the fold; all of it may be lost. */
export interface ChatView {
  readonly now: number;
  readonly platform: string;
  readonly manners: ChatManners;
  /** When this process began: what moved before was another's. */
  readonly startedAt: number;
  /** Of any message here; a new actor takes its own beginning for it. */
  readonly lastEditAt: number;
  /** What the progress message shows. */
  readonly shown?: { readonly messageId: string; readonly text: string } | undefined;
  /** By what the platform calls the message: it may be handed on under another name. */
  readonly reactions: ReadonlyMap<string, Sign>;
  /** What was sent by one that died may arrive so much later: before that, that it is not there says nothing. */
  readonly lateMs: number;
  readonly hideCosts: boolean;
  readonly showsProgress: boolean;
  /** How people know a thread. */
  readonly nameOf: (threadId: string) => string;
  readonly details?: string | undefined;
}

export interface NextDelivery {
  readonly actions: readonly ChatAction[];
  /** When time alone changes what is to be done. */
  readonly lookAgainAt?: number | undefined;
}

const PROGRESS_AFTER_MS = 2_000;
/** Of very many that wait only the first ones show it: an answer does not wait for ten thousand signs. */
const MOST_SIGNS = 20;
/** The platform's clock is another. */
const SKEW_MS = 60_000;
const LEFT_OVER_MS = 24 * 3_600_000;

export function nextDelivery(state: ChatState, view: ChatView): NextDelivery {
  const works = inOrder(state.works.map((work) => forWork(state, work, view)));
  const questions = state.questions.map((question) => forQuestion(question, state, view));
  const files = state.files.map((file) => forFile(file, state, view));
  const all = [...files, ...works, ...questions];
  const edits = all.flatMap(({ edit }) => (edit ? [edit] : []));
  // What is said for good comes before what is said in between.
  const first = edits.find(({ target }) => target !== undefined) ?? edits[0];
  const mayEditAt = view.lastEditAt + view.manners.editEveryMs;
  // What is looked for may end in an edit of its own.
  const isLooking = all.some(({ does }) => does?.some(({ kind }) => kind === "look"));
  const now = first && !isLooking && view.now >= mayEditAt ? [first] : [];
  const nextEditAt = now.length > 0 ? view.now + view.manners.editEveryMs : mayEditAt;
  const waits = edits.length > now.length ? [Math.max(nextEditAt, view.now + 1)] : [];
  const times = [...all.flatMap(({ at }) => (at === undefined ? [] : [at])), ...waits];
  return {
    actions: [...reactions(state, view), ...all.flatMap(({ does }) => does ?? []), ...now],
    ...(times.length > 0 ? { lookAgainAt: Math.min(...times) } : {}),
  };
}

/** For one go, or one question: what is done now, an edit when the manners allow it, and when to look again. */
interface Due {
  readonly does?: readonly ChatAction[];
  readonly edit?: ChatAction & { kind: "edit" };
  readonly at?: number | undefined;
}

/** D5. */
function inOrder(works: readonly Due[]): readonly Due[] {
  const first = works.findIndex(({ edit }) => edit?.target?.what === "answer");
  if (first < 0) return works;
  const isAnswer = (action: ChatAction) => action.kind === "post" && action.target.what === "answer";
  return works.map((due, at) =>
    at > first && due.does?.some(isAnswer)
      ? { ...due, does: due.does.filter((action) => !isAnswer(action)) }
      : due,
  );
}

function reactions({ works }: ChatState, { reactions: shown, platform }: ChatView): ChatAction[] {
  return works.slice(0, MOST_SIGNS).flatMap((work) => {
    const wanted: Sign = work.startedAt === undefined ? "queued" : "seen";
    return [work.prompt, ...work.also].flatMap((prompt): ChatAction[] => {
      const message = messageOf(prompt);
      const before = shown.get(originOf(prompt));
      if (message?.place.platform !== platform || before === wanted || work.outcome) return [];
      const off: ChatAction[] = before
        ? [{ kind: "react", messageId: message.id, sign: before, on: false }]
        : [];
      return [...off, { kind: "react", messageId: message.id, sign: wanted, on: true }];
    });
  });
}

function forWork(state: ChatState, work: ChatWork, view: ChatView): Due {
  if (work.progress.state === "intended")
    return onceThere(work.progress.at, view, () => ({ does: [lookForProgress(state, work)] }));
  if (work.outcome) return delivered(state, work, work.outcome, view);
  if (work.key !== state.current || work.startedAt === undefined || !view.showsProgress) return {};
  return work.progress.messageId === undefined
    ? progressPost(state, work, view)
    : progressEdit(state, work, work.progress.messageId, view);
}

function progressSaid({ run }: ChatState, { now, hideCosts }: ChatView): ChatText {
  return progressText(run, { now, hideCosts });
}

function progressPost(state: ChatState, work: ChatWork, view: ChatView): Due {
  // Given up: the platform does not take one. A person is asked: the card says it.
  if (work.progress.state !== "none" || state.run.status === "suspended") return {};
  const due = (work.startedAt ?? view.now) + PROGRESS_AFTER_MS;
  if (view.now < due) return { at: due };
  // Always the same words, so that they are known again after a crash.
  return {
    does: [{ kind: "post", target: { for: work.key, what: "progress" }, said: { text: BEGUN }, files: [] }],
  };
}

/** D1: without one that can be found, the answer comes as a message of its own. */
function lookForProgress(state: ChatState, work: ChatWork): ChatAction {
  const target: Target = { for: work.key, what: "progress" };
  const givenUp: ChatAction = { kind: "note", note: { ...target, state: "given_up" } };
  return look(state, target, BEGUN, work.progress.at, [givenUp], [givenUp]);
}

/** D1. At the terminal nothing is on its way; a clock that was set back says nothing about how long ago it was. */
function onceThere(sentAt: number, { now, platform, lateMs }: ChatView, due: () => Due): Due {
  const at = platform === LOCAL ? sentAt : sentAt + lateMs;
  return now >= sentAt && now < at ? { at } : due();
}

function look(
  state: ChatState,
  target: Target,
  text: string,
  since: number,
  absent: readonly ChatAction[],
  unknown: readonly ChatAction[],
): ChatAction {
  const ids = state.works.flatMap(({ progress, answer }) => [progress.messageId, answer.messageId]);
  const cards = state.questions.map(({ messageId }) => messageId);
  const known = [...ids, ...cards].filter((id) => id !== undefined);
  return { kind: "look", target, text, since: since - SKEW_MS, known, absent, unknown };
}

function progressEdit(state: ChatState, work: ChatWork, messageId: string, view: ChatView): Due {
  const { now, startedAt, manners } = view;
  // Nothing has moved since we are here: the work was left behind, and is not taken up yet.
  if (state.movedAt < startedAt) return leftOver(work, messageId, view);
  const said = progressSaid(state, view);
  const at = isTicking(state.run) ? now + manners.editEveryMs : undefined;
  const isShown = view.shown?.messageId === messageId && view.shown.text === said.text;
  return isShown ? { at } : { edit: { kind: "edit", messageId, said, ifGone: gone(work) }, at };
}

function gone({ key }: ChatWork): Note {
  return { for: key, what: "progress", state: "given_up" };
}

/** Time alone changes what is shown. */
function isTicking({ calls, retry, children }: ChatState["run"]): boolean {
  return (
    retry !== undefined || Object.keys(calls).length > 0 || children.some(({ state }) => state === "running")
  );
}

function leftOver(work: ChatWork, messageId: string, { now, startedAt }: ChatView): Due {
  const isOurs = work.progress.at >= startedAt;
  if (work.isLeft || isOurs || now - work.progress.at > LEFT_OVER_MS) return {};
  const due = startedAt + PROGRESS_AFTER_MS;
  if (now < due) return { at: due };
  const target: Target = { for: noticeFor("left", work.key), what: "notice" };
  return { edit: { kind: "edit", messageId, said: { text: RESTARTED }, target, ifGone: gone(work) } };
}

type Outcome = NonNullable<ChatWork["outcome"]>;

function delivered(state: ChatState, work: ChatWork, outcome: Outcome, view: ChatView): Due {
  const target: Target = { for: work.key, what: "answer" };
  const { answer, progress } = work;
  if (outcome.kind === "none" || answer.state === "posted")
    return closing(state, work, doneSaid(state, work, outcome, view));
  // Stale answers are worse than none (S1): it is marked, and `/status` shows it.
  if (answer.state === "none" && view.now - outcome.at > LEFT_OVER_MS)
    return { does: [{ kind: "note", note: { ...target, state: "given_up" } }] };
  if (answer.state === "given_up") return closing(state, work, { text: UNDELIVERED });
  const reply = replyTo(outcome, view.manners);
  const plain: ChatText = { text: reply.text, ...(reply.buttons ? { buttons: reply.buttons } : {}) };
  const becomes = (messageId: string): Due => ({
    edit: { kind: "edit", messageId, said: plain, target, ifGone: gone(work) },
  });
  // D2: begun, and not known whether it got through: it is the same edit.
  if (answer.state === "intended" && answer.messageId !== undefined) return becomes(answer.messageId);
  const isLate = view.now - work.at >= BECOMES_ANSWER_MS;
  const asker = personOf(view.platform, work.by);
  const said = isLate && asker !== undefined ? { ...plain, mentions: [asker] } : plain;
  const post: ChatAction = { kind: "post", target, said, files: reply.files };
  if (answer.state === "intended") {
    const mark = closing(state, work, { text: UNSURE });
    const mayEditAt = view.lastEditAt + view.manners.editEveryMs;
    if (mark.edit && view.now < mayEditAt) return { at: mayEditAt };
    const marked = [...(mark.does ?? []), ...(mark.edit ? [mark.edit] : [])];
    const givenUp: ChatAction = { kind: "note", note: { ...target, state: "given_up" } };
    return onceThere(answer.at, view, () => ({
      does: [look(state, target, said.text, answer.at, [post], [...marked, givenUp])],
    }));
  }
  const canBecome = progress.messageId !== undefined && reply.files.length === 0 && !isLate;
  return canBecome && progress.messageId !== undefined ? becomes(progress.messageId) : { does: [post] };
}

function replyTo(outcome: Outcome, manners: ChatManners): Reply & Pick<ChatText, "buttons"> {
  return outcome.kind === "answer" ? replyOf(outcome.text, manners) : { ...outcomeText(outcome), files: [] };
}

function doneSaid({ run }: ChatState, work: ChatWork, outcome: Outcome, view: ChatView): ChatText {
  const { hideCosts, details } = view;
  const ms = outcome.at - (work.startedAt ?? work.at);
  // Of the newest alone is known what it took: nothing was spent on another since.
  const spent = Math.max(0, run.spent - work.spentBefore);
  return { text: doneText({ kind: outcome.kind, ms, spent, hideCosts, details }) };
}

/** D4. Where there is no message to edit, only bad news is worth one of its own. */
function closing(state: ChatState, work: ChatWork, said: ChatText): Due {
  const { progress, end, key } = work;
  if (end.state === "posted" || end.state === "given_up") return {};
  const target: Target = { for: noticeFor("end", key), what: "notice" };
  if (progress.messageId !== undefined)
    return { edit: { kind: "edit", messageId: progress.messageId, said, target, ifGone: gone(work) } };
  const post: ChatAction = { kind: "post", target, said, files: [] };
  // A mark that is there twice is better than none.
  return { does: [end.state === "none" ? post : look(state, target, said.text, end.at, [post], [post])] };
}

function forQuestion(question: ChatQuestion, state: ChatState, view: ChatView): Due {
  const { approval, card, messageId, threadId } = question;
  const target: Target = { for: approval.approval_id, what: "card" };
  const said = cardText(question, view.nameOf(threadId));
  if (card === "intended") {
    const givenUp: ChatAction = { kind: "note", note: { ...target, state: "given_up" } };
    const post: ChatAction = { kind: "post", target, said, files: [] };
    const again = question.state === "open" ? post : givenUp;
    return onceThere(question.cardAt, view, () => ({
      does: [look(state, target, said.text, question.cardAt, [again], [givenUp])],
    }));
  }
  if (question.state === "open") {
    if (card === "none") return { does: [{ kind: "post", target, said, files: [] }] };
    return reminder(question, view);
  }
  if (messageId === undefined) return {};
  const decided: Target = { for: noticeFor("decided", approval.approval_id), what: "notice" };
  const ifGone: Note = { ...target, state: "given_up" };
  return { edit: { kind: "edit", messageId, said: decidedCard(question), target: decided, ifGone } };
}

function forFile(file: ChatOutgoing, state: ChatState, view: ChatView): Due {
  const target: Target = { for: file.callId, what: "file" };
  const told: ChatAction = { kind: "send", target, file, isTold: true };
  const send: ChatAction = file.bytes > view.manners.largestFile ? told : { kind: "send", target, file };
  const { delivery } = file;
  if (delivery.state === "none") return { does: [send] };
  return onceThere(delivery.at, view, () => ({
    does: [look(state, target, file.name, delivery.at, [send], [told])],
  }));
}

/** Of several that were missed, one is enough. */
function reminder(question: ChatQuestion, { now, nameOf }: ChatView): Due {
  const { approval, at, reminded, threadId } = question;
  const due = remindersDue(now - at);
  if (due <= reminded) return { at: at + reminderAfter(reminded) };
  const target: Target = { for: noticeFor("remind", `${approval.approval_id}:${due}`), what: "notice" };
  const said = { text: reminderText(question, nameOf(threadId), now) };
  return { does: [{ kind: "post", target, said, files: [] }], at: at + reminderAfter(due) };
}
