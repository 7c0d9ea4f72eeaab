/** The tools of a project: those of its files, those that a program hands in, and those about bundles. */
import { bundleTools } from "./bundle/tools.ts";
import type { Tool } from "./core/tool.ts";
import { bundles } from "./real-bundles.ts";
import { type LoadOptions, loadTools, type Tools } from "./tool/load.ts";
import { sendFileTool } from "./tool/send-file.ts";
import { supervised, supervisor } from "./tool/supervise.ts";

/** `handed`: those of the program that opened the project; it may hand in more while it runs. */
export function realTools(options: Omit<LoadOptions, "tools">, handed: readonly Tool[]): Tools {
  const own = loadTools({ ...options, tools: bundleTools(options.projectRoot, bundles) });
  // Not among the names: only a talk is offered it.
  const { timeout_seconds: timeoutSeconds, max_output_bytes: maxBytes } = options.settings.tool;
  const send = supervised(sendFileTool(options.projectRoot), { timeoutSeconds });
  // They run in our process, where nobody can kill them: without this one that hangs would be waited for for ever.
  const watched = supervisor({ timeoutSeconds, maxBytes });
  const handedIn = (name: string) => {
    const found = handed.find((tool) => tool.name === name);
    return found && watched(found);
  };
  return {
    ...own,
    get: (name) => own.get(name) ?? handedIn(name) ?? (name === send.name ? send : undefined),
    names: () => [...new Set([...own.names(), ...handed.map(({ name }) => name)])],
  };
}
