/** What is said to whoever uses a project that was closed. */
import { Problem } from "../../core/problem.ts";

export function closed(when = "before"): Problem {
  return new Problem("E_CLOSED", {
    what: "The project is closed.",
    why: `close() was called ${when}. Its threads lose nothing: whoever opens it next goes on with them.`,
    next: [{ cmd: "await open(folder)", why: "opens it again" }],
  });
}
