// Stories whose owners die replay too: crashes and what was made of them are part of the journal (X5, promise 25).
import { expect, test } from "vitest";
import type { Death, Story } from "../../src/testing/index.ts";
import { play, storyUniverse } from "../../src/testing/index.ts";
import { stories } from "../crash/stories.ts";
import { replayAll, shown } from "./replaying.ts";

/** All deaths of a tree, in the campaign. */
const LONGEST_MS = 600_000;

/** A tree has many writes, and many threads that are replayed after each. */
function stride({ children }: Story): number {
  if (process.env["SELVAGE_CAMPAIGN"] === "1") return 1;
  return children ? 5 : 3;
}

/** One world after another: each but the last dies as told. */
async function lived(story: Story, deaths: readonly Death[]) {
  const universe = storyUniverse(story, { broken: [] });
  let writes = 0;
  for (const death of deaths) {
    const { world, mortal, kill } = universe.open(death);
    const played = play(world, story);
    played.catch(() => {});
    await Promise.race([played, mortal.died]);
    await kill();
  }
  const { world, mortal } = universe.open();
  await play(world, story);
  writes = mortal.writes;
  return { world, writes };
}

test.each(stories.map((story) => [story.name, story] as const))(
  "%s",
  async (_, story) => {
    const { writes } = await lived(story, []);
    for (let at = 1; at <= writes; at += stride(story)) {
      const fate = at % 2 ? ("landed" as const) : ("lost" as const);
      const again = { at: 1 + (at % 7), fate: "landed" as const };
      for (const deaths of [[{ at, fate }], [{ at, fate }, again]]) {
        const { world } = await lived(story, deaths);
        for (const replayed of await replayAll(world)) {
          const told = `${JSON.stringify(deaths)} ${shown(replayed)}`;
          expect(replayed, told).toMatchObject({ divergences: [], parted: false, events: replayed.total });
        }
      }
    }
  },
  LONGEST_MS,
);
