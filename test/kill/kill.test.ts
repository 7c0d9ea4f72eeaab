/** Real SIGKILLs of real processes on a real disk. A sample here, with points rotated by the seed; all of them in the campaign. */
import { expect, test } from "vitest";
import { type KillPoint, lives, runWorker } from "../../src/testing/index.ts";
import { judge, newWorker } from "./life.ts";

async function countWrites(): Promise<number> {
  const { root, worker } = newWorker();
  const end = await runWorker(worker);
  expect(end.output).toContain('"status":"completed"');
  expect(await judge(root)).toEqual([]);
  return JSON.parse(end.output.replace("ready\n", "")).writes;
}

const seed = Number(process.env["SELVAGE_SEED"] ?? 1);
const isCampaign = process.env["SELVAGE_CAMPAIGN"] === "1";
const writes = await countWrites();
const all = Array.from({ length: writes }, (_, index) => index + 1).flatMap((at): KillPoint[] => [
  { at, when: "before" },
  { at, when: "after" },
]);
const SAMPLE = 66;
const picked = isCampaign
  ? all
  : Array.from({ length: SAMPLE }, (_, index) => all[(seed + index * 7) % all.length]);
const points = picked.flatMap((point) => point ?? []);

/** One life: killed at its point; every third one is killed again while it recovers. */
async function live(point: KillPoint, index: number): Promise<{ kills: number; broken: string[] }> {
  const { root, worker } = newWorker();
  const second = all[(seed * 3 + index * 11) % all.length] ?? point;
  const ends = await lives(worker, index % 3 === 0 ? [point, second] : [point]);
  const kills = ends.filter((end) => end.signal === "SIGKILL").length;
  const last = ends.at(-1);
  const untouched = last?.output.includes('"status":"completed"')
    ? []
    : [`the last run said ${last?.output}`];
  const broken = [...untouched, ...(await judge(root))];
  return { kills, broken: broken.map((sentence) => `killed ${point.when} write ${point.at}: ${sentence}`) };
}

test(
  `kill -9 at ${points.length} of ${all.length} points (seed ${seed})`,
  async () => {
    const left = points.map((point, index) => ({ point, index }));
    const broken: string[] = [];
    let kills = 0;
    const work = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const life = await live(next.point, next.index);
        kills += life.kills;
        broken.push(...life.broken);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(broken).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(60);
  },
  isCampaign ? 1_800_000 : 300_000,
);
