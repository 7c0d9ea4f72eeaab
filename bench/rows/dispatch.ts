/** How soon tools start, and whether ten of them run at once. */
import { median, medianRatio, ms, quantile, times } from "../figures.ts";
import type { ThreadReport } from "../order.ts";
import { interleave } from "../team.ts";
import { type Row, row, type Setting } from "./row.ts";

export async function dispatchRows({ team, quick }: Setting): Promise<Row[]> {
  const [worker, raw] = await team.hireAll(["durable", "raw"]);
  if (!worker || !raw) return [];
  const turns = quick ? 100 : 400;
  const order = { type: "thread", turns, kind: "pause", toolMs: 0, marks: [] } as const;
  await worker.tell({ ...order, kind: "tool" });
  const { syncMs } = await worker.tell({ type: "sync", commits: 300 });
  const { dispatchMs } = await worker.tell(order);
  const late = await raw.tell({ ...order, turns: 20, marks: [1, 2, 3, 4, 5, 6] });
  await Promise.all([worker.end(), raw.end()]);
  return [
    row(
      "first tool after its block closes, p50 | p99",
      `${ms(median(dispatchMs))} | ${ms(quantile(dispatchMs, 0.99))}`,
      "p50 ≤ 1.2 ms",
    ),
    row(
      "the smallest synced commit beside it, p50 | p99",
      `${ms(median(syncMs))} | ${ms(quantile(syncMs, 0.99))}`,
    ),
    row("raw waits for the end of the stream: a turn that pauses 15 ms takes", ms(turnMs(late))),
  ];
}

function turnMs({ asked }: ThreadReport): number {
  const starts = Object.values(asked).map(({ wallMs }) => wallMs);
  return median(starts.slice(1).map((at, index) => at - (starts[index] ?? Number.NaN)));
}

export async function parallelRows({ team, quick }: Setting): Promise<Row[]> {
  const workers = await team.hireAll(["raw", "raw", "durable"]);
  const rounds = quick ? { warm: 2, count: 7 } : { warm: 3, count: 21 };
  const reports = await interleave(workers, rounds, (worker) =>
    worker.tell({ type: "thread", turns: 1, kind: "ten", toolMs: 100, marks: [0, 1] }),
  );
  await Promise.all(workers.map((worker) => worker.end()));
  const [raw = [], again = [], durable = []] = reports.map((side) => side.map(turnMs));
  return [
    row("ten tools of 100 ms in one answer: raw | durable", `${ms(median(raw))} | ${ms(median(durable))}`),
    row(
      "ten tools against raw (noise)",
      `${times(medianRatio(durable, raw))} (${times(medianRatio(again, raw))})`,
      "≤ 1.05 ×",
    ),
  ];
}
