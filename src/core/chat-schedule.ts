/**
 * Prompts that come by themselves: which one is owed, what it is called, and when to look again. Pure: whether it was told
 * already is known by its name alone, which is the same for every process and after every restart.
 */
import { type ChatSchedule, SCHEDULE } from "./chat-file.ts";
import { dueAfter } from "./schedule.ts";

/** Of what was due while nobody ran, only the last is told, and not when it is older than this. */
const LATE_MS = 24 * 3_600_000;
/** What comes only once is waited for longer. */
const ONCE_LATE_MS = 7 * LATE_MS;
/** A clock may be set: nobody sleeps longer than this before looking at it again. */
const LONGEST_SLEEP_MS = 60_000;
const FIRST_WINDOW_MS = 60_000;

/** When the prompt that is owed at this time was due; undefined: none is. */
export function owedAt(schedule: ChatSchedule, now: number): number | undefined {
  const most = schedule.once === undefined ? LATE_MS : ONCE_LATE_MS;
  // Looked for from near to far: what comes every minute is not counted through for a day.
  for (let window = FIRST_WINDOW_MS; ; window = Math.min(2 * window, most)) {
    const first = dueAfter(schedule, now - window);
    if (first !== undefined && first <= now) return lastFrom(schedule, first, now);
    if (window === most) return undefined;
  }
}

function lastFrom(schedule: ChatSchedule, first: number, now: number): number {
  const next = dueAfter(schedule, first);
  return next === undefined || next > now ? first : lastFrom(schedule, next, now);
}

export interface ScheduledPrompt {
  /** Nobody of a platform: it may neither command nor approve, and nobody is mentioned in the answer. */
  readonly by: string;
  readonly text: string;
  readonly messageId: string;
}

/** With a name that no message of a platform has. */
export function promptDueAt({ id, prompt }: ChatSchedule, due: number): ScheduledPrompt {
  const by = `${SCHEDULE}:${id}`;
  return { by, text: `[schedule ${id}] ${prompt}`, messageId: `${by}:${new Date(due).toISOString()}` };
}

/** How long nothing of this can be due, as far as the clock is to be believed. */
export function quietFor(schedules: readonly ChatSchedule[], now: number): number {
  const waits = schedules.map((schedule) => (dueAfter(schedule, now) ?? Number.POSITIVE_INFINITY) - now);
  return Math.min(LONGEST_SLEEP_MS, ...waits);
}
