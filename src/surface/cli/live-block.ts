/** The lines at the bottom of `run` on a terminal (UX a.6): who is at what, what is waited for, and the money; six at most. */
import type { Statement } from "../../core/bookkeeping.ts";
import type { Event } from "../../core/event.ts";
import { showShort } from "../../core/money.ts";
import { counted, duration } from "./moment.ts";

/** With one line for those who do not fit, and one for the money. */
const MOST_THREADS = 4;
const BAR = 20;

interface Working {
  readonly doing: string;
  readonly since: number;
}

/** What each thread that is hosted here is at now. */
export class LiveBlock {
  readonly #working = new Map<string, Working>();

  note(event: Event, doing: string | undefined, since: number): void {
    if (ENDS.has(event.type)) this.#working.delete(event.thread_id);
    else if (event.type === "wait_started" && event.thread_ids.length > 0) {
      this.#working.set(event.thread_id, {
        doing: `waits for ${counted(event.thread_ids.length, "thread")}`,
        since,
      });
    } else if (doing !== undefined) this.#working.set(event.thread_id, { doing, since });
  }

  /** `retrying`: the words for a thread that waits for another try. */
  lines(
    now: number,
    look: {
      readonly name: (threadId: string) => string;
      readonly retrying: (threadId: string) => string | undefined;
      readonly paint: { readonly dim: (text: string) => string; readonly yellow: (text: string) => string };
    },
  ): string[] {
    const all = [...this.#working];
    const shown = all.slice(-MOST_THREADS).map(([id, { doing, since }]) => {
      const retrying = look.retrying(id);
      if (retrying !== undefined) return look.paint.yellow(`↻ ${look.name(id)}${retrying}`);
      return look.paint.dim(`● ${look.name(id)}${doing} ${duration(Math.max(0, now - since))}`);
    });
    const more = all.length - shown.length;
    return more > 0 ? [...shown, look.paint.dim(`… ${more} more`)] : shown;
  }
}

const ENDS: ReadonlySet<Event["type"]> = new Set([
  "thread_completed",
  "thread_failed",
  "thread_cancelled",
  "thread_continued",
]);

/** `$0.12 +1.60r / 3.00  ▓▒▒▒░░`: spent, held, the limit. Undefined where nobody set one. */
export function moneyLine(statement: Statement | undefined, elapsedMs: number): string | undefined {
  const { cap = null, spent = 0, held = 0 } = statement?.account ?? {};
  if (cap === null) return undefined;
  const share = (amount: number) => (cap === 0 ? 0 : Math.round((amount / cap) * BAR));
  const used = Math.min(BAR, share(spent));
  const kept = Math.min(BAR - used, share(held));
  const bar =
    spent + held > cap
      ? "!".repeat(BAR)
      : `${"▓".repeat(used)}${"▒".repeat(kept)}${"░".repeat(BAR - used - kept)}`;
  const reserved = held > 0 ? ` +${showShort(held).slice(1)}r` : "";
  return `${showShort(spent)}${reserved} / ${showShort(cap).slice(1)}  ${bar}  ${duration(elapsedMs)}`;
}
