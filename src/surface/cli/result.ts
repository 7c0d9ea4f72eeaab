/** How a thread that was hosted here ended, as an answer and an exit code. */
import { EXIT } from "../../core/problem.ts";
import { stripControls } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import type { Answer } from "./answer.ts";
import type { HostingEnd } from "./hosting.ts";
import { clockTime } from "./moment.ts";
import { seeById, type ThreadObject, threadObject } from "./thread-object.ts";

export function exitOfThread({ status }: { readonly status: string }): number {
  switch (status) {
    case "completed":
      return EXIT.ok;
    case "error":
      return EXIT.failed;
    case "suspended":
      return EXIT.needs_you;
    case "cancelled":
      return EXIT.cancelled;
    default:
      return EXIT.pending;
  }
}

/** The worst of several, in the order of UX a.2. */
export function worstExit(exits: readonly number[]): number {
  const order: readonly number[] = [EXIT.failed, EXIT.denied, EXIT.cancelled, EXIT.needs_you, EXIT.pending];
  return order.find((exit) => exits.includes(exit)) ?? EXIT.ok;
}

export async function threadAnswer(world: World, threadId: string, end: HostingEnd): Promise<Answer> {
  const seen = await seeById(world, threadId);
  if (!seen) throw new Error(`${threadId} is gone from the store`);
  const data = threadObject(seen);
  const exit = endExit(end) ?? exitOfThread(data);
  const text = data.result === null ? "" : stripControls(data.result.text);
  return { kind: "thread.result", exit, data, text, hint: nextHint(data, end) };
}

/** A thread that came to its end while we were told to stop has ended all the same; the signal still names the exit. */
function endExit(end: HostingEnd): number | undefined {
  switch (end.type) {
    case "stopped":
      return end.exit;
    case "timed_out":
      return EXIT.pending;
    case "settled":
      return undefined;
  }
}

function nextHint(thread: ThreadObject, end: HostingEnd): string {
  const { thread_id, status } = thread;
  const recover = `selvage recover ${thread_id}`;
  if (status === "completed" || status === "cancelled") return "";
  if (status === "error")
    return `✗ ${thread_id} failed: ${stripControls(thread.error?.message ?? "")}\n  next  selvage logs ${thread_id}`;
  if (status === "suspended") return suspendedHint(thread);
  if (end.type === "timed_out") return `Still going when the time was up. Nothing is lost; go on: ${recover}`;
  if (end.type === "stopped") return `Stopped. Everything finished is stored; go on: ${recover}`;
  const wake = thread.now.retry?.wake_at;
  return wake
    ? `Waits until ${clockTime(wake)} before another try; go on then: ${recover}`
    : `Go on: ${recover}`;
}

function suspendedHint({ thread_id, suspend_reason, now, error }: ThreadObject): string {
  const why = suspend_reason === "corrupt" ? now.doing : (error?.message ?? now.doing);
  const command =
    suspend_reason === "corrupt"
      ? `selvage recover ${thread_id} --mark-error`
      : `selvage recover ${thread_id}`;
  return `‖ ${thread_id} needs you (${suspend_reason}): ${stripControls(why)}\n  next  ${command}`;
}
