/**
 * What the model of a thread may give a child: by `thread_tool` when it starts it, by `resume_thread` when it lets it go
 * on. No more than the thread has itself, as limits go; how much of its money is left, the ledger says in the commit.
 * What a directive's file declares is a person's word, and is not held against this.
 */
import { type Limits, parseLimits } from "./limit.ts";

/** `field`: where they stand in the call. */
export function handedLimits(
  own: Limits,
  asked: Readonly<Record<string, unknown>>,
  field: "limits" | "new_limits",
): { readonly limits: Limits } | { readonly problem: string } {
  const parsed = parseLimits(asked);
  if ("problem" in parsed) return { problem: `${field}: ${parsed.problem}` };
  const wider = Object.entries(parsed.limits).find(([key, value]) => Number(value) > mostOf(own, key));
  if (!wider) return parsed;
  const [key, value] = wider;
  // One generation is between them.
  const why =
    key === "depth"
      ? `this thread's own is ${own[key]}, so a child has at most ${mostOf(own, key)}`
      : `this thread's own is ${own[key]}, and a child has no more`;
  return { problem: `${field}: ${key} ${value} is too much: ${why}` };
}

function mostOf(own: Limits, key: string): number {
  const most = own[key];
  if (key === "spend" || typeof most !== "number") return Number.POSITIVE_INFINITY;
  return key === "depth" ? most - 1 : most;
}
