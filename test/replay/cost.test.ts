// What a replay costs grows with its journal, not with the square of it: looks at the journal are counted.
import { expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { play, type Story, storyUniverse } from "../../src/testing/index.ts";
import { STORY_THREAD } from "../../src/testing/story.ts";
import { replayOne } from "./replaying.ts";

const call = (tool: string, input: unknown = {}) => ({ tool, input });

/** Calls that run and calls that cannot, hooks, and words of people in between. */
function long(turns: number): Story {
  const calls = (n: number) => [call("send", { n }), call("note", { n }), call("gone", { n })];
  const steps = Array.from({ length: turns }, (_, n) => ({ says: `${n}`, calls: calls(n) }));
  const asks = Array.from({ length: turns / 4 }, (_, n) => ({
    after: "step_finish" as const,
    times: 4 * n + 1,
  }));
  return {
    name: "long",
    steps: [...steps, { says: "done" }],
    tools: [
      { name: "send", effect: "manual" },
      { name: "note", effect: "pure" },
    ],
    hooks: [{ event: "after_step", says: () => ({ action: "continue" }) }],
    asks: asks.map((ask) => ({ ...ask, kind: "message" })),
    limits: { turns: turns + 1, spend: "900.00" },
  };
}

async function looks(turns: number): Promise<{ events: number; looks: number }> {
  const story = long(turns);
  const { world } = storyUniverse(story, { broken: [] }).open();
  await play(world, story);
  let count = 0;
  const counted = (events: readonly Event[]) =>
    new Proxy(events, {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) count += 1;
        return Reflect.get(target, key);
      },
    });
  const load: typeof world.store.load = async (id) => ({
    events: counted((await world.store.load(id)).events),
  });
  const replayed = await replayOne(world, STORY_THREAD, { store: { ...world.store, load } });
  expect(replayed).toMatchObject({ divergences: [], events: replayed.total });
  return { events: replayed.total, looks: count };
}

test("four times the journal takes about four times the looks at it", async () => {
  const [short, four] = [await looks(40), await looks(160)];
  const growth = four.looks / short.looks / (four.events / short.events);
  expect(growth).toBeLessThan(1.1);
  expect(four.looks / four.events).toBeLessThan(60);
});
