/** Fields of the events about processes that a chain keeps (§14). */
import * as z from "zod/mini";

/** How one ended: by itself, told to, by force, before anybody looked, or where this machine cannot see it. */
const ENDS = ["exited", "stopped", "killed", "gone", "elsewhere"] as const;
export type ProcessEnd = (typeof ENDS)[number];

export const PROCESS_STARTED = z.object({
  handle_id: z.string(),
  call_id: z.string(),
  pid: z.int().check(z.positive()),
  /** Machine, boot, pid namespace, pid and start time: a number alone names nobody. */
  identity: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  ready: z.boolean(),
});

/** Who wanted it to end: a person, the thread itself by its tool, or nobody in particular, as the thread ended. */
const ASKERS = ["person", "tool", "end"] as const;

export const PROCESS_STOPPED = z.object({
  handle_id: z.string(),
  exit_code: z.nullable(z.int()),
  why: z.enum(ENDS),
  /** Absent when it ended by itself, or nobody knows. */
  asked_by: z.optional(z.enum(ASKERS)),
  /** The person. */
  by: z.optional(z.string()),
});
