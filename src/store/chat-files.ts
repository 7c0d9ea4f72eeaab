/**
 * Files of a chat on disk. Held messages stand beside the store, in `.ai/threads/.chat/`, out of every tool's sight; what is whole and
 * has a thread stands in `.ai/attachments/<thread_id>/`, where tools may read it, and goes with the thread (`prune`).
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { ChatFiles, HeldMessage, KeptFile } from "../core/chat-files.ts";
import { makeFolder, syncFolder } from "../disk/folder.ts";
import { openPlain } from "../disk/open-plain.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { putWhole } from "../disk/whole-file.ts";

const ATTACHMENTS = ".ai/attachments";
const WAITING = ".ai/threads/.chat";
/** A text that is shown whole is smaller than that. */
const MOST_TEXT = 64 * 1024;

export function attachmentsFolder(root: string): string {
  return join(root, ATTACHMENTS);
}

export function chatFilesAt(root: string): ChatFiles {
  const waiting = join(root, WAITING);
  const message = (key: string) => join(waiting, `${key}.json`);
  const staged = (key: string) => join(waiting, `${key}.files`);
  const ofThread = (threadId: string, key: string) => join(attachmentsFolder(root), threadId, key);
  const hold = (held: HeldMessage) => {
    makeFolder(waiting);
    replaceFile(message(held.key), JSON.stringify(held), { mode: 0o600 });
  };
  return {
    hold,
    held: () =>
      namesIn(waiting)
        .flatMap((name) => heldIn(join(waiting, name)))
        .sort(byAge),
    keep: (key, name, bytes) => {
      mkdirSync(staged(key), { recursive: true, mode: 0o700 });
      return putWhole(staged(key), name, bytes);
    },
    hand: (key, threadId) => {
      const [held] = heldIn(message(key));
      const target = ofThread(threadId, key);
      const folder = `${ATTACHMENTS}/${threadId}/${key}`;
      const before = held?.handedTo === undefined ? undefined : ofThread(held.handedTo, key);
      const from = before !== undefined && existsSync(before) ? before : staged(key);
      if (from === target || !existsSync(from)) return { folder, files: filesIn(target) };
      if (existsSync(target)) rmSync(from, { recursive: true, force: true });
      else {
        makeHome(root, dirname(target));
        // Written down first: after a crash between the two it is looked for in both.
        if (held) hold({ ...held, handedTo: threadId });
        renameSync(from, target);
        syncFolder(dirname(target));
      }
      if (from === before) removeEmpty(dirname(from), attachmentsFolder(root));
      return { folder, files: filesIn(target) };
    },
    text: (folder, name) => textAt(join(root, folder, name)),
    outgoing: (threadId, callId) =>
      readFile(join(root, ".ai/threads", threadId, "outgoing", callId)).catch(() => undefined),
    drop: (key) => {
      rmSync(staged(key), { recursive: true, force: true });
      rmSync(message(key), { force: true });
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch {
    return []; // nobody has held anything yet
  }
}

/** What somebody else put there is left alone. */
function heldIn(path: string): HeldMessage[] {
  try {
    const held = JSON.parse(readFileSync(path, "utf8")) as HeldMessage;
    return typeof held.key === "string" && typeof held.text === "string" ? [held] : [];
  } catch {
    return [];
  }
}

function byAge(one: HeldMessage, other: HeldMessage): number {
  return one.at - other.at || one.n - other.n;
}

/** Inside the project, also where somebody put a link; and not for git. */
function makeHome(root: string, folder: string): void {
  makeFolder(folder);
  const home = join(realpathSync(root), ATTACHMENTS);
  if (!`${realpathSync(folder)}${sep}`.startsWith(`${home}${sep}`))
    throw new Error(`${ATTACHMENTS} is a link that leads elsewhere`);
  const ignore = join(home, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
}

function filesIn(folder: string): KeptFile[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  } catch {
    return []; // none of them came
  }
}

function textAt(path: string): string | undefined {
  const opened = openPlain(path);
  if (!("file" in opened)) return undefined;
  try {
    const { size } = fstatSync(opened.file);
    if (size > MOST_TEXT) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(opened.file));
  } catch {
    return undefined; // no text
  } finally {
    closeSync(opened.file);
  }
}

function removeEmpty(folder: string, home: string): void {
  try {
    for (let at = folder; at !== home; at = dirname(at)) rmdirSync(at);
  } catch {
    // Another message has its files there.
  }
}
