/** A program that is killed at a named moment, as by kill -9, and run again: a real process each time. */
import { fileURLToPath } from "node:url";
import type { World } from "../core/world.ts";
import { type CrashPoint, dyingWorld, parseCrashPoint } from "./crash-points.ts";
import { killSelf, runWorker, type WorkerEnd } from "./kill.ts";

export interface CrashOptions {
  /** Where it runs; the project is usually there. */
  readonly cwd?: string | undefined;
  /** Over the environment of the test. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly args?: readonly string[] | undefined;
  /** Options of Node, such as `["--import", "tsx"]`. */
  readonly execArgv?: readonly string[] | undefined;
}

export interface Crashed {
  /** What it printed before it was killed. */
  readonly before: string;
  /** How it ended when it was run again, and what it printed. */
  readonly code: number | null;
  readonly output: string;
}

/** The variable by which `open()` is told where to die. */
const CRASH_VARIABLE = "SELVAGE_CRASH_AT";

/** The same world, unless the environment names a point: then its process is killed there. */
export function dyingAsTold<W extends World>(world: W, environment: NodeJS.ProcessEnv): W {
  const point = environment[CRASH_VARIABLE];
  return point === undefined || point === "" ? world : dyingWorld(world, point, killSelf);
}

/**
 * Runs a program, a module that calls `open()`, kills it at the point, and runs it again to its end. Throws when it ended
 * before it came to the point: a test that kills nobody proves nothing.
 */
export async function crashAt(
  point: CrashPoint,
  program: string | URL,
  { cwd, env = {}, args = [], execArgv = [] }: CrashOptions = {},
): Promise<Crashed> {
  parseCrashPoint(point);
  const file = typeof program === "string" ? program : fileURLToPath(program);
  const run = (more: Record<string, string>) =>
    runWorker({
      command: process.execPath,
      args: [...execArgv, file, ...args],
      env: { ...process.env, ...env, ...more },
      ...(cwd === undefined ? {} : { cwd }),
    });
  const first = await run({ [CRASH_VARIABLE]: point });
  if (first.signal !== "SIGKILL") throw new Error(survived(point, first));
  const { code, output } = await run({ [CRASH_VARIABLE]: "" });
  return { before: first.output, code, output };
}

function survived(point: CrashPoint, { code, output }: WorkerEnd): string {
  return `The program did not come to ${point}: it ended with exit code ${code}. It printed:\n${output}`;
}
