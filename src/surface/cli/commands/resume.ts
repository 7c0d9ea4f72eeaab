/** `selvage resume`: a suspended thread goes on where it stopped, now or at a time; one that has ended, in a new one. */
import { Command } from "commander";
import { Problem } from "../../../core/problem.ts";
import { newRequestId, postInbox, postRequest } from "../../../runtime/index.ts";
import type { Answer } from "../answer.ts";
import { carryOn } from "../carry-on.ts";
import { warnOfFallbacks } from "../fallback-models.ts";
import { followElsewhere } from "../follow-elsewhere.ts";
import { another, limitsSet } from "../limits-given.ts";
import { parseSeconds } from "../number.ts";
import { requirePerson } from "../operator.ts";
import { person } from "../person.ts";
import type { Play } from "../program.ts";
import { resolveHead } from "../resolve.ts";
import { threadAnswer } from "../result.ts";
import { requireResumable, resumeTime } from "../resumable.ts";
import { resumeEnded } from "../resume-ended.ts";
import { later } from "../resume-later.ts";
import type { Session } from "../session.ts";
import { detachedAnswer, hostInBackground, requireNoTimeout } from "../starting.ts";
import { requireSeen } from "../thread-object.ts";

interface ResumeOptions {
  readonly set?: readonly string[];
  readonly message?: string;
  readonly at?: string;
  readonly timeout?: number;
  readonly detach?: boolean;
}

export function resumeCommand(play: Play): Command {
  return new Command("resume")
    .description("let a suspended thread go on, or say more to one that has ended")
    .argument("<id>", "a thread: its id, a unique beginning of it, or @last")
    .option("--set <limit=value>", "a new limit, such as turns=40 (again for more)", another)
    .option("-m, --message <text>", "told to the thread before it goes on")
    .option(
      "--at <time>",
      "not now, but then: 2026-11-16T01:20:00Z, 01:20, +2h; or reset, when the provider said",
    )
    .option(
      "--timeout <seconds>",
      "stop hosting after this time; the thread stays recoverable (exit 8)",
      parseSeconds,
    )
    .option("-d, --detach", "in the background: a host is started if there is none")
    .action((id: string, options: ResumeOptions) => play((session) => resume(session, id, options)));
}

async function resume(session: Session, id: string, options: ResumeOptions): Promise<Answer> {
  requirePerson("resume");
  requireNoTimeout("resume", options);
  const limits = limitsSet(options.set);
  const project = session.openTrusted();
  const { world } = project;
  await postInbox(world, await world.store.candidates("*"));
  const { thread_id: threadId } = await resolveHead(world.store, id);
  const seen = await requireSeen(world, threadId);
  const gone = await resumeEnded(session, project, seen, { ...options, limits });
  if (gone) return gone;
  await requireResumable(world, seen, limits);
  const { row, host } = seen.sighting;
  const at = options.at === undefined ? undefined : resumeTime(options.at, seen, world.clock.now());
  if (at === undefined && !host) {
    project.requireModel(row.model);
    warnOfFallbacks(session, project);
  }
  if (options.detach) await hostInBackground(session, project);
  const { message } = options;
  const asked = { request_id: newRequestId(world), thread_id: threadId, by: person(), nonce: row.nonce };
  const posted = await postRequest(world, { ...asked, kind: "resume", limits, message, at });
  if (!posted.accepted) throw refused(threadId, posted.why);
  if (at !== undefined) return later(world, threadId, { at, isHosted: posted.host !== undefined });
  if (options.detach) return detachedAnswer(world, threadId);
  const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
  const end = posted.host
    ? await followElsewhere(session, world, [row], timeoutMs)
    : await carryOn(session, world, [row], { timeoutMs });
  return threadAnswer(project, threadId, end);
}

function refused(threadId: string, why: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `${threadId} cannot be resumed: ${why}.`,
    why: "It changed a moment ago. Nothing was written.",
    next: [{ cmd: `selvage show ${threadId}`, why: "its state" }],
    threadId,
  });
}
