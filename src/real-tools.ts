/** The tools of a project: those of its files, those that a program hands in, and those about bundles. */
import { bundleTools } from "./bundle/tools.ts";
import type { Tool } from "./core/tool.ts";
import { bundles } from "./real-bundles.ts";
import { type LoadOptions, loadTools, type Tools } from "./tool/load.ts";

/** `handed`: those of the program that opened the project; it may hand in more while it runs. */
export function realTools(options: Omit<LoadOptions, "tools">, handed: readonly Tool[]): Tools {
  const own = loadTools({ ...options, tools: bundleTools(options.projectRoot, bundles) });
  return {
    ...own,
    get: (name) => own.get(name) ?? handed.find((tool) => tool.name === name),
    names: () => [...new Set([...own.names(), ...handed.map(({ name }) => name)])],
  };
}
