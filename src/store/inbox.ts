/**
 * The cancel file (F4, §12): `.ai/threads/<id>/cancel.requested` = `{nonce, reason?}`. It is claimed by rename,
 * so that two hosts never take it twice, and removed only after its request is stored; a claimed file that was
 * left behind by a crash is taken again.
 */
import { randomBytes } from "node:crypto";
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, watch } from "node:fs";
import { join } from "node:path";
import type { Inbox, InboxFile } from "../core/world.ts";

const ASKED = "cancel.requested";
const CLAIMED = /^cancel\.claimed-([0-9a-f]{16})$/;
const POLL_MS = 100;
const MAX_BYTES = 65_536;

export function openInbox(threadsFolder: string): Inbox {
  return {
    take: (threadIds) => threadIds.flatMap((threadId) => takeFrom(join(threadsFolder, threadId), threadId)),
    done: (file, fate) => {
      try {
        if (fate === "removed") unlinkSync(file.path);
        else renameSync(file.path, file.path.replace("cancel.claimed-", "cancel.archived-"));
      } catch {
        // Already gone: the request is stored, and that is what counts.
      }
    },
    watch: (threadId, onArrival) => watchFolder(join(threadsFolder, threadId), onArrival),
  };
}

function takeFrom(folder: string, threadId: string): InboxFile[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const claimed = names.filter((name) => CLAIMED.test(name));
  if (names.includes(ASKED)) {
    const name = `cancel.claimed-${randomBytes(8).toString("hex")}`;
    try {
      renameSync(join(folder, ASKED), join(folder, name));
      claimed.push(name);
    } catch {
      // Another host was faster.
    }
  }
  return claimed.map((name) => readClaimed(join(folder, name), threadId, CLAIMED.exec(name)?.[1] ?? name));
}

/** The request's id comes from the claimed name: taken twice after a crash, it is still one request. */
function readClaimed(path: string, threadId: string, stamp: string): InboxFile {
  const asked = parse(path);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    threadId,
    path,
    requestId: `file_${stamp}`,
    nonce: text(asked["nonce"]),
    reason: text(asked["reason"]) || "cancelled by file",
  };
}

/** A file that does not parse asks with no nonce: it is journaled as not accepted. */
function parse(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path).subarray(0, MAX_BYTES).toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Watches where the system can; looks every 100 ms where it cannot. */
function watchFolder(folder: string, onArrival: () => void): () => void {
  const seen = (name: string | null) => {
    if (name === null || name === ASKED) onArrival();
  };
  let watcher: FSWatcher | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    watcher = watch(folder, { persistent: false }, (_, name) => seen(name));
    watcher.on("error", () => {});
    return () => watcher?.close();
  } catch {
    const timer = setInterval(() => {
      try {
        if (readdirSync(folder).includes(ASKED)) onArrival();
      } catch {
        // The folder may not exist yet.
      }
    }, POLL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}
