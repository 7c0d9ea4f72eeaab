/** What is told of a store that does not open. */
import { copyFileSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "../core/problem.ts";
import { storageFailure } from "./driver-error.ts";

/**
 * What a person is told when the store does not open at the start; later failures stay failures of storage. Without a
 * path no copy is kept: who only looks leaves nothing beside somebody else's store.
 */
export function openProblem(error: unknown, path: string | undefined): unknown {
  const failure = storageFailure(error);
  if (!failure) return error;
  const next = (code: string) => [
    { cmd: `selvage explain ${code}`, why: "what this means and what can be done" },
  ];
  if (failure.code === "CORRUPT" || failure.code === "NOTADB") {
    return new Problem("E_CORRUPT", {
      what: "The store does not open: it is damaged.",
      why: `${failure.message}.${path === undefined ? "" : ` A copy is kept beside it as ${keepCopy(path)}.`}`,
      next: next("E_CORRUPT"),
      cause: error,
    });
  }
  return new Problem("E_DISK", {
    what: "The store could not be opened.",
    why: `${failure.message} (${failure.code}).`,
    next: next("E_DISK"),
    cause: error,
  });
}

/** The evidence of a damaged store is kept once, before anything else can touch it. */
function keepCopy(path: string): string {
  const copy = `${path}.damaged`;
  try {
    if (!existsSync(copy)) copyFileSync(path, copy);
  } catch {
    // No room or no right to write: the original is untouched either way.
  }
  return copy.slice(dirname(path).length + 1);
}
