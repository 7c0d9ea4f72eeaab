/** A thousand threads at once in one process, on one store, under one host. */
import { median, medianRatio, ms, times } from "../figures.ts";
import type { CrowdReport } from "../order.ts";
import type { Team } from "../team.ts";
import type { Variant } from "../variant.ts";
import { type Row, row, type Setting } from "./row.ts";

const THREADS = 1_000;

export async function crowdRows({ team, quick }: Setting): Promise<Row[]> {
  const rounds = quick ? 1 : 3;
  const turns = quick ? 4 : 10;
  const raw: CrowdReport[] = [];
  const again: CrowdReport[] = [];
  const durable: CrowdReport[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await run(team, "raw", turns));
    durable.push(await run(team, "durable", turns));
    if (!quick) again.push(await run(team, "raw", turns));
  }
  const speed = (side: readonly CrowdReport[]) =>
    side.map(({ wallMs }) => (THREADS * turns * 1_000) / wallMs);
  const noise = quick ? "" : ` (${times(medianRatio(speed(again), speed(raw)))})`;
  const of = (side: readonly CrowdReport[], measure: keyof CrowdReport) =>
    side.map((report) => report[measure]);
  const both = (measure: keyof CrowdReport, write: (value: number) => string) =>
    [raw, durable].map((side) => write(median(of(side, measure)))).join(" | ");
  return [
    row(
      `1000 threads of ${turns} turns, turns per second: raw | durable`,
      [raw, durable].map((side) => median(speed(side)).toFixed(0)).join(" | "),
    ),
    row(
      "1000 threads against raw, turns per second (noise)",
      times(medianRatio(speed(durable), speed(raw))) + noise,
      "≥ 1.5 ×",
    ),
    row(
      "CPU per turn: raw | durable",
      both("cpuMs", (value) => ms(value / (THREADS * turns))),
    ),
    row("event loop lag, p99: raw | durable", both("lagP99Ms", ms), "≤ 60 ms"),
    row("event loop lag, worst: raw | durable", both("lagMaxMs", ms)),
    row(
      "peak memory: raw | durable",
      both("peakMb", (value) => `${value.toFixed(0)} MB`),
    ),
    row("peak memory against raw", times(medianRatio(of(durable, "peakMb"), of(raw, "peakMb"))), "≤ 0.6 ×"),
  ];
}

/** A fresh process each time: the peak of its memory is the peak of this run. */
async function run(team: Team, variant: Variant, turns: number): Promise<CrowdReport> {
  const worker = await team.hire(variant);
  try {
    await worker.tell({ type: "thread", turns: 30, kind: "tool", toolMs: 0, marks: [] });
    return await worker.tell({ type: "crowd", threads: THREADS, turns });
  } finally {
    await worker.end();
  }
}
