/** The durable turn, and whether the five-hundredth costs what the tenth did. */
import { median, medianDifference, medianRatio, ms, times } from "../figures.ts";
import type { ThreadReport } from "../order.ts";
import { interleave } from "../team.ts";
import type { Mark } from "../watch.ts";
import { type Row, row, type Setting } from "./row.ts";

const TURNS = 100;
const LONG = 500;
/** Eleven turns around the tenth, and the last eleven: a single turn is too short for the clock of the processor. */
const EARLY = [4, 15];
const LATE = [LONG - 11, LONG];

/** Warm code on all sides: ours is many times as much as that of a naive loop, and takes longer to get there. */
export async function turnRows({ team, quick }: Setting): Promise<Row[]> {
  const workers = await team.hireAll(["raw", "raw", "bare", "store", "durable"]);
  const rounds = quick ? { warm: 10, count: 7 } : { warm: 30, count: 25 };
  const reports = await interleave(workers, rounds, (worker) =>
    worker.tell({ type: "thread", turns: TURNS, kind: "tool", toolMs: 0, marks: [] }),
  );
  await Promise.all(workers.map((worker) => worker.end()));
  const wall = reports.map((side) => side.map((report) => report.wallMs / (TURNS + 1)));
  const cpu = reports.map((side) => side.map((report) => report.cpuMs / (TURNS + 1)));
  return [...walls(wall), ...cpus(cpu)];
}

function walls([raw = [], again = [], bare = [], store = [], durable = []]: number[][]): Row[] {
  return [
    row("noise: raw against raw, wall", times(medianRatio(again, raw))),
    row(
      "durable turn, wall per turn: raw | bare | store | durable",
      [raw, bare, store, durable].map((side) => ms(median(side))).join(" | "),
    ),
    row("durable turn against raw, wall", times(medianRatio(durable, raw)), "≤ 0.9 ×"),
    row("durable turn over bare, wall", ms(medianDifference(durable, bare)), "≤ 0.6 ms"),
    row("of which exports and inbox", ms(medianDifference(durable, store))),
  ];
}

function cpus([raw = [], again = [], bare = [], store = [], durable = []]: number[][]): Row[] {
  return [
    row("noise: raw against raw, CPU", times(medianRatio(again, raw))),
    row(
      "durable turn, CPU per turn: raw | bare | store | durable",
      [raw, bare, store, durable].map((side) => ms(median(side))).join(" | "),
    ),
    row("durable turn against raw, CPU", times(medianRatio(durable, raw))),
    row("durable turn over bare, CPU", ms(medianDifference(durable, bare)), "≤ 0.35 ms"),
  ];
}

export async function longRows({ team, quick }: Setting): Promise<Row[]> {
  const workers = await team.hireAll(["raw", "durable"]);
  const rounds = quick ? { warm: 1, count: 2 } : { warm: 2, count: 7 };
  const [raw = [], durable = []] = await interleave(workers, rounds, (worker) =>
    worker.tell({ type: "thread", turns: LONG, kind: "tool", toolMs: 0, marks: [...EARLY, ...LATE] }),
  );
  await Promise.all(workers.map((worker) => worker.end()));
  const early = { raw: within(raw, EARLY), durable: within(durable, EARLY) };
  const late = { raw: within(raw, LATE), durable: within(durable, LATE) };
  return (["wallMs", "cpuMs"] as const).flatMap((measure) => {
    const name = measure === "wallMs" ? "wall" : "CPU";
    const [lateRaw, lateDurable] = [late.raw, late.durable].map((side) => pick(side, measure));
    const [earlyRaw, earlyDurable] = [early.raw, early.durable].map((side) => pick(side, measure));
    if (!lateRaw || !lateDurable || !earlyRaw || !earlyDurable) return [];
    return [
      row(
        `turn 10 → turn 500, ${name}: raw | durable`,
        `${ms(median(earlyRaw))} → ${ms(median(lateRaw))} | ${ms(median(earlyDurable))} → ${ms(median(lateDurable))}`,
      ),
      row(
        `turn 500 against raw, ${name}`,
        times(medianRatio(lateDurable, lateRaw)),
        name === "wall" ? "≤ 0.6 ×" : "",
      ),
      row(
        `turn 500 against turn 10, ${name}: raw | durable`,
        `${times(medianRatio(lateRaw, earlyRaw))} | ${times(medianRatio(lateDurable, earlyDurable))}`,
        name === "CPU" ? "≤ 1.4 ×" : "",
      ),
    ];
  });
}

/** What one turn of a span took. */
function within(reports: readonly ThreadReport[], [first = 0, last = 0]: readonly number[]): Mark[] {
  return reports.map(({ asked }) => {
    const [from, to] = [asked[first], asked[last]];
    if (!from || !to) throw new Error(`turns ${first} to ${last} were not seen`);
    const turns = last - first;
    return { wallMs: (to.wallMs - from.wallMs) / turns, cpuMs: (to.cpuMs - from.cpuMs) / turns };
  });
}

function pick(marks: readonly Mark[], measure: keyof Mark): number[] {
  return marks.map((found) => found[measure]);
}
