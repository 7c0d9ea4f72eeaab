/** Replays every thread that there is in a world of a story. */
import type { Replayed } from "../../src/core/replayed.ts";
import type { World } from "../../src/core/world.ts";
import { replayThread } from "../../src/replay/index.ts";

export async function replayAll(world: World): Promise<Replayed[]> {
  const rows = await world.store.find({});
  return Promise.all(rows.map(({ thread_id }) => replayOne(world, thread_id)));
}

export async function replayOne(
  world: World,
  threadId: string,
  more: Partial<Pick<World, "settings" | "rules" | "store" | "tool">> = {},
): Promise<Replayed> {
  const { store, sha256, settings, rules, model, tool } = { ...world, ...more };
  const hooks = (await world.hooks?.("story")) ?? [];
  return replayThread({ threadId, store, sha256, settings, rules, model, tool, hooks });
}

/** What a person would look at first. */
export function shown({ thread_id, events, total, divergences: [first] }: Replayed): string {
  if (!first) return `${thread_id}: ${events} of ${total} identical`;
  const { seq, recorded, now, differences } = first;
  return `${thread_id}: ${seq} of ${total}: ${JSON.stringify(recorded)} → ${JSON.stringify(now)} ${JSON.stringify(differences)}`;
}
