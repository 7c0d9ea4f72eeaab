/** A place that cannot be written is something to tell a person, not a fault of ours. */
import { Problem } from "../core/problem.ts";

export function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unwritable(path, String(cause), cause);
  }
}

export function unwritable(path: string, why: string, cause?: unknown): Problem {
  return new Problem("E_DISK", { what: `${path} cannot be written.`, why, cause });
}
