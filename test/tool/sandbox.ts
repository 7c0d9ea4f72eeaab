// A project with everything an agent might want to lay hands on, and the sandbox around it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { makeOperatorToken, operatorToken } from "../../src/config/operator.ts";
import { configHome, stateHome } from "../../src/config/user-folders.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "../../src/tool/sandbox.ts";
import { type Loaded, load, put } from "./project.ts";

/** Where this was checked out to /tmp, its own programs are not seen inside unless they are shown. */
export const OWN_PROGRAMS = [fileURLToPath(new URL("../..", import.meta.url)), process.execPath];

export const THREAD = "work-1-aaaaaa";

export interface Scene extends Loaded {
  readonly folder: string;
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly token: string;
  readonly tokenPath: string;
  /** What a command prints, whatever became of it. */
  bash(command: string): Promise<string>;
}

/** Not under /tmp, which a sandboxed process does not see in any case. */
export function folderOutsideTmp(): string {
  const folder = realpathSync(mkdtempSync("/var/tmp/selvage-sandbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface SceneOptions extends Partial<SandboxOptions> {
  readonly files?: Record<string, string>;
  /** Below the folder of the scene; beside the project unless told. */
  readonly stateHome?: string;
  readonly configHome?: string;
}

export async function scene({
  files = {},
  stateHome: state = "state",
  configHome: config = "config",
  ...over
}: SceneOptions): Promise<Scene> {
  const folder = folderOutsideTmp();
  const root = join(folder, "project");
  put(root, {
    [`.ai/threads/${THREAD}/transcript.jsonl`]: "{}\n",
    ".ai/threads/registry.db": "not really a database",
    ...files,
  });
  mkdirSync(join(root, `.ai/threads/${THREAD}/approvals`));
  vi.stubEnv("XDG_STATE_HOME", join(folder, state));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, config));
  makeOperatorToken();
  const sandbox = openSandbox({
    ...{ mode: "required", projectRoot: root, hidden: [stateHome(), configHome()] },
    ...over,
  });
  const tools = await load(root, { sandbox });
  return {
    ...tools,
    ...{ folder, root, sandbox, token: operatorToken(), tokenPath: join(stateHome(), "operator") },
    bash: async (command) => (await tools.run("bash", { command }, { threadId: THREAD })).output,
  };
}

/** Processes that have this among their arguments, seen from outside. */
export function processesWith(argument: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && argumentsOf(pid).includes(argument));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it ended
  }
}
