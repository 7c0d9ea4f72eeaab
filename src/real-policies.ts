/** How a project, its user and the machine want failures classified and what they hook into. */
import { readErrorRules } from "./config/error-rules.ts";
import { readHooks } from "./config/hooks.ts";
import { readSettings } from "./config/settings.ts";
import type { Hook } from "./core/hook.ts";
import { Problem } from "./core/problem.ts";
import { builtInRules, type RuleSet } from "./core/rule.ts";
import { readDirectiveHooks } from "./directive/hooks.ts";

/** What decides about a failure, for who asks what would happen. */
export async function failureRules(trustedRoot: string | undefined) {
  const [rules, hooks] = await Promise.all([readErrorRules(trustedRoot), readHooks(trustedRoot)]);
  return { rules, hooks, retry: readSettings(trustedRoot).retry };
}

interface Policies {
  ready(): Promise<void>;
  rules(): RuleSet;
  hooks(directive: string): Promise<readonly Hook[]>;
}

/** Rules and hooks of the project, its user and the machine: read once, when the first threads are looked at. */
export function readPolicies(
  trustedRoot: string | undefined,
  /** Says what to do with files that do not validate: throws, or tells and goes on without them. */
  forgiving: (read: () => never) => unknown,
): Policies {
  let rules = builtInRules;
  let hooks: readonly Hook[] = [];
  let reading: Promise<void> | undefined;
  const ofDirectives = new Map<string, Promise<readonly Hook[]>>();
  const read = async () => {
    [rules, hooks] = await Promise.all([readErrorRules(trustedRoot), readHooks(trustedRoot)]);
  };
  const ready = () => {
    reading ??= read().catch((error) => {
      forgiving(() => {
        throw error;
      });
    });
    return reading;
  };
  return {
    ready,
    rules: () => rules,
    hooks: async (directive) => {
      await ready();
      if (trustedRoot === undefined) return hooks;
      const own = ofDirectives.get(directive) ?? directiveHooks(trustedRoot, directive);
      ofDirectives.set(directive, own);
      return [...(await own), ...hooks];
    },
  };
}

/** A directive that is not there any more takes its hooks with it; trust, which hashes both, has noticed. */
async function directiveHooks(root: string, directive: string): Promise<readonly Hook[]> {
  try {
    return await readDirectiveHooks(root, directive);
  } catch (error) {
    if (error instanceof Problem && error.code === "E_DIRECTIVE_NOT_FOUND") return [];
    throw error;
  }
}
