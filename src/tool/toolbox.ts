/** All the tools of a project, by name. */
import type { Settings } from "../core/settings.ts";
import type { Tool } from "../core/tool.ts";
import { bashTool } from "./bash.ts";
import { supervised } from "./supervise.ts";
import { writeTool } from "./write.ts";

export interface ToolboxOptions {
  readonly projectRoot: string;
  readonly settings: Settings;
}

export function builtinTools({ projectRoot, settings }: ToolboxOptions): Map<string, Tool> {
  const tools = [bashTool({ projectRoot, limits: settings.tool }), writeTool(projectRoot)];
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
  for (const tool of tools) {
    if (box.has(tool.name)) throw new TypeError(`There are two tools named ${tool.name}.`);
    box.set(tool.name, supervised(tool, { timeoutSeconds: options.settings.tool.timeout_seconds }));
  }
  return box;
}
