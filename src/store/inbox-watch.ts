/** Notices files that arrive for a thread: in its own folder, and in that of its questions once there is one. */
import { mkdirSync, readdirSync, watch } from "node:fs";
import { APPROVALS, approvalsFolder } from "./question-files.ts";

/** Whether a file of this name asks something: beside the thread's own files, or beside its questions. */
export interface Asking {
  readonly inThread: (name: string) => boolean;
  readonly inApprovals: (name: string) => boolean;
}

/** Null: the system did not say which. */
type OnName = (name: string | null) => void;

const POLL_MS = 100;

export function watchThread(folder: string, asking: Asking, onArrival: () => void): () => void {
  let leaveApprovals = () => {};
  const watchApprovals = () => {
    leaveApprovals();
    const approvals = approvalsFolder(folder);
    const onName: OnName = (name) => {
      if (name === null || asking.inApprovals(name)) onArrival();
    };
    leaveApprovals = approvals === undefined ? () => {} : watchFolder(approvals, onName);
  };
  const leaveThread = watchFolder(folder, (name) => {
    const isApprovals = name === null || name === APPROVALS;
    // It came or went; and an answer may lie in it already.
    if (isApprovals) watchApprovals();
    if (isApprovals || asking.inThread(name)) onArrival();
  });
  watchApprovals();
  return () => {
    leaveThread();
    leaveApprovals();
  };
}

/** Watches where the system can; looks every 100 ms where it cannot. */
function watchFolder(folder: string, onName: OnName): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_, name) => onName(name));
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    return pollFolder(folder, onName);
  }
}

function pollFolder(folder: string, onName: OnName): () => void {
  let known = new Set<string>();
  const timer = setInterval(() => {
    const names = namesIn(folder);
    const before = known;
    known = new Set(names);
    for (const name of names) if (!before.has(name)) onName(name);
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder may not exist yet.
    return [];
  }
}
