/** The tools of a project, made from its files; what does not validate is told and left out. */
import type { Complaint } from "../core/directive.ts";
import { messageOf } from "../core/input.ts";
import type { Settings } from "../core/settings.ts";
import type { Tool } from "../core/tool.ts";
import { type CommandRead, readCommandFile } from "./command-file.ts";
import { commandTool } from "./command-tool.ts";
import { NAME, nameProblem } from "./define.ts";
import { callHost, LOAD_TIMEOUT_MS } from "./host/call.ts";
import { fileHash, howItDied, moduleTool } from "./host/module-tool.ts";
import type { HostPool } from "./host/pool.ts";
import type { LoadFailure } from "./host/protocol.ts";
import type { Sandbox } from "./sandbox.ts";
import type { ToolFile } from "./tool-files.ts";

export interface ProjectToolOptions {
  readonly projectRoot: string;
  readonly limits: Settings["tool"];
  readonly sandbox: Sandbox;
  readonly pool: HostPool;
  readonly loadTimeoutMs?: number;
  readonly graceMs?: number;
}

interface Complaints {
  readonly complaints: readonly Complaint[];
}

export type FileTools = { readonly tools: readonly Tool[] } | Complaints;

export async function toolsOfFile(found: ToolFile, options: ProjectToolOptions): Promise<FileTools> {
  switch (found.kind) {
    case "command":
      return commandTools(found, options);
    case "module":
      return moduleTools(found, options);
    case "misnamed":
      return misnamed(found);
  }
}

export function misnamed(found: ToolFile): Complaints {
  return complaint(found, { message: `the file of a command tool is called ${found.stem}.yaml` });
}

export function readCommandTool({ path, file, stem }: ToolFile): CommandRead {
  return NAME.test(stem) ? readCommandFile(path, file) : complaint({ file }, { message: nameProblem(stem) });
}

export function takenName({ file }: ToolFile, name: string, origin: string): Complaint {
  return { file, line: 1, column: 1, message: `there is a tool ${name} already: ${origin}` };
}

function commandTools(found: ToolFile, options: ProjectToolOptions): FileTools {
  const read = readCommandTool(found);
  return "value" in read ? { tools: [commandTool(found.stem, read.value, options)] } : read;
}

/** The edge to a file that may be anything: whatever happens while it is loaded is a complaint about it. */
async function moduleTools(found: ToolFile, options: ProjectToolOptions): Promise<FileTools> {
  const { pool, limits, loadTimeoutMs = LOAD_TIMEOUT_MS } = options;
  try {
    const file = { path: found.path, hash: fileHash(found.path) };
    const loaded = await load(found.path, pool, loadTimeoutMs, limits.max_output_bytes);
    if ("message" in loaded) return complaint(found, loaded);
    return { tools: loaded.tools.map((listed) => moduleTool(listed, file, options)) };
  } catch (cause) {
    return complaint(found, { message: messageOf(cause) });
  }
}

async function load(path: string, pool: HostPool, timeoutMs: number, maxOutputBytes: number) {
  const signal = new AbortController().signal;
  const end = await callHost(
    pool,
    { type: "load", file: path },
    { signal, timeoutMs, maxOutputBytes, graceMs: 0 },
  );
  switch (end.type) {
    case "replied":
      if (end.reply.type === "loaded") return end.reply;
      return end.reply.type === "failed" ? end.reply.failure : { message: "it could not be loaded" };
    case "died":
      return { message: howItDied(end.end) };
    case "timed_out":
      return { message: `it was not loaded within ${timeoutMs / 1_000} s: it may do its work in run() only` };
    case "stopped":
    case "not_begun":
    case "printed_too_much":
      return { message: "it printed without end while it was loaded" };
  }
}

function complaint(
  { file }: { file: string },
  failure: Partial<LoadFailure> & { message: string },
): Complaints {
  const { message, line = 1, column = 1 } = failure;
  return { complaints: [{ file, line, column, message }] };
}
