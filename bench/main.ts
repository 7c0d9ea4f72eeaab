/** Runs the rows one after the other, prints them, and keeps those of a full run in bench/RESULTS.md. */
import { writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROFILED, profile } from "./profile.ts";
import { reached } from "./reached.ts";
import { commandRows } from "./rows/command.ts";
import { crowdRows } from "./rows/crowd.ts";
import { dispatchRows, parallelRows } from "./rows/dispatch.ts";
import { resumeRows } from "./rows/long.ts";
import { listRows, orphanRows, parkedRows } from "./rows/many.ts";
import type { Row, Setting } from "./rows/row.ts";
import { searchRows } from "./rows/search.ts";
import { spendingRows } from "./rows/spending.ts";
import { decisionRows, treeRows } from "./rows/tree.ts";
import { longRows, turnRows } from "./rows/turns.ts";
import { Team } from "./team.ts";
import { VARIANTS, type Variant } from "./variant.ts";

const ROWS: Record<string, (setting: Setting) => Promise<Row[]>> = {
  turns: turnRows,
  long: longRows,
  spending: spendingRows,
  dispatch: dispatchRows,
  parallel: parallelRows,
  crowd: crowdRows,
  tree: treeRows,
  decision: decisionRows,
  resume: resumeRows,
  parked: parkedRows,
  orphans: orphanRows,
  list: listRows,
  search: searchRows,
  command: commandRows,
};

export interface BenchAsk {
  readonly root: string;
  /** Where the built processes of the bench are. */
  readonly outDir: string;
  readonly words: readonly string[];
}

export async function main({ root, outDir, words }: BenchAsk): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      profile: { type: "string" },
      as: { type: "string", default: "durable" },
    },
  });
  const wrong = wrongWord(values);
  if (wrong !== undefined) {
    console.error(wrong);
    return 2;
  }
  const team = await Team.gather(outDir);
  try {
    if (values.profile !== undefined) await profile(team, values.profile, values.as as Variant);
    else await report({ team, quick: values.quick, root }, values.only);
  } finally {
    await team.disband();
  }
  return 0;
}

/** What would be measured in silence, or not at all. */
function wrongWord(said: { only?: string; profile?: string; as: string }): string | undefined {
  const words: { option: string; word: string | undefined; known: readonly string[] }[] = [
    { option: "only", word: said.only, known: Object.keys(ROWS) },
    { option: "profile", word: said.profile, known: PROFILED },
    { option: "as", word: said.as, known: VARIANTS },
  ];
  const wrong = words.find(({ word, known }) => word !== undefined && !known.includes(word));
  return wrong && `bench: --${wrong.option}=${wrong.word} is not one of ${wrong.known.join(", ")}`;
}

async function report(setting: Setting, only: string | undefined): Promise<void> {
  const start = performance.now();
  const before = load();
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(ROWS)) {
    if (only !== undefined && only !== name) continue;
    process.stderr.write(`bench: ${name}\n`);
    rows.push(...(await measure(setting)));
  }
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  // The bench itself makes a load of about one; much more means that somebody else was at work.
  const took = `${seconds} s, load ${before} before and ${load()} after`;
  console.log(`${heading(setting.quick)}\n\n${table(rows)}\n\nTook ${took}.`);
  if (!setting.quick && only === undefined) {
    writeFileSync(join(setting.root, "bench", "RESULTS.md"), results(rows, took));
  }
}

function load(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}

function heading(quick: boolean): string {
  const [first, ...others] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const machine = `${first?.model.trim()} × ${others.length + 1}, ${memory}, ${process.platform} ${release()}`;
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node ${process.version}, ${machine}${quick ? ", quick" : ""}`;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, found, mark }) => `| ${[what, found, mark, reached(what, found, mark)].map(cell).join(" | ")} |`,
  );
  return ["| what | found | mark | reached |", "|---|---|---|---|", ...lines].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function results(rows: readonly Row[], took: string): string {
  return `# What \`npm run bench\` found

${heading(false)}. Took ${took}.

${table(rows)}

**raw** is a naive loop in memory: \`fetch\`, the whole history serialized for every request, no durability.
**bare** is our loop and client on the store in memory, without files; **store** adds SQLite (every commit synced);
**durable** is what users get: store, exports, inbox, and a heap that grows as slowly as the command line's. All talk to a stand-in server in another process. Sides take
turns in one run, each in a process of its own; figures are medians of rounds, ratios medians of ratios within a
round. Figures below the noise line mean nothing. Why some marks are not reached: docs/performance.md.
`;
}
