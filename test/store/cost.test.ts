/** What a turn costs on disk: counts, not times. */
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import type { Store } from "../../src/core/store.ts";
import { MIGRATIONS } from "../../src/store/schema.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { play, readThread, type Story, storyUniverse } from "../../src/testing/index.ts";
import { scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const PAYLOAD = 1_400;
const TURNS = 120;

async function measure(story: Story) {
  const path = newPath();
  let commits = 0;
  const open = watchedDriver((sql) => {
    if (sql === "COMMIT") commits += 1;
  });
  const universe = storyUniverse(story, { broken: [] }, (needs) =>
    openSqliteStore({ ...needs, path, durability: "strict", open: (file) => unchecked(open(file)) }),
  );
  const opened = universe.open();
  const marks: { turn: number; commits: number; wal: number }[] = [];
  const { store } = opened.world;
  const { commit } = store;
  const marked: Store["commit"] = async (lease, batch) => {
    const answer = await commit(lease, batch);
    const ended = batch.events.find((event) => event.type === "step_finish");
    if (ended) marks.push({ turn: ended.turn, commits, wal: statSync(`${path}-wal`).size });
    return answer;
  };
  store.commit = marked;
  await play(opened.world, story);
  const { thread } = await readThread(opened.world, "story-1767225600-000000");
  await opened.kill();
  return { marks, thread };
}

/** Without checkpoints, and without room made ahead, the log only grows, so its size is what was written. */
function unchecked<D extends { exec(sql: string): void }>(driver: D): D {
  const { exec } = driver;
  return {
    ...driver,
    exec: (sql: string) => {
      if (!sql.includes("zeroblob")) exec(sql.replace("wal_autocheckpoint = 1000", "wal_autocheckpoint = 0"));
    },
  };
}

test("a tool turn costs two commits and at most ten times its payload, at turn 10 as at turn 110", async () => {
  const text = "x".repeat(PAYLOAD / 2);
  const calls = Array.from({ length: TURNS }, (_, n) => ({ calls: [{ tool: "note", input: { n, text } }] }));
  const steps = [...calls, { says: "done" }];
  const { marks, thread } = await measure({
    name: "cost",
    steps,
    tools: [{ name: "note", effect: "manual" }],
    limits: { turns: 2 * TURNS },
  });
  expect(thread.turns).toBe(TURNS + 1);
  const per = (from: number, to: number) => {
    const [first, last] = [marks[from], marks[to]];
    if (!first || !last) throw new Error("too few turns");
    return {
      commits: (last.commits - first.commits) / (to - from),
      wal: (last.wal - first.wal) / (to - from),
    };
  };
  const [early, late] = [per(5, 25), per(95, 115)];
  // Input once in the intent, output (which repeats it) once in the result: that is the payload of these turns.
  expect(early.commits).toBe(2);
  expect(late.commits).toBe(2);
  expect(late.wal).toBeLessThan(10 * PAYLOAD);
  expect(late.wal).toBeLessThan(1.15 * early.wal);
});

test("nor more when the model says something as well: over fifty turns, in which pages fill up and split", async () => {
  const said = "x".repeat(520);
  const text = "y".repeat(440);
  const steps = [
    ...Array.from({ length: TURNS }, (_, n) => ({
      says: said,
      calls: [{ tool: "note", input: { n, text } }],
    })),
    { says: "done" },
  ];
  const { marks } = await measure({
    ...{ name: "cost", steps, limits: { turns: 2 * TURNS } },
    tools: [{ name: "note", effect: "manual" }],
  });
  const [first, last] = [marks[60], marks[110]];
  const wal = ((last?.wal ?? Number.NaN) - (first?.wal ?? Number.NaN)) / 50;
  const payload = said.length + 2 * JSON.stringify({ n: 100, text }).length;
  expect(wal / payload).toBeLessThan(10);
});

test("a text turn costs one commit", async () => {
  const { marks } = await measure({ name: "cost", steps: [{ says: "x".repeat(PAYLOAD) }], tools: [] });
  // The layout, created, enrolled, claimed, started, and then the turn itself.
  expect(marks[0]?.commits).toBe(MIGRATIONS.length + 5);
});
