/** What an activation begins with. */
import { setMaxListeners } from "node:events";
import type { Damage } from "../core/row.ts";
import { foldThread, type Thread } from "../core/thread.ts";
import { type Active, withPatience } from "./active.ts";

/** Many calls, sleeps and a stream listen to one signal at the same time; that is no leak. */
export function newEffects(): AbortController {
  const effects = new AbortController();
  setMaxListeners(0, effects.signal);
  return effects;
}

/** The thread as the store has it, with its files beside it mended. */
export async function readThread(
  place: Pick<Active, "world" | "lease" | "patienceMs">,
): Promise<Thread | { readonly damage: Damage }> {
  const { store, exports } = place.world;
  const { threadId } = place.lease;
  const loaded = await withPatience(place, () => store.load(threadId));
  const damage = loaded.damage ?? exports.reconcile(threadId, loaded.events);
  return damage ? { damage } : foldThread(threadId, loaded.events);
}
