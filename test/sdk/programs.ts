/** Programs as their users run them: in a folder of their own, against the built package. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { checked, type Ended, type Envelope } from "../cli/cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSC = join(ROOT, "node_modules/@typescript/native/bin/tsc");
const CLI = join(ROOT, "dist/cli.js");
const folders: string[] = [];
const running = new Set<ChildProcess>();
afterAll(() => {
  // Of a test that failed half way.
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The blocks of a language in a page of ours. */
export function blocksIn(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] ?? "");
}

export class ProgramFolder {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "selvage-sdk-")));
  /** Empty, but for what it is given. Packages are above it, as in a workspace. */
  readonly folder = join(this.home, "empty");
  readonly env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: this.home,
    LANG: "C.UTF-8",
    XDG_STATE_HOME: join(this.home, "state"),
    XDG_CONFIG_HOME: join(this.home, "config"),
    XDG_RUNTIME_DIR: this.home,
  };

  constructor(files: Record<string, string> = {}) {
    folders.push(this.home);
    mkdirSync(this.folder);
    mkdirSync(join(this.home, "node_modules"));
    symlinkSync(ROOT, join(this.home, "node_modules", "selvage"));
    for (const name of ["zod", "@types"])
      symlinkSync(join(ROOT, "node_modules", name), join(this.home, "node_modules", name));
    writeFileSync(join(this.home, "package.json"), '{ "type": "module" }');
    this.write(files);
  }

  write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), { encoding: "utf8", flag: "a+" });
  }

  /** With every strictness there is; what the compiler complains about, or nothing. */
  compile(name: string, text: string): string {
    const source = join(this.home, `${name}.ts`);
    writeFileSync(source, text);
    const strict = [
      "--strict",
      "--noUncheckedIndexedAccess",
      "--exactOptionalPropertyTypes",
      "--noImplicitReturns",
    ];
    const how = ["--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false", "--types", "node"];
    const { stdout } = spawnSync(process.execPath, [TSC, ...strict, ...how, "--ignoreConfig", source], {
      cwd: this.home,
      encoding: "utf8",
    });
    return stdout;
  }

  start(script: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
    return this.#spawn([join(this.home, script), ...args], env);
  }

  run(script: string, env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<Ended> {
    return this.start(script, env, args).ended;
  }

  selvage(...args: string[]): Promise<Ended> {
    return this.#spawn([CLI, ...args], {}).ended;
  }

  async json(...args: string[]): Promise<Envelope> {
    return checked(await this.selvage(...args, "--json"));
  }

  startSelvage(...args: string[]) {
    return this.#spawn([CLI, ...args], {});
  }

  #spawn(args: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    child.once("close", () => running.delete(child));
    const heard = { stdout: "", stderr: "" };
    child.stdout.on("data", (bytes) => {
      heard.stdout += bytes;
    });
    child.stderr.on("data", (bytes) => {
      heard.stderr += bytes;
    });
    const ended = new Promise<Ended & { signal: NodeJS.Signals | null }>((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal, ...heard }));
    });
    return { child, heard, ended };
  }
}
