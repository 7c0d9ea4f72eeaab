/** How far a call is, as its tool says it, and how often that is passed on (V2). */

/** What is being done; or how much of it is, from 0 to 1, and perhaps what. */
export type Progress = [message: string] | [part: number, message?: string];

export interface Told {
  readonly message: string;
  readonly progress?: number;
}

/** A part that is no number is left out: what a tool says by mistake must not stop it. */
export function toldBy([first, second]: Progress): Told {
  if (typeof first !== "number") return { message: String(first) };
  if (Number.isNaN(first)) return { message: String(second ?? "") };
  const progress = Math.min(1, Math.max(0, first));
  return { message: String(second ?? `${Math.round(progress * 100)} %`), progress };
}

const QUARTERS = 4;

/** Whether it is time to pass something on: after a pause, or when another quarter is done. */
export function paced(everyMs: number): (now: number, progress?: number) => boolean {
  let next = Number.NEGATIVE_INFINITY;
  let passed = -1;
  return (now, progress = -1) => {
    const quarter = Math.floor(progress * QUARTERS);
    if (now < next && quarter <= passed) return false;
    passed = Math.max(passed, quarter);
    next = now + everyMs;
    return true;
  };
}
