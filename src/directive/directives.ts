/** The directives of one project, for those who hand them to a surface. */
import type { Directive } from "../core/directive.ts";
import { itemRight } from "../core/item-right.ts";
import { Problem } from "../core/problem.ts";
import { systemPrompt } from "../core/system-prompt.ts";
import { builtIn } from "./built-in.ts";
import { readDirectiveHooks } from "./hooks.ts";
import { checkInputs } from "./inputs.ts";
import { inspectDirective } from "./inspect.ts";
import type { Surroundings } from "./lint.ts";
import { newDirective } from "./new.ts";
import { readPromptParts } from "./prompt-parts.ts";
import { listDirectives, readDirective, unnameable } from "./read.ts";
import type { TemplateChoice } from "./template.ts";

/** What may be asked of a trusted project; of another, nothing that could honour its settings. */
export interface TrustedProject {
  /** Throws a Problem when the model cannot be used. */
  requireModel(name: string): void;
  /** The model that a tier means here. Throws a Problem when it means none. */
  modelOfTier(tier: string): string;
}

export function directivesOf(root: string, trusted: TrustedProject | undefined) {
  const around: Surroundings = {
    directives: () => listDirectives(root),
    ...(trusted && {
      modelProblem: (name) =>
        resultOf(() => {
          trusted.requireModel(name);
          return undefined;
        }),
      modelOfTier: (tier) => resultOf(() => trusted.modelOfTier(tier)),
    }),
  };
  return {
    directive: (name: string, model?: string) =>
      withModel(builtIn(root, name) ?? readDirective(root, name), trusted, model),
    directives: () => listDirectives(root),
    unnameable: () => unnameable(root),
    inspect: (name: string, tools?: readonly string[]) => inspectDirective(root, name, { ...around, tools }),
    directiveHooks: (name: string) => readDirectiveHooks(root, name),
    newDirective: (name: string, choice: TemplateChoice) => newDirective(root, name, choice),
    systemPrompt: (directive: Directive) =>
      systemPrompt({ directive, parts: trusted ? readPromptParts(root, mayLoad(directive)) : [] }),
    checkInputs,
  };
}

function mayLoad({ permissions }: Directive): boolean {
  return permissions.some((right) => right.startsWith(itemRight("load", undefined, "")));
}

/** From here on it has one model, whatever its tier will mean later. `given`: another one, or another tier. */
function withModel(directive: Directive, trusted: TrustedProject | undefined, given?: string): Directive {
  // A model is named with its provider; anything else is a tier.
  if (given?.includes("/")) return { ...directive, model: given };
  const tier = given ?? directive.tier;
  return trusted && tier !== undefined ? { ...directive, model: trusted.modelOfTier(tier) } : directive;
}

function resultOf<T>(act: () => T): T | Problem {
  try {
    return act();
  } catch (cause) {
    // Here a problem is the answer that was asked for.
    if (cause instanceof Problem) return cause;
    throw cause;
  }
}
