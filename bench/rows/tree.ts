/** What is pushed from one thread to another, in one process and between two. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, ms, quantile } from "../figures.ts";
import { spans } from "../scale/decisions.ts";
import { type Row, row, type Setting } from "./row.ts";

export async function treeRows({ team, quick }: Setting): Promise<Row[]> {
  const worker = await team.hire("durable");
  await worker.tell({ type: "tree", children: 50 });
  const { heardMs, commitMs } = await worker.tell({ type: "tree", children: quick ? 100 : 400 });
  const { syncMs } = await worker.tell({ type: "sync", commits: 300 });
  await worker.end();
  return [
    row(
      "a child ends → its parent's next commit, one process, p50 | p99",
      `${ms(median(heardMs))} | ${ms(quantile(heardMs, 0.99))}`,
      "p50 ≤ 0.7 ms",
    ),
    row(
      "beside it: a commit of that tree, from asked to told | the smallest synced commit, p50",
      `${ms(median(commitMs))} | ${ms(median(syncMs))}`,
    ),
  ];
}

export async function decisionRows({ team, quick }: Setting): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const [host, person] = await team.hireAll(["durable", "durable"]);
  if (!host || !person) return [];
  try {
    const { approvals } = await host.tell({ type: "await", root, threads: quick ? 40 : 150 });
    const { begun, returned } = await person.tell({ type: "decide", root, approvals });
    const { decided } = await host.tell({ type: "awaited" });
    const [whole, pushed] = [spans(begun, decided), spans(returned, decided)].map((all) => all.slice(5));
    if (!whole || !pushed) return [];
    return [
      row(
        "an answer is stored by one process → the host's commit in another, p50 | p99",
        `${ms(median(pushed))} | ${ms(quantile(pushed, 0.99))}`,
        "p50 ≤ 5 ms",
      ),
      row(
        "the same from the moment that it is given, p50 | p99",
        `${ms(median(whole))} | ${ms(quantile(whole, 0.99))}`,
      ),
    ];
  } finally {
    await Promise.all([host.end(), person.end()]);
    rmSync(root, { recursive: true, force: true });
  }
}
