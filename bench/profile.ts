/** `--profile=turns` or `--profile=crowd`: where the time goes, function by function. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Order } from "./order.ts";
import type { Team } from "./team.ts";
import type { Variant } from "./variant.ts";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { functionName: string; url: string; lineNumber: number };
  readonly children?: readonly number[];
}
interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export const PROFILED = ["turns", "crowd"];
const LINES = 45;

export async function profile(team: Team, what: string, variant: Variant): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "selvage-profile-"));
  const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200"];
  const worker = await team.hire(variant, { nodeFlags: flags });
  const turns: Order & { type: "thread" } = {
    type: "thread",
    turns: 100,
    kind: "tool",
    toolMs: 0,
    marks: [],
  };
  if (what === "crowd") await worker.tell({ type: "crowd", threads: 1_000, turns: 10 });
  else for (let round = 0; round < 60; round += 1) await worker.tell(turns);
  await worker.end();
  const [name = ""] = readdirSync(folder);
  console.log(`${join(folder, name)}\n`);
  print(JSON.parse(readFileSync(join(folder, name), "utf8")));
}

function print(found: Profile): void {
  const nodes = new Map(found.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    found.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])),
  );
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  let all = 0;
  found.samples.forEach((id, index) => {
    const node = nodes.get(id);
    const spent = found.timeDeltas[index] ?? 0;
    if (!node || node.callFrame.functionName === "(idle)") return;
    all += spent;
    add(self, label(node), spent);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = nodes.get(at);
      if (above) seen.add(label(above));
    }
    for (const name of seen) add(total, name, spent);
  });
  console.log(`busy ${(all / 1_000).toFixed(0)} ms`);
  table("self", self, all);
  table("with callees", total, all);
}

function table(title: string, spent: ReadonlyMap<string, number>, all: number): void {
  console.log(`\n${title}`);
  const most = [...spent].sort(([, left], [, right]) => right - left).slice(0, LINES);
  for (const [name, time] of most) console.log(`${((100 * time) / all).toFixed(1).padStart(6)} %  ${name}`);
}

function label({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url === "" ? "" : ` ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
  return `${functionName || "(anonymous)"}${place}`;
}

function add(sums: Map<string, number>, name: string, spent: number): void {
  sums.set(name, (sums.get(name) ?? 0) + spent);
}
