/** What can be said of the tool files of a project without running any of them: for who looks before something runs. */
import type { Complaint } from "../core/directive.ts";
import type { ToolFilesLook } from "../core/inspection.ts";
import { loadPatterns } from "./linear-pattern.ts";
import { misnamed, readCommandTool, takenName } from "./project-tools.ts";
import { toolFiles } from "./tool-files.ts";

/** `taken`: names that no file may have. */
export async function lookAtToolFiles(projectRoot: string, taken: readonly string[]): Promise<ToolFilesLook> {
  const files = toolFiles(projectRoot);
  if (files.length > 0) await loadPatterns();
  const origins = new Map(taken.map((name) => [name, "one that is built in"]));
  const complaints: Complaint[] = [];
  for (const found of files) {
    if (found.kind === "misnamed") complaints.push(...misnamed(found).complaints);
    // What a module offers, and whether it does, only running it tells.
    if (found.kind !== "command") continue;
    const read = readCommandTool(found);
    const origin = origins.get(found.stem);
    if ("complaints" in read) complaints.push(...read.complaints);
    else if (origin !== undefined) complaints.push(takenName(found, found.stem, origin));
    origins.set(found.stem, origin ?? found.file);
  }
  return {
    commands: files.filter(({ kind }) => kind === "command").length,
    modules: files.filter(({ kind }) => kind === "module").length,
    complaints,
  };
}
