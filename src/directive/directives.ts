/** The directives of one project, for those who hand them to a surface. */
import type { Directive } from "../core/directive.ts";
import { Problem } from "../core/problem.ts";
import { systemPrompt } from "../core/system-prompt.ts";
import { readDirectiveHooks } from "./hooks.ts";
import { checkInputs } from "./inputs.ts";
import { inspectDirective } from "./inspect.ts";
import type { Surroundings } from "./lint.ts";
import { newDirective } from "./new.ts";
import { readPromptParts } from "./prompt-parts.ts";
import { listDirectives, readDirective } from "./read.ts";
import type { TemplateChoice } from "./template.ts";

/** What may be asked of a trusted project; of another, nothing that could honour its settings. */
export interface TrustedProject {
  /** Throws a Problem when the model cannot be used. */
  requireModel(name: string): void;
}

export function directivesOf(root: string, trusted: TrustedProject | undefined) {
  const around: Surroundings = {
    directives: () => listDirectives(root),
    ...(trusted && { modelProblem: (name) => problemOf(() => trusted.requireModel(name)) }),
  };
  return {
    directive: (name: string) => readDirective(root, name),
    directives: () => listDirectives(root),
    inspect: (name: string, tools?: readonly string[]) => inspectDirective(root, name, { ...around, tools }),
    directiveHooks: (name: string) => readDirectiveHooks(root, name),
    newDirective: (name: string, choice: TemplateChoice) => newDirective(root, name, choice),
    systemPrompt: (directive: Directive) =>
      systemPrompt({ directive, parts: trusted ? readPromptParts(root) : [] }),
    checkInputs,
  };
}

function problemOf(act: () => void): Problem | undefined {
  try {
    act();
    return undefined;
  } catch (cause) {
    // Here a problem is the answer that was asked for.
    if (cause instanceof Problem) return cause;
    throw cause;
  }
}
