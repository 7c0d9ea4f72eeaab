// Every story replays: each thread of it, event by event, with nothing executed (X5, promise 25).
import { expect, test } from "vitest";
import { play, storyUniverse } from "../../src/testing/index.ts";
import { stories } from "../crash/stories.ts";
import { replayAll, shown } from "./replaying.ts";

test.each(stories.map((story) => [story.name, story] as const))("%s", async (_, story) => {
  const universe = storyUniverse(story, { broken: [] });
  const { world } = universe.open();
  await play(world, story);
  const effects = universe.effects.length;
  for (const replayed of await replayAll(world)) {
    expect(replayed, shown(replayed)).toMatchObject({
      divergences: [],
      parted: false,
      events: replayed.total,
    });
  }
  expect(universe.effects).toHaveLength(effects);
});
