/** An answer that was given: it counts from the moment it is stored, whatever keeps its thread from going on with it. */
import type { ApprovalRow } from "../../core/approval.ts";
import { StorageFailure } from "../../core/failure.ts";
import { type NextStep, Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { waitsForResume } from "./approval-inbox.ts";
import { decidedText } from "./approval-object.ts";
import { surveyOne } from "./survey.ts";

type Question = Pick<ApprovalRow, "approval" | "thread_id">;

export async function alreadyDecided(
  world: World,
  { approval, thread_id: threadId }: Question,
  decision: NonNullable<ApprovalRow["decision"]>,
): Promise<Problem> {
  const { why, next } = await sinceThen(world, threadId);
  return new Problem("E_ALREADY_DECIDED", {
    what: `${approval.approval_id} was answered already, by ${oneLine(decision.by, 60)}.`,
    why: `It was ${decidedText(decision)}. ${why}The first answer counts. Nothing was written.`,
    next: [next],
    threadId,
  });
}

interface Since {
  /** Ends with a blank; empty when the thread goes on, or has ended. */
  readonly why: string;
  readonly next: NextStep;
}

/** What became of a thread after its question was answered. */
export async function sinceThen(world: World, threadId: string): Promise<Since> {
  const [row] = await world.store.find({ threadId, limit: 1 });
  const sighting = row && (await surveyOne(world, row));
  if (sighting?.isAbandoned)
    return {
      why: "The answer is stored; its thread has not gone on, for nobody hosts it. ",
      next: { cmd: `selvage recover ${threadId}`, why: "hosts it, and it goes on with the answer" },
    };
  if (sighting && waitsForResume(sighting))
    return {
      why: "The answer is stored; its thread was not let go on with it. ",
      next: { cmd: `selvage resume ${threadId}`, why: "lets it go on" },
    };
  return { why: "", next: { cmd: `selvage show ${threadId}`, why: "what became of the thread" } };
}

/** For who gives answers: should the disk fail, those that are stored by then are told with the way on. */
export async function keepingTrack<T>(
  questions: readonly Question[],
  act: (onStored: (question: Question) => void) => Promise<T>,
): Promise<T> {
  const stored = new Set<Question>();
  try {
    return await act((question) => stored.add(question));
  } catch (error) {
    throw error instanceof StorageFailure && stored.size > 0 ? cutOff(questions, stored, error) : error;
  }
}

/** From memory: of a disk that takes no writes a store may not even be opened again to be read. */
function cutOff(questions: readonly Question[], kept: ReadonlySet<Question>, error: StorageFailure): Problem {
  const stored = questions.filter((question) => kept.has(question));
  const others = questions.filter((question) => !kept.has(question));
  const threads = [...new Set(stored.map(({ thread_id }) => thread_id))];
  const missing = others.length === 0 ? "" : ` Not stored: the answer to ${idsOf(others)}.`;
  return new Problem("E_DISK", {
    what: `The answer to ${idsOf(stored)} is stored, but ${threads.join(", ")} could not go on with it.`,
    why: `The store could not be written any more: ${error.message} (${error.code}).${missing}`,
    next: [
      {
        cmd: `selvage recover ${threads.join(" ")}`,
        why: "goes on with the answer, once there is room again",
      },
    ],
    ...(threads[0] === undefined ? {} : { threadId: threads[0] }),
    cause: error,
  });
}

function idsOf(questions: readonly Question[]): string {
  return questions.map(({ approval }) => approval.approval_id).join(", ");
}
