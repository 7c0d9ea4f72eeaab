/** systemd's own commands, and the folder where its units are. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { writing } from "../../core/disk-error.ts";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import { chatOfUnit, isUnitOf, unitNames } from "./unit.ts";

export type UnitScope = "user" | "system";

const MOST_MS = 30_000;

export function unitFolder(scope: UnitScope, environment: NodeJS.ProcessEnv = process.env): string {
  if (scope === "system") return "/etc/systemd/system";
  return join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "systemd", "user");
}

export interface Unit {
  /** Without `.service`. */
  readonly name: string;
  readonly path: string;
  readonly isThere: boolean;
  /** The platforms of its bot, if it has one. */
  readonly chat?: readonly string[] | undefined;
}

/** The unit of this project; where there is none, the one that it would be. */
export function unitOf(root: string, folder: string): Unit {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".service")) : [];
  const own = names.find((name) => name.startsWith("selvage") && isUnitOf(read(join(folder, name)), root));
  if (own !== undefined) {
    const path = join(folder, own);
    const chat = chatOfUnit(read(path));
    return { name: own.slice(0, -".service".length), path, isThere: true, ...(chat && { chat }) };
  }
  const free = unitNames(root).find((name) => !names.includes(`${name}.service`)) ?? "selvage";
  return { name: free, path: join(folder, `${free}.service`), isThere: false };
}

export function writeUnit({ path }: Unit, folder: string, text: string): void {
  const draft = `${path}.new`;
  writing(path, () => {
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(draft, text);
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

export function removeUnit({ path }: Unit): void {
  rmSync(path, { force: true });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not ours to look at
  }
}

/** Throws E_NO_SYSTEMD when it is not there, cannot be reached, or says no. */
export async function systemctl(scope: UnitScope, args: readonly string[]): Promise<string> {
  const all = scope === "user" ? ["--user", ...args] : args;
  return new Promise((resolve, reject) => {
    execFile("systemctl", all, { timeout: MOST_MS }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(noSystemd(`systemctl ${all.join(" ")}`, oneLine(stderr || error.message, 300)));
    });
  });
}

/** Line by line, until it ends or is told to; the exit code is its own. */
export function journalctl(
  scope: UnitScope,
  args: readonly string[],
  { onLine, signal }: { readonly onLine: (line: string) => void; readonly signal: AbortSignal },
): Promise<number> {
  const all = scope === "user" ? ["--user", ...args] : args;
  return new Promise((resolve, reject) => {
    const reader = spawn("journalctl", all, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: reader.stdout }).on("line", onLine);
    signal.addEventListener("abort", () => reader.kill());
    reader.once("error", (error) => reject(noSystemd("journalctl", error.message)));
    reader.once("close", (code) => resolve(code ?? 0));
  });
}

function noSystemd(command: string, why: string): Problem {
  return new Problem("E_NO_SYSTEMD", {
    what: "systemd did not do what was asked.",
    why: `${command}: ${why}`,
    next: [
      { cmd: "selvage service install --dry-run", why: "prints the unit, to be installed by hand" },
      { cmd: "selvage run -d DIRECTIVE", why: "keeps a host in the background without systemd" },
    ],
  });
}
