/** The command line: what a person waits for. Left out while there is no built command. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median, medianDifference, medianRatio, ms, times } from "../figures.ts";
import { type Row, row, type Setting } from "./row.ts";
import { startRows } from "./start.ts";

const THREADS = 10_000;

interface Place {
  readonly root: string;
  readonly cli: string;
  readonly env: NodeJS.ProcessEnv;
}

export async function commandRows(setting: Setting): Promise<Row[]> {
  const cli = join(setting.root, "dist", "cli.js");
  if (!existsSync(cli)) return [];
  const home = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const root = join(home, "project");
  const env = { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home };
  const place: Place = { root, cli, env };
  try {
    mkdirSync(root);
    mustWork(place, ["init"]);
    const recovery = await recoveryRows(place, setting);
    const crowd = await crowdedRows(place, setting);
    return [...recovery, ...crowd, ...(await startRows({ home, cli, env }, setting))];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const DIRECTIVE = `---
description: Dies in the middle
model: { id: scripted/death }
permissions: [execute.tool.write]
---
Write twice.
`;
const SCRIPT = `- calls: [{ tool: write, input: { path: out/first.txt, content: one } }]
  hangs: true
- calls: [{ tool: write, input: { path: out/second.txt, content: two } }]
- says: Done.
`;

/** A process is killed while a model streams; the next one closes that turn and does the first work of the next. */
async function recoveryRows(place: Place, { quick, team }: Setting): Promise<Row[]> {
  writeFileSync(join(place.root, ".ai/directives/death.md"), DIRECTIVE);
  writeFileSync(join(place.root, ".ai/scripts/death.yaml"), SCRIPT);
  mustWork(place, ["trust", "--yes"]);
  const rounds = quick ? 5 : 15;
  const raw: number[] = [];
  const again: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await rawColdStart(team.folder));
    ours.push(await killAndRecover(place));
    again.push(await rawColdStart(team.folder));
  }
  return [
    row(
      "raw script, start → first request | kill -9, then recover → first new work",
      `${ms(median(raw))} | ${ms(median(ours))}`,
    ),
    row(
      "kill -9 → first new work against a raw cold start (noise)",
      `${times(medianRatio(ours, raw))} (${times(medianRatio(again, raw))})`,
      "≤ 1.5 ×",
    ),
  ];
}

async function killAndRecover(place: Place): Promise<number> {
  const out = join(place.root, "out");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const first = selvage(place, ["run", "death"]);
  await appears(out, "first.txt", first);
  await sleep(100);
  first.kill("SIGKILL");
  await once(first, "exit");
  const start = performance.now();
  const second = selvage(place, ["recover", "--all"]);
  await appears(out, "second.txt", second);
  const took = performance.now() - start;
  if (second.exitCode === null) await once(second, "exit");
  return took;
}

function selvage({ cli, root, env }: Place, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [cli, ...args], { cwd: root, env, stdio: "ignore" });
}

function appears(folder: string, name: string, by: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      watcher.close();
      by.off("exit", onExit);
    };
    const look = () => {
      if (!existsSync(join(folder, name))) return;
      done();
      resolve();
    };
    const onExit = (code: number | null) => {
      look();
      done();
      reject(new Error(`selvage ended with ${code} before ${name} was there`));
    };
    const watcher = watch(folder, look);
    by.once("exit", onExit);
  });
}

/** From starting node to the first request of the raw script. */
async function rawColdStart(folder: string): Promise<number> {
  const server = createServer((_, response) => response.end("data: {}\n\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const start = performance.now();
  const child = spawn(process.execPath, [`${folder}/raw-script.mjs`, String(port)], { stdio: "ignore" });
  await once(server, "request");
  const took = performance.now() - start;
  await once(child, "exit");
  server.close();
  server.closeAllConnections();
  return took;
}

async function crowdedRows(place: Place, { quick, team }: Setting): Promise<Row[]> {
  const worker = await team.hire("store");
  await worker.tell({ type: "fill", path: join(place.root, ".ai/threads/registry.db"), threads: THREADS });
  await worker.end();
  const rounds = quick ? 5 : 15;
  const found: Record<"version" | "ps", number[]> = { version: [], ps: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.version.push(elapsed(place, [place.cli, "--version"]));
    found.ps.push(elapsed(place, [place.cli, "ps"]));
  }
  const { version, ps } = found;
  const all = [version, ps].map((side) => ms(median(side))).join(" | ");
  return [
    row(`--version | ps with ${THREADS} threads`, all),
    row("ps over --version", ms(medianDifference(ps, version)), "≤ 120 ms"),
  ];
}

function elapsed({ root, env }: Place, args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, env });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return performance.now() - start;
}

function mustWork({ cli, root, env }: Place, args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`selvage ${args.join(" ")} ended with ${status}: ${stderr}`);
}
