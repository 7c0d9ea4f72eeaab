/** A host in the background: started when there is none, and waited for until it answers. Several who start one get one. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { addressOf, askProjectHost, projectHost } from "./project-host.ts";
import { lastLines, logPath, openLog } from "./serve-log.ts";

const START_MS = 10_000;
const LOOK_EVERY_MS = 50;
const LINES_SHOWN = 5;

export interface HostStart {
  readonly root: string;
  /** What starts `selvage`: program and first arguments. */
  readonly program: readonly string[];
}

/** Resolves once somebody hosts the project and answers. */
export async function ensureHost(world: World, start: HostStart): Promise<void> {
  if (await projectHost(world)) return;
  const child = launch(start);
  try {
    const deadline = world.clock.monotonic() + START_MS;
    while (world.clock.monotonic() < deadline) {
      if (await answers(world, start.root, child)) return;
      // Whoever was first hosts; the others end. If nobody does, ours could not.
      if (hasEnded(child) && !(await projectHost(world))) throw notStarted(start.root, child);
      await world.clock.sleep(LOOK_EVERY_MS);
    }
    child.kill();
    throw notStarted(start.root, child);
  } finally {
    child.unref();
  }
}

async function answers(world: World, root: string, child: ChildProcess): Promise<boolean> {
  const host = await projectHost(world);
  if (!host) return false;
  // A program that has the project open has no door; it hosts all the same, and ours has ended because of it.
  if (!addressOf(root, host)) return hasEnded(child);
  return (await askProjectHost(root, host, { type: "hello" }))?.success === true;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function launch({ root, program }: HostStart): ChildProcess {
  const [command = "", ...args] = program;
  const log = openLog(root);
  const { NOTIFY_SOCKET: _, WATCHDOG_USEC: __, WATCHDOG_PID: ___, ...env } = process.env;
  try {
    const child = spawn(command, [...args, "serve", "--no-input", "--no-color", "-C", root], {
      ...{ cwd: root, env, detached: true },
      stdio: ["ignore", log, log],
    });
    child.on("error", () => {}); // told by the end of it
    return child;
  } finally {
    closeSync(log);
  }
}

function notStarted(root: string, { exitCode, signalCode }: ChildProcess): Problem {
  const lines = lastLines(root, LINES_SHOWN).map((line) => `    ${oneLine(line, 200)}`);
  const end = exitCode === null ? signalCode : `exit code ${exitCode}`;
  const how =
    end === null ? `It did not answer within ${START_MS / 1_000} seconds.` : `It ended with ${end}.`;
  return new Problem("E_HOST_START", {
    what: "The host that was to run this in the background did not start.",
    why: [`${how} Nothing else was done. The end of ${logPath(root)}:`, ...lines].join("\n"),
    next: [{ cmd: "selvage serve", why: "in a terminal, to see what it says" }],
  });
}
