/** What threads get of the files of a project: directives to start, as the user agreed to them and no other (K5), and items to look at. */
import { Problem } from "./core/problem.ts";
import type { World } from "./core/world.ts";
import { directivesOf, type TrustedProject } from "./directive/directives.ts";
import { itemsOf } from "./directive/items.ts";
import { trustOf } from "./real-store.ts";

interface DirectiveNeeds extends TrustedProject {
  readonly root: string;
  readonly tools: () => readonly string[];
  /** Those that only this program has, and its models. */
  readonly brought: () => readonly string[];
}

export function directivePorts(
  needs: DirectiveNeeds,
): Required<Pick<World, "prepare" | "items" | "systemNow">> {
  return {
    prepare: preparing(needs),
    systemNow: renewing(needs),
    items: itemsOf(needs.root, needs.tools),
  };
}

/** What cannot be told now stays as it was: a talk does not end over a file that somebody is editing. */
function renewing({ root, ...trusted }: DirectiveNeeds): NonNullable<World["systemNow"]> {
  const directives = directivesOf(root, trusted);
  return ({ directive: name, model }) => {
    try {
      requireTrust(root);
      return directives.systemPrompt(directives.directive(name, model));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return undefined;
    }
  };
}

function preparing({ root, tools, brought, ...trusted }: DirectiveNeeds): NonNullable<World["prepare"]> {
  const directives = directivesOf(root, trusted);
  return async ({ directive: name, inputs, model, offers = {} }) => {
    requireTrust(root);
    const directive = directives.directive(name, model);
    trusted.requireModel(directive.model);
    const taken = Object.entries(offers).filter(([key]) => Object.hasOwn(directive.inputs, key));
    const given = Object.entries({ ...Object.fromEntries(taken), ...inputs }).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return {
      directive,
      inputs: directives.checkInputs(directive, Object.fromEntries(given)),
      system: directives.systemPrompt(directive),
      tools: tools(),
      brought: brought(),
    };
  };
}

/** A thread that writes a directive, or changes one, cannot start it before a person has seen it. */
function requireTrust(root: string): void {
  const trust = trustOf(root);
  if (trust.type === "trusted") return;
  const files = trust.type === "changed" ? trust.files : [];
  throw new Problem("E_UNTRUSTED", {
    what: "The project is not as its user agreed to it.",
    why: files.length > 0 ? `Changed since: ${files.slice(0, 10).join(", ")}.` : "Nobody has said yes to it.",
    next: [{ cmd: "selvage trust", why: "a person looks at what changed" }],
  });
}
