/** Replays every thread that there is in a world of a story. */
import type { Replayed } from "../../src/core/replayed.ts";
import type { World } from "../../src/core/world.ts";
import { replayThread } from "../../src/replay/index.ts";
import type { Story } from "../../src/testing/index.ts";
import { channelStories } from "../crash/channel-stories.ts";
import { contextStories } from "../crash/context-stories.ts";
import { stories } from "../crash/stories.ts";

export async function replayAll(world: World): Promise<Replayed[]> {
  const rows = await world.store.find({});
  return Promise.all(rows.map(({ thread_id }) => replayOne(world, thread_id)));
}

export async function replayOne(
  world: World,
  threadId: string,
  more: Partial<Pick<World, "settings" | "rules" | "store">> = {},
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

/** Threads that talk in channels, that make calls through `execute`, or that lacked money for notes: told as parted, not the same. */
const NOT_YET: readonly Story[] = [
  ...channelStories,
  ...contextStories.filter(({ name }) => name.includes("does not fit")),
];
const isReplayable = (story: Story) =>
  !NOT_YET.includes(story) && !JSON.stringify(story.steps).includes('"execute"');
export const replayable = stories.filter(isReplayable);
export const unreplayable = stories.filter((story: Story) => !isReplayable(story));
