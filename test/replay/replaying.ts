/** Replays every thread that there is in a world of a story. */
import type { Hook } from "../../src/core/hook.ts";
import type { World } from "../../src/core/world.ts";
import { type Replayed, replayThread } from "../../src/replay/index.ts";

export async function replayAll(world: World): Promise<Replayed[]> {
  const rows = await world.store.find({});
  return Promise.all(rows.map(({ thread_id }) => replayOne(world, thread_id)));
}

export function replayOne(world: World, threadId: string, more: Partial<World> = {}): Promise<Replayed> {
  const { store, sha256, settings, rules, model, tool } = { ...world, ...more };
  const hooks = async (directive: string): Promise<readonly Hook[]> => (await world.hooks?.(directive)) ?? [];
  return replayThread({ threadId, store, sha256, settings, rules, model, tool, hooks });
}

/** What a person would look at first. */
export function shown({ thread_id, events, total, divergences: [first] }: Replayed): string {
  if (!first) return `${thread_id}: ${events} of ${total} identical`;
  const { seq, recorded, now, differences } = first;
  return `${thread_id}: ${seq} of ${total}: ${JSON.stringify(recorded)} → ${JSON.stringify(now)} ${JSON.stringify(differences)}`;
}
