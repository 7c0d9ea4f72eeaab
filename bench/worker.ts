/**
 * One side of a comparison, in a process of its own: it keeps its own warm code and its own heap, and works only
 * when it is told to. `node worker.mjs <variant> <port>`; orders and reports go over the process's channel.
 */
import { accessSync, statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { growSlowly } from "../src/machine/heap.ts";
import { type Driver, openDriver } from "../src/store/driver.ts";
import type { CrowdReport, Order, Report, Spending, ThreadReport } from "./order.ts";
import { toolOutput } from "./payload.ts";
import { type RawTool, rawThread } from "./raw.ts";
import { fillStore } from "./scale/fill.ts";
import { obeyScale } from "./scale/obey.ts";
import type { Job, Variant } from "./variant.ts";
import { mark, since, Watch } from "./watch.ts";
import { openStage, playThreads, type StageOptions } from "./worlds.ts";

const [variant = "raw", port = "0"] = process.argv.slice(2) as [Variant, string];

// As the command line does for whatever runs longer than a moment.
if (variant === "durable") growSlowly();

process.on("message", (order: Order) => {
  obey(order).then(
    (report) => process.send?.(report),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });

function obey(order: Order): Promise<Report> {
  switch (order.type) {
    case "thread":
      return thread(order);
    case "crowd":
      return crowd(order);
    case "spending":
      return spending(order);
    case "sync":
      return syncCost(order.commits);
    case "fill":
      return fillStore(order.path, order.threads);
    default:
      return obeyScale(order, Number(port));
  }
}

async function thread(order: Order & { type: "thread" }): Promise<ThreadReport> {
  const watch = new Watch(order.marks);
  const tool: RawTool = async () => {
    watch.toolRuns();
    if (order.toolMs > 0) await sleep(order.toolMs);
    return toolOutput();
  };
  const spent = await play({ turns: order.turns, kind: order.kind, watch }, 1, tool);
  return { ...spent, asked: watch.asked, dispatchMs: watch.dispatchMs };
}

async function crowd(order: Order & { type: "crowd" }): Promise<CrowdReport> {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const spent = await play({ turns: order.turns - 1, kind: "tool" }, order.threads, async () => toolOutput());
  lag.disable();
  const toMs = (ns: number) => Math.max(0, ns / 1e6 - 1); // a timer of 1 ms takes 1 ms when nothing is in its way
  const peakMb = process.resourceUsage().maxRSS / 1_024;
  return { ...spent, lagP99Ms: toMs(lag.percentile(99)), lagMaxMs: toMs(lag.max), peakMb };
}

/** The stage is built before the clock starts and torn down after it stops. */
async function play(job: Job, threads: number, tool: RawTool): Promise<{ wallMs: number; cpuMs: number }> {
  if (variant === "raw") {
    const start = mark();
    await Promise.all(Array.from({ length: threads }, () => rawThread(Number(port), job, tool)));
    return since(start);
  }
  const stage = openStage(variant, { port: Number(port), job, tool });
  try {
    const start = mark();
    await playThreads(stage.world, threads);
    return since(start);
  } finally {
    await stage.close();
  }
}

/** What a thread writes, turn by turn: bytes of the write-ahead log and commits, counted and not timed. */
async function spending(order: Order & { type: "spending" }): Promise<Spending> {
  const watch = new Watch([]);
  const job: Job = { turns: order.turns, kind: "tool", watch };
  const walBytes: number[] = [];
  const commits: number[] = [];
  const commitMs: number[] = [];
  const open = (path: string): Driver => {
    const driver = openDriver(path);
    const exec = (sql: string) => {
      // Room made ahead would hide what is written.
      if (order.grows && sql.includes("zeroblob")) return;
      const start = mark();
      driver.exec(sql);
      if (sql === "COMMIT") commitMs.push(since(start).wallMs);
      // Without checkpoints the log only grows, and its growth is what was written.
      if (order.grows && sql.includes("wal_autocheckpoint")) driver.exec("PRAGMA wal_autocheckpoint = 0");
    };
    return { ...driver, exec };
  };
  const onEnd = () => note(order.turns + 1);
  const options: StageOptions = { port: Number(port), job, tool: async () => toolOutput(), open, onEnd };
  const stage = openStage("store", options);
  const note = (turn: number) => {
    walBytes[turn] = statSync(`${stage.path}-wal`).size;
    commits[turn] = commitMs.length;
    if (order.marks) touch(turn);
  };
  watch.onAsk = note;
  await playThreads(stage.world, 1);
  await stage.close();
  return { walBytes, commits, commitMs };
}

/** A system call that strace sees and that does nothing. */
function touch(turn: number): void {
  try {
    accessSync(`/selvage-turn-${turn}`);
  } catch {
    // There is no such file; that is the point.
  }
}

/** The smallest durable commit there is: one page, one sync. */
async function syncCost(commits: number): Promise<{ syncMs: number[] }> {
  const job: Job = { turns: 0, kind: "text" };
  const stage = openStage("store", { port: Number(port), job, tool: async () => "" });
  const driver = openDriver(`${stage.path}.sync`);
  driver.exec("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  driver.exec("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (0)");
  const update = driver.prepare("UPDATE t SET n = n + 1");
  const syncMs: number[] = [];
  for (let n = 0; n < commits; n += 1) {
    const start = mark();
    update.run();
    syncMs.push(since(start).wallMs);
  }
  driver.close();
  await stage.close();
  return { syncMs };
}
