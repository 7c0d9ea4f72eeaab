/** What a turn writes: bytes of the write-ahead log, commits, and syncs as the kernel sees them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kilobytes, median, ms, plain, quantile, times } from "../figures.ts";
import { PAYLOAD_BYTES } from "../payload.ts";
import { type Row, row, type Setting } from "./row.ts";

const PLACES = [30, 100, 470];
const WINDOW = 25;
const LONG = 500;

export async function spendingRows(setting: Setting): Promise<Row[]> {
  const worker = await setting.team.hire("store");
  const tell = (turns: number) => worker.tell({ type: "spending", turns, grows: true, marks: false });
  const { walBytes, commits } = await tell(LONG);
  const toolWal = PLACES.map((turn) => perTurn(walBytes, turn));
  const toolCommits = PLACES.map((turn) => perTurn(commits, turn));
  const { commitMs } = await worker.tell({ type: "spending", turns: LONG, grows: false, marks: false });
  const last = [];
  for (const turns of PLACES) last.push(await tell(turns));
  await worker.end();
  const textWal = last.map((spent) => lastTurn(spent.walBytes));
  const textCommits = last.map((spent) => lastTurn(spent.commits));
  const ratio = times(Math.max(...toolWal) / PAYLOAD_BYTES);
  return [
    row(
      `WAL bytes of a tool turn at ${PLACES.join(" | ")}`,
      toolWal.map(kilobytes).join(" | "),
      `≤ 10 × payload (${kilobytes(PAYLOAD_BYTES)}), flat`,
    ),
    row("WAL bytes of a tool turn against payload, worst", ratio, "≤ 10 ×"),
    row(`WAL bytes of a last, text turn at ${PLACES.join(" | ")}`, textWal.map(kilobytes).join(" | ")),
    row(
      `commits of a tool turn at ${PLACES.join(" | ")} (text turn)`,
      `${toolCommits.map(plain).join(" | ")} (${textCommits.join(" | ")})`,
      "≤ 2 (1)",
    ),
    row("a commit in such a thread, p50 | p99", `${ms(median(commitMs))} | ${ms(quantile(commitMs, 0.99))}`),
    ...(await syncRows(setting)),
  ];
}

/** The mean over fifty turns: pages fill up and split, some every sixteen turns, so single ones differ. */
function perTurn(totals: readonly number[], turn: number): number {
  const from = turn - WINDOW;
  return ((totals[turn + WINDOW] ?? Number.NaN) - (totals[from] ?? Number.NaN)) / (2 * WINDOW);
}

function lastTurn(totals: readonly number[]): number {
  return (totals.at(-1) ?? Number.NaN) - (totals.at(-2) ?? Number.NaN);
}

async function syncRows({ team }: Setting): Promise<Row[]> {
  if (spawnSync("strace", ["-V"]).status !== 0) return [];
  const folder = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const trace = join(folder, "trace");
  const calls = "trace=fsync,fdatasync,access,faccessat,faccessat2";
  try {
    const worker = await team.hire("store", {
      under: ["strace", "-f", "--seccomp-bpf", "-e", calls, "-o", trace],
    });
    await worker.tell({ type: "spending", turns: LONG, grows: false, marks: true });
    await worker.end();
    const totals = syncTotals(readFileSync(trace, "utf8"));
    const each = totals.slice(2).map((total, index) => total - (totals[index + 1] ?? Number.NaN));
    const overall = ((totals[LONG] ?? Number.NaN) - (totals[1] ?? Number.NaN)) / (LONG - 1);
    return [
      row("syncs of a tool turn, median", plain(median(each)), "≤ 2"),
      row(`syncs of a tool turn with those of checkpoints, mean of ${LONG}`, plain(overall)),
      row("syncs of a last, text turn", plain(lastTurn(totals)), "1"),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Syncs before the request of each turn. A call that is interrupted in the trace is counted where it begins. */
function syncTotals(trace: string): number[] {
  const totals: number[] = [];
  let syncs = 0;
  for (const line of trace.split("\n")) {
    const turn = /selvage-turn-(\d+)/.exec(line)?.[1];
    if (turn !== undefined) totals[Number(turn)] = syncs;
    else if (/ f(data)?sync\(/.test(line)) syncs += 1;
  }
  return totals;
}
