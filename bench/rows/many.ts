/** Many threads: what a host holds of those that stand still, and what a list or a plan of them takes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kilobytes, median, medianDifference, ms } from "../figures.ts";
import type { Team } from "../team.ts";
import { type Row, row, type Setting } from "./row.ts";

const PARKED = 10_000;
const ORPHANS = 1_000;

export async function parkedRows({ team, quick }: Setting): Promise<Row[]> {
  const rounds = quick ? 1 : 3;
  const each: number[] = [];
  const heap: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const none = await parked(team, 0);
    const many = await parked(team, PARKED);
    each.push((many.rssBytes - none.rssBytes) / PARKED);
    heap.push((many.heapBytes - none.heapBytes) / PARKED);
  }
  return [
    row(
      `memory of a host for each of ${PARKED} threads that stand still: resident | heap`,
      `${kilobytes(median(each))} | ${kilobytes(median(heap))}`,
      "≤ 1 KB",
    ),
  ];
}

/** A fresh process each time, and another one that fills the store. */
async function parked(team: Team, threads: number) {
  const root = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const filler = await team.hire("store");
  const host = await team.hire("durable", { nodeFlags: ["--expose-gc"] });
  try {
    await filler.tell({ type: "park", path: join(root, ".ai/threads/registry.db"), threads });
    return await host.tell({ type: "parked", root });
  } finally {
    await Promise.all([filler.end(), host.end()]);
    rmSync(root, { recursive: true, force: true });
  }
}

interface Project {
  readonly path: string;
  run(...args: string[]): { readonly took: number; readonly stdout: string };
}

/** Projects for the command, each with a store of its own; they go when they have been looked at. */
async function withProjects(
  house: string,
  names: readonly string[],
  look: (projects: readonly Project[]) => Promise<Row[]>,
): Promise<Row[]> {
  const cli = join(house, "dist", "cli.js");
  if (!existsSync(cli)) return [];
  const home = mkdtempSync(join(tmpdir(), "selvage-bench-"));
  const env = { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home };
  try {
    const projects = names.map((name): Project => {
      const cwd = join(home, name);
      mkdirSync(cwd);
      const run: Project["run"] = (...args) => {
        const start = performance.now();
        const { stdout } = spawnSync(process.execPath, [cli, ...args], { cwd, env, encoding: "utf8" });
        return { took: performance.now() - start, stdout };
      };
      run("init");
      return { path: join(cwd, ".ai/threads/registry.db"), run };
    });
    return await look(projects);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export async function orphanRows({ team, quick, root }: Setting): Promise<Row[]> {
  return withProjects(root, ["orphans"], async ([project]) => {
    if (!project) return [];
    const worker = await team.hire("store");
    await worker.tell({ type: "orphans", path: project.path, threads: ORPHANS });
    await worker.end();
    const took = Array.from({ length: quick ? 3 : 9 }, () => {
      const plan = project.run("recover", "--scan");
      const lines = plan.stdout.split("\n").filter((line) => line.startsWith("!")).length;
      if (lines !== ORPHANS) throw new Error(`recover --scan found ${lines} threads`);
      return plan.took;
    });
    return [row(`plan of recover for ${ORPHANS} orphans, whole process`, ms(median(took)), "≤ 2 s")];
  });
}

/** What many threads add to a list: the start of the command is measured by itself. */
export async function listRows({ team, quick, root }: Setting): Promise<Row[]> {
  return withProjects(root, ["none", "many"], async ([none, many]) => {
    if (!none || !many) return [];
    const worker = await team.hire("store");
    await worker.tell({ type: "fill", path: many.path, threads: PARKED });
    await worker.end();
    const rounds = Array.from({ length: quick ? 5 : 15 }, () =>
      [none, many].map(({ run }) => run("ps").took),
    );
    const [without = [], withMany = []] = [0, 1].map((side) =>
      rounds.map((round) => round[side] ?? Number.NaN),
    );
    return [
      row(`ps with ${PARKED} threads over ps with none`, ms(medianDifference(withMany, without)), "≤ 120 ms"),
    ];
  });
}
