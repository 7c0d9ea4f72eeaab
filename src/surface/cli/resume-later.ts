/** `resume --at`: a suspended thread goes on by itself, if something hosts it then. */
import { EXIT } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { applyRequests } from "../../runtime/index.ts";
import type { Answer } from "./answer.ts";
import { PATIENCE_MS } from "./hosting.ts";
import { shortTime } from "./moment.ts";
import { requireSeen, threadObject } from "./thread-object.ts";

/** Nothing runs now: the time is stored, and whoever hosts the thread then lets it go on. */
export async function later(
  world: World,
  threadId: string,
  { at, isHosted }: { at: string; isHosted: boolean },
): Promise<Answer> {
  if (!isHosted) await applyRequests(world, threadId, PATIENCE_MS);
  const data = threadObject(await requireSeen(world, threadId));
  const time = shortTime(at, world.clock.now());
  const text = `‖ ${threadId} goes on at ${time} (${at}).`;
  const hint = `Something must host it then; nothing wakes it by itself.\n  next  selvage recover ${threadId}    from ${time} on`;
  return { kind: "thread.result", exit: EXIT.ok, data: { ...data, resumes_at: at }, text, hint };
}
