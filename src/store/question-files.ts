/**
 * The files of a thread's open question: `approvals/<id>.request.json`, and for a limit `escalation.json`. They stand
 * there as long as the question is open (L4). Beside them lie answers that people wrote, which are not ours to remove.
 */
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Thread } from "../core/thread.ts";
import { escalationFile, requestFile } from "./export-text.ts";

/** Puts a file in its place, by its path from the thread's folder. */
type Put = (name: string, text: string) => void;

/** The folder of a thread's questions and their answers. */
export const APPROVALS = "approvals";
const ESCALATION = "escalation.json";
const APPROVAL_ID = /^[a-z0-9_]{1,80}$/;
const REQUEST = ".request.json";

/** Writes what is open and removes what is not any more; tells the names it wrote. */
export function remakeQuestionFiles(folder: string, thread: Thread, put: Put): string[] {
  const { approval } = thread;
  const files = new Map<string, string>();
  // A name from the journal becomes a path only when it is one of ours.
  if (approval && APPROVAL_ID.test(approval.approval_id)) {
    files.set(join(APPROVALS, `${approval.approval_id}${REQUEST}`), requestFile(approval));
    if (approval.limit_code !== undefined) files.set(ESCALATION, escalationFile(thread, approval));
    makeApprovalsFolder(folder);
  }
  for (const [name, text] of files) put(name, text);
  for (const name of [...requestFiles(folder), ESCALATION]) {
    if (!files.has(name)) rmSync(join(folder, name), { force: true });
  }
  return [...files.keys()];
}

/** Where questions and answers of a thread lie. Undefined when it is not there, or a link: that could lead anywhere. */
export function approvalsFolder(threadFolder: string): string | undefined {
  const path = join(threadFolder, APPROVALS);
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined;
}

function makeApprovalsFolder(threadFolder: string): void {
  mkdirSync(join(threadFolder, APPROVALS), { recursive: true, mode: 0o700 });
  if (!approvalsFolder(threadFolder)) throw new Error(`${join(threadFolder, APPROVALS)} is a link`);
}

function requestFiles(threadFolder: string): string[] {
  const folder = approvalsFolder(threadFolder);
  const isRequest = (name: string) =>
    name.endsWith(REQUEST) && APPROVAL_ID.test(name.slice(0, -REQUEST.length));
  return folder === undefined
    ? []
    : readdirSync(folder)
        .filter(isRequest)
        .map((name) => join(APPROVALS, name));
}
