/** All tools there are; of a project that is not trusted nothing is loaded, and so nothing is known. */
import { RUNTIME_TOOLS } from "../../core/orchestration.ts";
import type { OpenProject } from "./house.ts";

export async function knownTools(project: OpenProject): Promise<readonly string[] | undefined> {
  if (!project.trusted) return undefined;
  await project.world.ready?.();
  return [...project.tools, ...RUNTIME_TOOLS];
}
