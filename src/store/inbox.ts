/**
 * Two files ask something of a thread (F4): `cancel.requested` = `{nonce, reason?}` in its folder (§12), and
 * `approvals/<id>.response.json` beside a question (§7).
 *   I1. A file is claimed by rename, so that two hosts never take it twice.
 *   I2. It is removed only after its request is stored; a claimed file that a crash left behind is taken again, and the
 *       request's id comes from the claimed name: taken twice, it is still one request.
 *   I3. What was refused is kept under another name, without the token of who wrote it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Inbox, InboxFile } from "../core/world.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { type IsOperator, readAnswer, withoutToken } from "./answer-file.ts";
import { isHalfWritten, parseObject, readInboxFile } from "./inbox-file.ts";
import { watchThread } from "./inbox-watch.ts";
import { APPROVALS, approvalsFolder } from "./question-files.ts";

/** A kind of file that asks, by what its names look like; `$1` is what stands before the kind. */
interface Box {
  readonly asked: RegExp;
  readonly claimed: RegExp;
  readonly claimedName: (asked: string, stamp: string) => string;
}

const CANCEL: Box = {
  asked: /^cancel\.requested$/,
  claimed: /^cancel\.claimed-(?<stamp>[0-9a-f]{16})$/,
  claimedName: (_, stamp) => `cancel.claimed-${stamp}`,
};
const ANSWER: Box = {
  asked: /^[a-z0-9_]{1,80}\.response\.json$/,
  claimed: /^(?<id>[a-z0-9_]{1,80})\.response\.claimed-(?<stamp>[0-9a-f]{16})$/,
  claimedName: (asked, stamp) => asked.replace(/json$/, `claimed-${stamp}`),
};

/** `isOperator` knows the token of whoever may answer questions here (L5). */
export function openInbox(threadsFolder: string, isOperator: IsOperator): Inbox {
  const asking = {
    inThread: (name: string) => CANCEL.asked.test(name),
    inApprovals: (name: string) => ANSWER.asked.test(name),
  };
  return {
    take: (threadIds) =>
      threadIds.flatMap((threadId) => takeFrom(join(threadsFolder, threadId), threadId, isOperator)),
    done: (file, fate) => {
      try {
        if (fate === "removed") unlinkSync(file.path);
        else setAside(file);
      } catch {
        // Already gone: the request is stored, and that is what counts.
      }
    },
    // The folder of a thread is made to be watched, but not where the store is gone with all of them.
    watch: (threadId, onArrival) =>
      existsSync(threadsFolder) ? watchThread(join(threadsFolder, threadId), asking, onArrival) : () => {},
  };
}

function takeFrom(folder: string, threadId: string, isOperator: IsOperator): InboxFile[] {
  const names = namesIn(folder);
  const cancels = claim(CANCEL, folder, names).map((name) => readCancel(join(folder, name), threadId));
  const approvals = names.includes(APPROVALS) ? approvalsFolder(folder) : undefined;
  if (approvals === undefined) return cancels;
  const answers = claim(ANSWER, approvals, namesIn(approvals)).flatMap((name) =>
    readResponse(join(approvals, name), threadId, isOperator),
  );
  return [...cancels, ...answers];
}

function namesIn(folder: string): string[] {
  // Asked first: an error with its stack is much to throw away, for thousands of threads that have no folder.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    // A folder that is not there holds nothing.
    return [];
  }
}

/**
 * I1. Names of the files that are claimed, by us just now or by somebody who did not come to an end with them. Who is
 * still writing one is waited for: claimed now, what he has to say would be lost.
 */
function claim(box: Box, folder: string, names: readonly string[]): string[] {
  const ours = names
    .filter((name) => box.asked.test(name) && !isHalfWritten(join(folder, name)))
    .flatMap((asked) => {
      const name = box.claimedName(asked, randomBytes(8).toString("hex"));
      try {
        renameSync(join(folder, asked), join(folder, name));
        return [name];
      } catch {
        // Another host was faster.
        return [];
      }
    });
  return [...names.filter((name) => box.claimed.test(name)), ...ours];
}

function readCancel(path: string, threadId: string): InboxFile {
  const read = readInboxFile(path);
  // A file that does not parse asks with no nonce: it is journaled as not accepted.
  const asked = ("text" in read ? parseObject(read.text) : undefined) ?? {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const { stamp } = CANCEL.claimed.exec(basename(path))?.groups ?? {};
  return {
    type: "cancel",
    threadId,
    path,
    requestId: `file_${stamp}`,
    nonce: text(asked["nonce"]),
    reason: text(asked["reason"]) || "cancelled by file",
  };
}

function readResponse(path: string, threadId: string, isOperator: IsOperator): InboxFile[] {
  const { id = "", stamp } = ANSWER.claimed.exec(basename(path))?.groups ?? {};
  const answer = readAnswer(path, isOperator);
  return answer
    ? [{ type: "answer", threadId, path, requestId: `file_${stamp}`, approvalId: id, ...answer }]
    : [];
}

/** I3. Where people see it. */
function setAside({ type, path }: InboxFile): void {
  const fate = type === "cancel" ? "archived-" : "rejected-";
  const aside = join(dirname(path), basename(path).replace("claimed-", fate));
  const kept = type === "answer" ? withoutToken(path) : undefined;
  if (kept === undefined) return renameSync(path, aside);
  replaceFile(aside, kept, { mode: 0o600, sync: false });
  unlinkSync(path);
}
