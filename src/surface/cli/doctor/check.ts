/** How checks are told: good, to be looked at, broken, or not looked at. */
import type { Check } from "../../../core/diagnosis.ts";
import { toProblem } from "../problem-text.ts";

type Id = Check["id"];

interface More {
  readonly detail?: readonly string[];
  /** A command; with `safe`, one that `doctor --fix` stands for. */
  readonly cmd?: string;
  readonly safe?: boolean;
}

/** More would not be read: the commands that are named tell all of it. */
const MOST_DETAILS = 10;

function check(id: Id, status: Check["status"], summary: string, more: More = {}): Check {
  const { detail = [], cmd, safe = false } = more;
  const shown = detail.slice(0, MOST_DETAILS);
  const rest = detail.length > shown.length ? [`and ${detail.length - shown.length} more`] : [];
  const fix = cmd === undefined ? null : { cmd, safe };
  return { id, status, summary, detail: [...shown, ...rest], fix };
}

export const good = (id: Id, summary: string, more?: More) => check(id, "ok", summary, more);
export const odd = (id: Id, summary: string, more?: More) => check(id, "warn", summary, more);
export const bad = (id: Id, summary: string, more?: More) => check(id, "fail", summary, more);
export const skipped = (id: Id, summary: string) => check(id, "skip", summary);

/** A look that fails is a finding, and hides none of the others. */
export async function looking(id: Id, look: () => Check[] | Promise<Check[]>): Promise<Check[]> {
  try {
    return await look();
  } catch (error) {
    const { message, why, next, code } = toProblem(error);
    const [first] = next;
    return [
      bad(id, message, {
        detail: [...(why === undefined ? [] : [why]), `selvage explain ${code}`],
        ...(first ? { cmd: first.cmd } : {}),
      }),
    ];
  }
}
