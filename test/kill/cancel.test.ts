/**
 * A tree of real processes is cancelled from another one, and what that takes is measured: a command that sleeps, a
 * stream that hangs, a backoff, waits. The limits are those of §12; a machine that does other things gets more time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Store } from "../../src/core/store.ts";
import { ring } from "../../src/machine/bell.ts";
import { realMachine, sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { fallsSilent, StandIn, streamsThen } from "../provider/stand-in.ts";
import { anthropic } from "../provider/wire.ts";
import { judgeTree, newTree, processesOf, TREE } from "./tree-life.ts";

const isCampaign = process.env["SELVAGE_CAMPAIGN"] === "1";
type Way = "bell" | "look" | "file";
const WAYS: readonly Way[] = ["bell", "look", "file"];
const RUNS = isCampaign ? 50 : 3;

/** In ms after the cancel was asked for; `seen`: until the first owner has written it down. */
interface Measured {
  readonly way: Way;
  readonly seen: number;
  readonly stream: number;
  readonly sleeps: number;
  readonly groups: number;
  readonly over: number;
}

/** How long until a cancel is known to the host, by each way. */
const SEEN: Record<Way, number> = { bell: 50, look: 1_000, file: 100 };
const LIMITS = { stream: 250, sleeps: 50, groups: 6_000 };

function openStore(root: string): Store {
  const path = join(root, ".ai", "threads", "registry.db");
  const needs = { now: Date.now, sha256, newId: () => "x", ownerState: realMachine().ownerState };
  return openSqliteStore({ ...needs, path, durability: "strict" });
}

async function until(fact: () => Promise<boolean> | boolean, what: string): Promise<number> {
  const late = performance.now() + 60_000;
  while (!(await fact())) {
    if (performance.now() > late) throw new Error(`it did not come to this: ${what}`);
    await sleep(3);
  }
  return performance.now();
}

const commands = (root: string) =>
  processesOf(root).filter((command) => /^sleep 1000|\bsleep 1000 &/.test(command));

/** Everything is under way: two commands, the stream, the backoff, and both who wait. */
async function underWay(root: string, standIn: StandIn, store: Store): Promise<void> {
  await standIn.asked(1);
  await until(() => commands(root).length >= 4, "commands run");
  await until(async () => {
    const kinds = (await store.find({})).map(({ waits_for }) => waits_for?.kind);
    return kinds.includes("timer") && kinds.filter((kind) => kind === "children").length === 2;
  }, "everybody waits");
}

async function ask(way: Way, root: string, store: Store): Promise<void> {
  const [row] = await store.find({ threadId: TREE });
  const nonce = row?.nonce ?? "";
  if (way === "file") {
    const folder = join(root, ".ai", "threads", TREE);
    writeFileSync(join(folder, "new"), JSON.stringify({ nonce, reason: "enough" }));
    return renameSync(join(folder, "new"), join(folder, "cancel.requested"));
  }
  const said = { request_id: "c1", thread_id: TREE, by: "test", nonce, reason: "enough" };
  const [posted] = await store.post([{ kind: "cancel", ...said }]);
  if (way === "bell" && posted?.accepted && posted.host?.socket) ring(posted.host.socket);
}

async function measure(way: Way, isStubborn: boolean): Promise<{ measured: Measured; broken: string[] }> {
  let left = Number.NaN;
  const standIn = await StandIn.start(
    streamsThen(anthropic.start() + anthropic.text(0, "Well, "), async (turn) => {
      await fallsSilent(turn);
      left = performance.now();
    }),
  );
  const knobs = { RETRY_MS: "60000", ANTHROPIC_API_KEY: "sk-ant-stand-in", ANTHROPIC_BASE_URL: standIn.url };
  const { root, worker, remove } = newTree("hub", { ...knobs, ...(isStubborn ? { STUBBORN: "1" } : {}) });
  const child = spawn(worker.command, worker.args, {
    env: worker.env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = once(child, "exit").then(() => performance.now());
  await until(() => processesOf(root).length > 0, "it runs");
  const store = await opened(root);
  try {
    await underWay(root, standIn, store);
    const since = performance.now();
    await ask(way, root, store);
    const ended = async (directive: string) =>
      (await store.find({ statuses: ["cancelled"] })).some((row) => row.directive === directive);
    const [seen, sleeps, groups] = await Promise.all([
      until(
        async () => (await store.load(TREE)).events.some(({ type }) => type === "cancel_requested"),
        "seen",
      ),
      until(() => ended("backoff"), "the backoff ends"),
      until(() => commands(root).length === 0, "the commands are gone"),
    ]);
    const over = await exit;
    const measured = { way, seen, stream: left, sleeps, groups, over };
    const rows = await store.find({});
    const others = rows
      .filter(({ status }) => status !== "cancelled")
      .map((row) => `${row.thread_id} is ${row.status}`);
    const took = Object.entries(measured).map(([key, at]) => [key, typeof at === "number" ? at - since : at]);
    return { measured: Object.fromEntries(took), broken: [...others, ...(await judgeTree(root)).broken] };
  } finally {
    child.kill("SIGKILL");
    await store.close();
    await standIn.close();
    remove();
  }
}

/** The worker makes it. */
async function opened(root: string): Promise<Store> {
  for (let tries = 0; ; tries += 1) {
    const store = await Promise.resolve()
      .then(async () => {
        const made = openStore(root);
        const [row] = await made.find({ threadId: TREE });
        if (row) return made;
        await made.close();
        return undefined;
      })
      .catch(() => undefined);
    if (store) return store;
    if (tries > 600) throw new Error("the tree did not come into being");
    await sleep(50);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test(
  `a tree is cancelled from another process, ${RUNS} times: in time, and nothing survives`,
  async () => {
    const runs: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const { measured, broken } = await measure(WAYS[run % WAYS.length] ?? "bell", run % 6 === 0);
      expect(broken).toEqual([]);
      runs.push(measured);
    }
    if (process.env["SELVAGE_SAY"]) console.table(runs);
    // Whatever else the machine does: not the minutes that any of these would have taken.
    const patience = 3_000;
    const late = runs.filter(({ way, seen, stream, sleeps, groups }) => {
      const known = SEEN[way] + patience;
      return seen > known || stream > known || sleeps > known || groups > LIMITS.groups + patience;
    });
    expect(late).toEqual([]);
    if (!isCampaign) return;
    for (const way of WAYS) {
      const of = runs.filter((run) => run.way === way);
      const typical = (key: "seen" | "stream" | "sleeps" | "groups") => median(of.map((run) => run[key]));
      expect(typical("seen")).toBeLessThanOrEqual(SEEN[way]);
      // Whatever stops does so after the cancel is known.
      expect(typical("stream")).toBeLessThanOrEqual(SEEN[way] + LIMITS.stream);
      expect(typical("sleeps")).toBeLessThanOrEqual(SEEN[way] + LIMITS.sleeps);
      expect(Math.max(...of.map(({ groups }) => groups))).toBeLessThanOrEqual(LIMITS.groups);
    }
  },
  isCampaign ? 1_800_000 : 120_000,
);
