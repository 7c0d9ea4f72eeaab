/** What an activation has under way is told to stop; and, where only that was to stop, it goes on with something else. */
import { setMaxListeners } from "node:events";
import type { Request } from "../core/request.ts";
import type { Active } from "./active.ts";

/** Everything that it does is told to stop; where that is asked for, tools that run may end (§12). */
export function interrupt(
  { effects, tools, interruptions }: Pick<Active, "effects" | "tools" | "interruptions">,
  reason: unknown,
  reach: "all" | "all but tools" = "all",
): void {
  interruptions.add(reason);
  effects.abort(reason);
  if (reach === "all") tools.abort(reason);
}

/** Many calls, sleeps and a stream listen to one signal at the same time; that is no leak. */
export function newEffects(): AbortController {
  const effects = new AbortController();
  setMaxListeners(0, effects.signal);
  return effects;
}

/** What was under way has been stopped, and that was all that was asked for: what comes next may begin. */
export function uninterrupt(active: Active): void {
  const { interruptions, taken, effects } = active;
  const isOver = (reason: unknown) => isStop(reason) && taken.has(reason.request_id);
  if (!effects.signal.aborted || ![...interruptions].every(isOver)) return;
  interruptions.clear();
  active.effects = newEffects();
  active.tools = newEffects();
}

function isStop(reason: unknown): reason is Request & { readonly kind: "stop" } {
  return typeof reason === "object" && (reason as Request | null)?.kind === "stop";
}
