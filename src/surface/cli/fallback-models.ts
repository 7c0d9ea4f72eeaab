/** Models to fall back to that lead nowhere: a thread passes them over in silence, so a person is told beforehand. */
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { OpenProject } from "./house.ts";
import type { Session } from "./session.ts";

export function warnOfFallbacks(session: Session, project: OpenProject): void {
  for (const name of new Set(project.world.settings.model.fallback)) {
    const why = whyUnusable(project, name);
    if (why !== undefined)
      session.warn(`model.fallback names ${oneLine(name, 60)}, which is passed over: ${oneLine(why, 300)}`);
  }
}

function whyUnusable(project: OpenProject, name: string): string | undefined {
  try {
    project.requireModel(name);
    return undefined;
  } catch (error) {
    // Here the reason is the answer: a way out that leads nowhere stops nobody.
    if (!(error instanceof Problem)) throw error;
    return [error.message, error.why].filter(Boolean).join(" ");
  }
}
