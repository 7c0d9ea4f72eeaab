/** How a thread that was hosted here ended, as an answer and an exit code. */
import { EXIT, isProblemCode, type NextStep } from "../../core/problem.ts";
import { stripControls } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import type { Answer } from "./answer.ts";
import { asksText } from "./approval-object.ts";
import type { HostingEnd } from "./hosting.ts";
import type { OpenProject } from "./house.ts";
import { clockTime, shortTime } from "./moment.ts";
import { standstill } from "./needs-you.ts";
import { stepLines } from "./step-lines.ts";
import { requireHeadSeen, type Seen, seeThread, type ThreadObject, threadObject } from "./thread-object.ts";

type Ended = Pick<ThreadObject, "status" | "resumes_at">;

export function exitOfThread({ status, resumes_at }: Ended): number {
  switch (status) {
    case "completed":
      return EXIT.ok;
    case "error":
      return EXIT.failed;
    case "suspended":
      // It goes on by itself one day: nobody has to do anything but wait.
      return resumes_at === null ? EXIT.needs_you : EXIT.pending;
    case "cancelled":
      return EXIT.cancelled;
    default:
      return EXIT.pending;
  }
}

/** The worst of several, in the order of UX a.2. */
export function worstExit(exits: readonly number[]): number {
  const order: readonly number[] = [
    EXIT.failed,
    EXIT.budget,
    EXIT.denied,
    EXIT.cancelled,
    EXIT.needs_you,
    EXIT.pending,
  ];
  return order.find((exit) => exits.includes(exit)) ?? EXIT.ok;
}

type Ending = Answer & { readonly data: ThreadObject & { readonly needs_you: readonly Needs[] } };
type Needs = Pick<ThreadObject, "thread_id" | "suspend_reason" | "approval">;

/** A project, as far as an ending needs one. */
type Endings = Pick<OpenProject, "world" | "keyVariables">;

export async function threadAnswer(project: Endings, threadId: string, end: HostingEnd): Promise<Ending> {
  const { world } = project;
  const seen = await requireHeadSeen(world, threadId);
  const thread = threadObject(seen);
  const below = await needsBelow(world, seen);
  const data = { ...thread, needs_you: below.map(needOf) };
  const exit = endExit(end) ?? exitOfTree(thread, below);
  const text = data.result === null ? "" : stripControls(data.result.text);
  const hint =
    data.status === "error"
      ? failedHint(data, failedSteps(seen, data, project))
      : (belowHint(thread, below, world.clock.now()) ?? nextHint(seen, data, end, world.clock.now()));
  return { kind: "thread.result", exit, data, text, hint };
}

/** Threads below it for whom somebody has to do something before anything moves. */
export async function needsBelow(world: World, { sighting }: Seen): Promise<Seen[]> {
  const found = await standstill(world, sighting.row);
  return Promise.all(found.map((each) => seeThread(world, each)));
}

export function exitOfTree(thread: Ended, below: readonly Seen[]): number {
  return below.length > 0 ? EXIT.needs_you : exitOfThread(thread);
}

function needOf(seen: Seen): Needs {
  const { thread_id, suspend_reason, approval } = threadObject(seen);
  return { thread_id, suspend_reason, approval };
}

const MOST_TOLD = 3;

/** It waits for one who waits for you: that one's question is what has to be said. */
function belowHint(thread: ThreadObject, below: readonly Seen[], now: number): string | undefined {
  if (below.length === 0) return undefined;
  const told = below.slice(0, MOST_TOLD).map((seen) => {
    const child = threadObject(seen);
    return suspendedHint(child, suspendedSteps(seen, child, now), now);
  });
  const more = below.length > MOST_TOLD ? [`and ${below.length - MOST_TOLD} more: selvage approvals`] : [];
  return [`◌ ${thread.thread_id} ${thread.now.doing}`, ...told, ...more].join("\n");
}

/** A thread that came to its end while we were told to stop has ended all the same; the signal still names the exit. */
function endExit(end: HostingEnd): number | undefined {
  switch (end.type) {
    case "stopped":
    case "detached":
      return end.exit;
    case "timed_out":
      return EXIT.pending;
    case "settled":
      return undefined;
  }
}

function nextHint(seen: Seen, thread: ThreadObject, end: HostingEnd, now: number): string {
  const { thread_id, status } = thread;
  const recover = `selvage recover ${thread_id}`;
  if (status === "completed") return overHint(thread);
  if (status === "cancelled") return "";
  if (status === "suspended") return suspendedHint(thread, suspendedSteps(seen, thread, now), now);
  // Who hosts it goes on, also when we do not wait any longer.
  if (end.type === "detached" || (end.type === "timed_out" && seen.sighting.host))
    return `It goes on without us: selvage logs -f ${thread_id}`;
  if (end.type === "timed_out") return `Still going when the time was up. Nothing is lost; go on: ${recover}`;
  if (end.type === "stopped") return `Stopped. Everything finished is stored; go on: ${recover}`;
  const wake = thread.now.retry?.wake_at;
  return wake
    ? `Waits until ${clockTime(wake)} before another try; go on then: ${recover}`
    : `Go on: ${recover}`;
}

/** A last answer that cost more than was held leaves nothing to stop, and is not passed over in silence. */
function overHint({ thread_id, budget }: ThreadObject): string {
  if (!budget || Number(budget.over) === 0) return "";
  return `▲ ${thread_id} is $${budget.over} over its spend limit of $${budget.max}: selvage cost ${thread_id}`;
}

function failedHint({ thread_id, error }: ThreadObject, steps: readonly NextStep[]): string {
  const head = `✗ ${thread_id} failed: ${stripControls(error?.message ?? "")}`;
  return [head, ...stepLines(steps), ...codeLine(error?.code)].join("\n");
}

/** A key that was refused is named by the variable that it was read from, never by its value. */
function failedSteps({ thread: fold }: Seen, thread: ThreadObject, { keyVariables }: Endings): NextStep[] {
  const { thread_id, directive, model, error } = thread;
  const logs = { cmd: `selvage logs ${thread_id}`, why: "what happened, step by step" };
  if (error?.code !== "E_AUTH") return [logs];
  const variables = keyVariables(fold.target?.model ?? model);
  const [first] = variables;
  const read = `the key was read from ${variables.join(" or ")}: set another`;
  return [
    ...(first === undefined ? [] : [{ cmd: `export ${first}=…`, why: read }]),
    { cmd: `selvage run ${directive}`, why: "starts a new one, with the key that is set then" },
    { ...logs, why: "what the provider said" },
  ];
}

/** What happened, what is open, and the commands that answer it (UX a.4). */
export function suspendedHint(thread: ThreadObject, steps: readonly NextStep[], now: number): string {
  const { thread_id, suspend_reason, error, resumes_at } = thread;
  const why = stripControls(
    suspend_reason === "corrupt" ? thread.now.doing : (error?.message ?? thread.now.doing),
  );
  const reason = suspend_reason ?? thread.view;
  const head =
    resumes_at === null
      ? `‖ ${thread_id} needs you (${reason}): ${why}`
      : `‖ ${thread_id} waits until ${shortTime(resumes_at, now)} (${suspend_reason}): ${why}`;
  return [head, ...stepLines(steps), ...codeLine(error?.code)].join("\n");
}

/** The commands that fit a suspended thread. */
export function suspendedSteps(
  { thread: fold, sighting }: Seen,
  thread: ThreadObject,
  now: number,
): NextStep[] {
  const { thread_id, suspend_reason, approval, resumes_at } = thread;
  if (suspend_reason === "corrupt")
    return [
      { cmd: `selvage fork ${thread_id}`, why: "a new thread goes on from its last turn that can be read" },
      { cmd: `selvage recover ${thread_id} --mark-error`, why: "ends it; what is stored stays" },
    ];
  // What was asked of it comes first: another resume would be refused.
  const isPrograms = sighting.row.brought.length > 0;
  const host = isPrograms ? "what it needs: its program goes on with it" : "hosts it, and it goes on";
  if (sighting.isAbandoned) return [{ cmd: `selvage recover ${thread_id}`, why: host }];
  if (sighting.requests.length > 0) return [{ cmd: `selvage logs -f ${thread_id}`, why: "watch it go on" }];
  const hosted = `from ${resumes_at === null ? "" : shortTime(resumes_at, now)} on: hosts it, for nothing wakes it by itself`;
  const wake =
    resumes_at === null || sighting.host ? [] : [{ cmd: `selvage recover ${thread_id}`, why: hosted }];
  if (approval === null) return [...wake, { cmd: `selvage resume ${thread_id}`, why: "lets it go on" }];
  const asks = fold.approval?.limit_code === undefined ? "it goes on" : asksText({ approval: fold.approval });
  return [
    ...wake,
    { cmd: `selvage approve ${approval}`, why: resumes_at === null ? `yes: ${asks}` : "asks again now" },
    { cmd: `selvage deny ${approval}`, why: denyText(fold.approval) },
  ];
}

/** A no to a call is not the end of its thread. */
function denyText(asked: Seen["thread"]["approval"]): string {
  return asked?.on_deny === "refuse_call" ? "no to this call; the thread goes on" : "no; its work is kept";
}

function codeLine(code: string | null | undefined): string[] {
  return code && isProblemCode(code) ? [`  ${code} · selvage explain ${code}`] : [];
}
