/** A thread of two thousand turns goes on. */
import { median, ms } from "../figures.ts";
import { type Row, row, type Setting } from "./row.ts";

const TURNS = 2_000;

export async function resumeRows({ team, quick }: Setting): Promise<Row[]> {
  const worker = await team.hire("durable");
  const turns = quick ? TURNS / 4 : TURNS;
  const { askedMs, cpuMs, heardMs } = await worker.tell({ type: "resume", turns, rounds: quick ? 9 : 15 });
  await worker.end();
  const scaled = quick ? `, ${turns} turns only` : "";
  return [
    row(
      `resume of a thread of ${TURNS} turns → its next request (p50${scaled})`,
      ms(median(askedMs)),
      "≤ 100 ms",
    ),
    row(
      "CPU of that | → the first of the answer",
      [cpuMs, heardMs].map((each) => ms(median(each))).join(" | "),
    ),
  ];
}
