/** What a probe says in JSON: `{"status":"done","output":…}`, `{"status":"not_done"}` or `{"status":"cannot_tell"}`. */
import type { ProbeAnswer } from "../core/tool.ts";

/** Anything else has told nothing. */
export function probeAnswer(said: unknown): ProbeAnswer {
  if (typeof said !== "object" || said === null) return { type: "cannot_tell" };
  const { status, output } = said as { status?: unknown; output?: unknown };
  if (status === "not_done") return { type: "not_done" };
  if (status !== "done") return { type: "cannot_tell" };
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { type: "done", outcome: { status: "ok", output: text ?? "(no output)" } };
}
