/** Whether a model can be reached, by whoever will ask it. */
import { Problem } from "../../core/problem.ts";
import { projectHost } from "../host/project-host.ts";
import type { OpenProject } from "./house.ts";

/** The keys that count are those of the host: one that is missing here is no reason to refuse what runs there. */
export async function requireModelHere(project: OpenProject, model: string): Promise<void> {
  try {
    project.requireModel(model);
  } catch (error) {
    const isKey = error instanceof Problem && error.code === "E_AUTH";
    if (!isKey || !(await projectHost(project.world))) throw error;
  }
}
