/** All the tools of a project, by name. */
import { RUNTIME_TOOLS } from "../core/orchestration.ts";
import type { Settings } from "../core/settings.ts";
import type { Tool } from "../core/tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import type { Sandbox } from "./sandbox.ts";
import type { LookOptions } from "./search.ts";
import { supervised } from "./supervise.ts";
import { writeTool } from "./write.ts";

export interface ToolboxOptions {
  readonly projectRoot: string;
  readonly settings: Settings;
  readonly sandbox: Sandbox;
}

export function builtinTools({ projectRoot, settings, sandbox }: ToolboxOptions): Map<string, Tool> {
  const options = { projectRoot, limits: settings.tool, sandbox };
  const inTime = { timeoutSeconds: settings.tool.timeout_seconds };
  const looking = (make: (options: LookOptions) => Tool) => supervised(make(options), inTime);
  const tools = [
    ...[looking(readTool), writeTool(projectRoot), editTool(projectRoot), bashTool(options)],
    ...[looking(grepTool), looking(findTool), looking(lsTool)],
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/**
 * The built-in tools and those handed in by a program, which run in our process: the time limit of the settings
 * is put around these, while `bash` keeps its own (it needs time to kill).
 */
export function toolbox({
  tools,
  ...options
}: ToolboxOptions & { readonly tools: readonly Tool[] }): Map<string, Tool> {
  const box = builtinTools(options);
  const { timeout_seconds: timeoutSeconds, max_output_bytes: maxBytes } = options.settings.tool;
  const patience = { timeoutSeconds, maxBytes };
  for (const tool of tools) {
    if (box.has(tool.name) || RUNTIME_TOOLS.includes(tool.name))
      throw new TypeError(`There are two tools named ${tool.name}.`);
    box.set(tool.name, supervised(tool, patience));
  }
  return box;
}
