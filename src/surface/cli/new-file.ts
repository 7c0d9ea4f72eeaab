/** Files that a command writes for somebody, where that person says: never over one that is there, and for this user alone. */
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { unwritable } from "../../core/disk-error.ts";
import { type NextStep, Problem } from "../../core/problem.ts";

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

/** `next`: how to say it so that it works. */
export function writeNew(path: string, content: Uint8Array, next: NextStep): Written {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
    return { path, bytes: content.length };
  } catch (cause) {
    // Half a file helps nobody; had it been there before, it would not have been opened.
    if (file !== undefined) rmSync(path, { force: true });
    throw unwritten(path, cause as NodeJS.ErrnoException, next);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function unwritten(path: string, cause: NodeJS.ErrnoException, next: NextStep): Problem {
  if (cause.code !== "EEXIST") return unwritable(path, cause, [next]);
  return new Problem("E_EXISTS", {
    what: `${path} is there already.`,
    why: "It was not written over.",
    next: [next],
    cause,
  });
}
