// Every story replays: each thread of it, event by event, with nothing executed (X5, promise 25).
import { expect, test } from "vitest";
import { play, storyUniverse } from "../../src/testing/index.ts";
import { replayAll, replayable, shown, unreplayable } from "./replaying.ts";

test.each(replayable.map((story) => [story.name, story] as const))("%s", async (_, story) => {
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

test.each(unreplayable.map((story) => [story.name, story] as const))(
  "%s: it is not replayed yet, and that is told",
  async (_, story) => {
    const { world } = storyUniverse(story, { broken: [] }).open();
    await play(world, story);
    const parted = (await replayAll(world)).filter(({ divergences }) => divergences.length > 0);
    expect(parted.length).toBeGreaterThan(0);
    for (const each of parted) expect(each).toMatchObject({ parted: true });
  },
);
