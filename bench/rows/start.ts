/** How long a start takes: until an answer about itself, until the first request, and how much there is to install. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { median, medianRatio, ms, times } from "../figures.ts";
import { installed } from "../installed.ts";
import { type Row, row, type Setting } from "./row.ts";

/** Where the command is, and an environment in which nothing of this user's is seen. */
export interface Start {
  readonly home: string;
  readonly cli: string;
  readonly env: NodeJS.ProcessEnv;
}

const FIRST = "the first selvage run ever";

interface Took {
  readonly wall: number;
  readonly cpu: number;
}

export async function startRows(start: Start, setting: Setting): Promise<Row[]> {
  const rounds = setting.quick ? 5 : 15;
  return [
    ...answerRows(start, rounds),
    ...(await requestRows(start, setting, rounds)),
    ...installedRows(setting),
  ];
}

function answerRows({ cli, env }: Start, rounds: number): Row[] {
  const sides = {
    "node -e 0": ["-e", "0"],
    "--help": [cli, "--help"],
    "--version": [cli, "--version"],
    "run --help": [cli, "run", "--help"],
  };
  const found = interleaved(Object.keys(sides), rounds, (name) =>
    whole(sides[name as keyof typeof sides], env),
  );
  return comparedRows(found, "node -e 0", {
    "--help": "≤ 1.3 ×",
    "--version": "≤ 1.3 ×",
    "run --help": "",
  });
}

async function requestRows({ home, cli, env }: Start, { root, team }: Setting, rounds: number) {
  const server = createServer((_, response) => response.end("data: {}\n\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const project = projectThatAsks({ home, cli, env });
  const asking = { ...env, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  const program = join(home, "program.mjs");
  writeFileSync(program, programText(join(root, "dist", "index.js"), project));
  const sides: Record<string, readonly string[]> = {
    "raw script": [join(team.folder, "raw-script.mjs"), String(port)],
    "selvage run": [cli, "run", "asks"],
    [FIRST]: [cli, "run", "asks"],
    "import and open": [program],
  };
  // As for everybody but the first time: an earlier run came to its end, and what it compiled is there.
  const answered = { ...asking, ANTHROPIC_BASE_URL: `http://127.0.0.1:${team.port}/text` };
  for (const words of [[cli, "run", "asks"], [program]]) {
    const { status } = spawnSync(process.execPath, words, { cwd: project, env: answered });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`);
  }
  const found = new Map<string, Took[]>(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, took] of found) {
      rmSync(join(project, ".ai/threads"), { recursive: true, force: true });
      cpSync(join(home, "fresh"), join(project, ".ai/threads"), { recursive: true });
      const measure = () => untilRequest(server, sides[name] ?? [], { cwd: project, env: asking });
      took.push(await (name === FIRST ? asIfNeverBefore(home, measure) : measure()));
    }
  }
  server.close();
  const marks = { "selvage run": "≤ 1.25 ×", [FIRST]: "", "import and open": "≤ 1.2 ×" };
  return comparedRows(found, "raw script", marks, "start → first request: ");
}

/** With nothing that an earlier start has compiled. */
async function asIfNeverBefore(home: string, measure: () => Promise<Took>): Promise<Took> {
  const compiled = join(home, "selvage", "compiled");
  renameSync(compiled, `${compiled}.away`);
  try {
    return await measure();
  } finally {
    rmSync(compiled, { recursive: true, force: true });
    renameSync(`${compiled}.away`, compiled);
  }
}

/** A project in which a thread asks the stand-in; a store without threads is kept for each round. */
function projectThatAsks({ home, cli, env }: Start): string {
  const project = join(home, "asking");
  const directive =
    "---\ndescription: Asks once\nmodel: { id: anthropic/claude-sonnet-4-5 }\npermissions: [execute.tool.write]\n---\nSay hello.\n";
  mkdirSync(project);
  spawnSync(process.execPath, [cli, "init"], { cwd: project, env });
  writeFileSync(join(project, ".ai/directives/asks.md"), directive);
  const { status, stderr } = spawnSync(process.execPath, [cli, "trust", "--yes"], { cwd: project, env });
  if (status !== 0) throw new Error(`selvage trust ended with ${status}: ${stderr}`);
  cpSync(join(project, ".ai/threads"), join(home, "fresh"), { recursive: true });
  return project;
}

function programText(library: string, project: string): string {
  return `import { open } from ${JSON.stringify(library)};
const selvage = await open(${JSON.stringify(project)});
const thread = await selvage.start({ prompt: "Say hello.", model: "anthropic/claude-sonnet-4-5" });
await thread.result();
await selvage.close();
`;
}

/** It is ended as soon as it has asked: what comes after is not a start any more. */
async function untilRequest(
  server: Server,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Took> {
  const from = performance.now();
  const child = spawn(process.execPath, args, { ...options, stdio: "ignore" });
  const gone = once(child, "exit").then(() => "gone");
  if ((await Promise.race([once(server, "request"), gone])) === "gone")
    throw new Error(`${args.join(" ")} ended without a request`);
  const took = { wall: performance.now() - from, cpu: cpuOf(child) };
  child.kill("SIGKILL");
  await gone;
  server.closeAllConnections();
  return took;
}

function interleaved(
  names: readonly string[],
  rounds: number,
  measure: (name: string) => Took,
): Map<string, Took[]> {
  const found = new Map<string, Took[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const [name, took] of found) took.push(measure(name));
  return found;
}

function comparedRows(
  found: ReadonlyMap<string, readonly Took[]>,
  base: string,
  marks: Readonly<Record<string, string>>,
  about = "",
): Row[] {
  const of = (name: string, part: keyof Took) => (found.get(name) ?? []).map((took) => took[part]);
  const list = (part: keyof Took) => [...found.keys()].map((name) => ms(median(of(name, part)))).join(" | ");
  return [
    row(`${about}${[...found.keys()].join(" | ")}, wall`, list("wall")),
    row(`${about}${[...found.keys()].join(" | ")}, CPU`, list("cpu")),
    ...Object.entries(marks).flatMap(([name, mark]) => [
      row(
        `${about}${name} against ${base}, wall`,
        times(medianRatio(of(name, "wall"), of(base, "wall"))),
        mark,
      ),
      row(`${about}${name} against ${base}, CPU`, times(medianRatio(of(name, "cpu"), of(base, "cpu")))),
    ]),
  ];
}

function whole(args: readonly string[], env: NodeJS.ProcessEnv): Took {
  const [from, before] = [performance.now(), cpuOfEnded()];
  const { status } = spawnSync(process.execPath, args, { env });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return { wall: performance.now() - from, cpu: cpuOfEnded() - before };
}

/** Milliseconds of the processor, in steps of ten; nothing where there is no /proc. */
function cpuOf({ pid }: ChildProcess): number {
  return ticks(`/proc/${pid}/stat`, 11);
}

function cpuOfEnded(): number {
  return ticks("/proc/self/stat", 13);
}

function ticks(file: string, at: number): number {
  try {
    const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return 10 * (Number(fields[at]) + Number(fields[at + 1]));
  } catch {
    return Number.NaN;
  }
}

function installedRows({ root }: Setting): Row[] {
  const { packages, bytes } = installed(root);
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  const binding = packages.find(({ name }) => name === "@photostructure/sqlite")?.bytes ?? 0;
  const own = packages[0]?.bytes ?? 0;
  return [
    row(
      "installed: all | the SQLite binding | our own files",
      [bytes, binding, own].map(megabytes).join(" | "),
    ),
    row(`installed: ${packages.length} packages`, megabytes(bytes), "≤ 45 MB"),
  ];
}
