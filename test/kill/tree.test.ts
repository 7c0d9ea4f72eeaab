/**
 * Real SIGKILLs while a tree of three generations works: while it grows, waits, fails, is cancelled or waits for a
 * person, with a managed process in it; again while it is recovered; and with two processes that recover it at once.
 * A sample here, all in the campaign.
 */
import { expect, test } from "vitest";
import { type KillPoint, runWorker, type Worker } from "../../src/testing/index.ts";
import { chance } from "./invoice.ts";
import { judgeTree, newTree, type StoryName } from "./tree-life.ts";
import { processesOf } from "./tree-processes.ts";

const seed = Number(process.env["SELVAGE_SEED"] ?? 1);
const isCampaign = process.env["SELVAGE_CAMPAIGN"] === "1";
const LIVES = isCampaign ? Number(process.env["SELVAGE_LIVES"] ?? 1_500) : 28;
const KILLS = isCampaign ? LIVES : 40;

interface Plan {
  readonly story: StoryName;
  readonly knobs: Record<string, string>;
  readonly points: readonly KillPoint[];
  readonly rivals: boolean;
}

const WRITES: Record<StoryName, number> = { works: 280, fails: 150, asks: 128, hub: 60 };

/** The first point lies anywhere; those that follow lie in the recovery, early or late. */
function planOf(life: number): Plan {
  const random = chance(seed * 100_003 + life);
  const story = (["works", "works", "fails", "asks"] as const)[Math.floor(random() * 4)] ?? "works";
  const cancelled = random() < 0.25;
  const knobs: Record<string, string> = cancelled
    ? { CANCEL_AT: String(5 + Math.floor(random() * 180)) }
    : {};
  const point = (most: number): KillPoint => ({
    at: 1 + Math.floor(random() * most),
    when: random() < 0.5 ? "before" : "after",
  });
  const again = [[], [60], [60, 20]][life % 3] ?? [];
  const points = [point(WRITES[story] * 0.9), ...again.map(point)];
  return { story, knobs, points, rivals: random() < 0.3 };
}

interface Deaths {
  readonly kills: number;
  /** Those that a managed process lived through. */
  readonly outlived: number;
}

/** Kills as planned, then a run that nobody touches; where two recover at once, one of them may die too. */
async function killed(root: string, worker: Worker, { points, rivals }: Plan): Promise<Deaths> {
  let kills = 0;
  let outlived = 0;
  const run = async (point?: KillPoint, more = {}) => {
    const env = { ...worker.env, ...more };
    const end = await runWorker({ ...worker, env }, point);
    if (end.signal === "SIGKILL") {
      kills += 1;
      if (processesOf(root).some((command) => command.startsWith("sleep 1000"))) outlived += 1;
    } else if (end.code !== 0) throw new Error(end.output);
  };
  for (const point of rivals ? points.slice(0, 1) : points) await run(point);
  if (rivals) await Promise.all([run(points[1], { RIVAL: "1" }), run(points[2], { RIVAL: "1" })]);
  await run();
  return { kills, outlived };
}

/** Whoever stopped for a person, or because its owners died too often, is let go on until all have ended. */
async function live(life: number): Promise<Deaths & { broken: string[] }> {
  const plan = planOf(life);
  const { root, worker, remove } = newTree(plan.story, plan.knobs);
  const { kills, outlived } = await killed(root, worker, plan);
  const broken: string[] = [];
  for (let yes = 0; yes < 6; yes += 1) {
    const judged = await judgeTree(root);
    broken.push(...judged.broken);
    if (judged.isOver || broken.length > 0) break;
    if (yes === 5) broken.push("it does not come to an end");
    await runWorker({ ...worker, env: { ...worker.env, APPROVE: "1" } });
  }
  if (broken.length === 0) remove();
  return {
    kills,
    outlived,
    broken: broken.map((what) => `life ${life} (${JSON.stringify(plan)}) in ${root}: ${what}`),
  };
}

test(
  `a tree lives through kill -9: ${LIVES} lives (seed ${seed})`,
  async () => {
    const only = process.env["SELVAGE_LIFE"];
    const broken: string[] = [];
    let kills = 0;
    let outlived = 0;
    let lives = 0;
    // Some end before they meet their death: then others live in their place.
    const next = (): number | undefined => {
      const isDone = only ? lives > 0 : lives >= LIVES && kills >= KILLS;
      lives += 1;
      return isDone || lives > 2 * LIVES ? undefined : only ? Number(only) : lives - 1;
    };
    const work = async () => {
      for (let life = next(); life !== undefined; life = next()) {
        const lived = await live(life);
        kills += lived.kills;
        outlived += lived.outlived;
        broken.push(...lived.broken);
      }
    };
    await Promise.all([work(), work(), work()]);
    if (process.env["SELVAGE_SAY"]) console.log({ kills, outlived });
    expect(broken).toEqual([]);
    if (only) return;
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    // Otherwise hardly any of them had a process while it was killed.
    expect(outlived).toBeGreaterThanOrEqual(LIVES / 10);
  },
  isCampaign ? 7_200_000 : 300_000,
);
