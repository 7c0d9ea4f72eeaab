// A project under a temporary folder, a context for calls, and a way to see which processes a test has left.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import { defaultSettings, type Settings } from "../../src/core/settings.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import { type LoadOptions, loadTools, type Tools } from "../../src/tool/load.ts";
import { NO_SANDBOX } from "../../src/tool/sandbox.ts";

const HOST = fileURLToPath(new URL("../../dist/tool-host.mjs", import.meta.url));

/** Removed when the test is over. */
export function project(files: Record<string, string> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-tool-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  put(root, files);
  return root;
}

export function put(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

export function context(over: Partial<ToolContext> = {}): ToolContext {
  return {
    ...{ threadId: "t-1", chainRootId: "t-1", turn: 1, callKey: "call_test" as CallId },
    signal: new AbortController().signal,
    progress: () => {},
    ...over,
  };
}

export function settings(tool: Partial<Settings["tool"]> = {}): Settings {
  return { ...defaultSettings, tool: { ...defaultSettings.tool, ...tool } };
}

export interface Loaded extends Tools {
  readonly warnings: string[];
  run(name: string, input: unknown, over?: Partial<ToolContext>): ReturnType<typeof outcome>;
}

/** Loaded and ready; closed when the test is over. */
export async function load(root: string, over: Partial<LoadOptions> = {}): Promise<Loaded> {
  const warnings: string[] = [];
  const tools = loadTools({
    ...{ projectRoot: root, settings: settings(), trusted: true, tools: [], hostEntry: HOST },
    sandbox: NO_SANDBOX,
    warn: (message) => warnings.push(message),
    ...over,
  });
  onTestFinished(() => tools.close());
  await tools.ready();
  return { ...tools, warnings, run: (name, input, more) => outcome(tools, name, input, more) };
}

async function outcome(tools: Tools, name: string, input: unknown, over: Partial<ToolContext> = {}) {
  const tool = tools.get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, context(over));
}

/** Every process that was started from here since, however far it ran: by a variable that is let through. */
export function watchProcesses(): () => number[] {
  const mark = `LC_SELVAGE_TEST=${process.pid}-${performance.now()}`;
  const [name = "", value = ""] = mark.split("=");
  process.env[name] = value;
  onTestFinished(() => void delete process.env[name]);
  return () =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && environmentOf(pid).includes(mark));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // it ended, or is not ours
  }
}

/** Until something is true; a fact, never a time. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("waited too long");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
