/** The tools of a project: those of its files, those that a program hands in, and those about bundles. */
import { bundleTools } from "./bundle/tools.ts";
import { bundles } from "./real-bundles.ts";
import { type LoadOptions, loadTools, type Tools } from "./tool/load.ts";

export function realTools(options: LoadOptions): Tools {
  const { projectRoot, tools } = options;
  return loadTools({ ...options, tools: [...bundleTools(projectRoot, bundles), ...tools] });
}
