// Drives the built command line as a process, in projects of its own under a temporary folder.
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { trustProject } from "../../src/config/trust.ts";
import { shareCode } from "../kept-code.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Envelope {
  readonly v: 1;
  readonly kind: string;
  readonly ok: boolean;
  readonly exit: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the command printed
  readonly data?: any;
  readonly error?: { code: string; what: string; why: string | null; next: { cmd: string; why: string }[] };
  readonly warnings: string[];
}

/** A folder with a project in it, and a state home that is not the user's. */
export class Place {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-cli-")));
  readonly root = join(this.folder, "project");
  readonly env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: this.folder,
    LANG: "C.UTF-8",
    XDG_STATE_HOME: join(this.folder, "state"),
    // A process that is killed leaves its doorbell behind: here, where it is removed.
    XDG_RUNTIME_DIR: this.folder,
  };

  constructor(files: Record<string, string> = {}) {
    mkdirSync(this.root, { recursive: true });
    shareCode(join(this.folder, "state"));
    this.write(files);
  }

  write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
    this.#trustAgain();
  }

  /** What a test writes into a project it trusts already is its own: as if a person had said yes again. */
  #trustAgain(): void {
    const home = join(this.folder, "state", "selvage");
    const record = join(home, "trust.json");
    if (!existsSync(record)) return;
    const entry = JSON.parse(readFileSync(record, "utf8")).projects[this.root];
    if (entry) trustProject(this.root, entry.store_id, Date.now(), home);
  }

  start(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    stdin: "ignore" | "pipe" = "ignore",
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.root,
      env: { ...this.env, ...env },
      stdio: [stdin, "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (bytes) => {
      stdout += bytes;
    });
    child.stderr?.on("data", (bytes) => {
      stderr += bytes;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /** With --json; checks the promises that hold for every command (UX a.3). */
  async json(...args: string[]): Promise<Envelope> {
    const ended = await this.run([...args, "--json"]);
    return checked(ended);
  }

  async ok(...args: string[]): Promise<string> {
    const ended = await this.run(args);
    expect(ended, args.join(" ")).toMatchObject({ code: 0 });
    return ended.stdout;
  }

  /** As if its user had never been here. */
  forgetUser(): void {
    rmSync(join(this.folder, "state"), { recursive: true });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** One document and nothing else on stdout; `ok`, `exit` and the exit code agree; data or error, never both. */
export function checked({ code, stdout }: Ended): Envelope {
  expect(stdout.endsWith("\n")).toBe(true);
  expect(stdout.trimEnd()).not.toContain("\n");
  const envelope: Envelope = JSON.parse(stdout);
  expect(envelope.v).toBe(1);
  expect(envelope.exit).toBe(code);
  expect(envelope.ok).toBe(code === 0);
  expect(Array.isArray(envelope.warnings)).toBe(true);
  if (envelope.kind === "error") {
    expect(envelope.data).toBeUndefined();
    expect(envelope.error?.code).toMatch(/^E_[A-Z_]+$/);
    expect(envelope.error?.what).not.toBe("");
  } else expect(envelope.data).toBeDefined();
  return envelope;
}

export const directive = (name: string, extra = "") => ({
  [`.ai/directives/${name}.md`]: `---\ndescription: ${name}\nmodel: { id: scripted/${name} }\n${extra.includes("permissions") ? "" : "permissions: [execute.tool.*]\n"}${extra}---\nDo ${name}.\n`,
});

/** A directive and its script in one. */
export const scripted = (name: string, script: string) => ({
  ...directive(name),
  [`.ai/scripts/${name}.yaml`]: script,
});

export const QUICK_RETRIES = {
  ".ai/config/resilience.yaml": "retry: { max_retries: 1, base_delay_ms: 20 }\n",
};

/** Until something is true; a fact, never a time. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error("waited too long");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
