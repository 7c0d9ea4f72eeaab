/** `selvage retry`: steps into a wait for another try, to end it or to give up. */
import { Command } from "commander";
import { EXIT, type NextStep, Problem } from "../../../core/problem.ts";
import type { ThreadRow } from "../../../core/row.ts";
import type { World } from "../../../core/world.ts";
import { applyRequests, newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { carryOn } from "../carry-on.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { hostedAnswer } from "../hosted-answer.ts";
import { PATIENCE_MS } from "../hosting.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { answerSteps, openQuestion } from "../question-first.ts";
import { resolveHead } from "../resolve.ts";
import { threadAnswer } from "../result.ts";
import type { Session } from "../session.ts";
import type { Sighting } from "../survey.ts";
import { requireSeen, type Seen } from "../thread-object.ts";

interface RetryOptions {
  readonly now?: boolean;
  readonly stop?: boolean;
}

/** A host takes a request up at once; longer than this nobody waits for a look at what came of it. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;

export function retryCommand(play: Play): Command {
  return new Command("retry")
    .description("end a wait for another try: ask now, or give up")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("--now", "ask the model again at once")
    .option("--stop", "do not ask again; the thread is suspended")
    .action((id: string, options: RetryOptions) => play((session) => retry(session, id, options)));
}

async function retry(session: Session, id: string, options: RetryOptions): Promise<Answer> {
  requirePerson("retry");
  const action = requireAction(id, options);
  const project = session.openTrusted();
  const { world } = project;
  await postInbox(world, await world.store.candidates("*"));
  const { thread_id: threadId } = await resolveHead(world.store, id);
  const seen = await requireSeen(world, threadId);
  const { attempt, maxAttempts: max } = requireWait(seen, world.clock.now());
  const { row, host } = seen.sighting;
  if (action === "now" && !host) {
    project.requireModel(row.model);
    warnOfFallbacks(session, project);
  }
  const asked = { request_id: newRequestId(world), thread_id: threadId, by: person() };
  const posted = await postRequest(world, { ...asked, kind: "retry", action });
  if (!posted.accepted) throw notWaiting(seen, posted.why);
  const answer = {
    kind: "retry",
    exit: EXIT.ok as number,
    data: { thread_id: threadId, attempt, max, action },
  };
  if (action === "stop") {
    if (posted.host) await stopped(world, row);
    else await applyRequests(world, threadId, PATIENCE_MS);
    return { ...answer, ...(await stopText(world, threadId)) };
  }
  const text = `↻ ${threadId}: waiting cut short, attempt ${attempt} of ${max} starts now.`;
  if (posted.host) return { ...answer, text };
  session.terminal.print(text);
  const ended = await threadAnswer(project, threadId, await carryOn(session, world, [row]));
  const done = { ...ended, kind: "retry", data: { ...answer.data, thread: ended.data } };
  return hostedAnswer(session, done, ended.data);
}

function requireAction(id: string, { now, stop }: RetryOptions): "now" | "stop" {
  if (now !== stop) return now ? "now" : "stop";
  throw new Problem("E_USAGE", {
    what: "A wait is either ended or given up.",
    why: now ? "--now and --stop were both given." : "Neither --now nor --stop was given.",
    next: [
      { cmd: `selvage retry ${id} --now`, why: "asks at once" },
      { cmd: `selvage retry ${id} --stop`, why: "gives up; the thread is suspended" },
    ],
  });
}

/** Once its time has come a thread that somebody hosts is asking: there is no wait left to step into. */
function requireWait(seen: Seen, now: number) {
  const { row, host, view } = seen.sighting;
  const wait = seen.thread.step?.retry;
  if (row.status !== "running" || row.waits_for?.kind !== "timer" || !wait)
    throw notWaiting(seen, `it is ${view}`);
  if (host && Date.parse(wait.wakeAt) <= now) throw notWaiting(seen, "it is asking the model right now");
  return wait;
}

function notWaiting({ sighting }: Seen, why: string): Problem {
  const { row, view } = sighting;
  const { thread_id: threadId } = row;
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} does not wait for another try: ${why}.`,
    why: `It is ${row.status}${row.suspend_reason ? ` (${row.suspend_reason})` : ""} since ${row.updated_at}. Nothing was written.`,
    next:
      view === "suspended"
        ? suspendedNext(sighting)
        : [{ cmd: `selvage show ${threadId}`, why: "what it does" }],
    threadId,
  });
}

/** A limit or a call that was asked about is not passed by a resume: it would be refused. */
function suspendedNext({ row, requests, damage }: Sighting): NextStep[] {
  const { thread_id: threadId, suspend_reason: reason } = row;
  if (damage) return [{ cmd: `selvage show ${threadId}`, why: "where it is damaged" }];
  const question = openQuestion(row, requests);
  if (question !== null && (reason === "limit" || reason === "approval")) return answerSteps(question);
  return [{ cmd: `selvage resume ${threadId}`, why: "lets it ask again" }];
}

async function stopped({ clock, store }: World, { thread_id: threadId }: ThreadRow): Promise<void> {
  const deadline = clock.monotonic() + WAIT_MS;
  while (clock.monotonic() < deadline) {
    const [row] = await store.find({ threadId, limit: 1 });
    if (row?.status !== "running") return;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

async function stopText(world: World, threadId: string): Promise<{ text: string; hint?: string }> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  if (row?.status === "suspended") {
    const text = `‖ ${threadId}: Retry cancelled. It is suspended (error); nothing is lost.`;
    return { text, hint: `  next  selvage resume ${threadId}` };
  }
  if (row?.status === "running") return { text: `${threadId} is asked to give up; its owner answers.` };
  return { text: `${threadId} is ${row?.status ?? "gone"}.` };
}
