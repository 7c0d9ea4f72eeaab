/** Which hooks a thread obeys, and which of them match at a moment. */
import { type ChildHook, type Facts, HOOK_LAYERS, type Hook, type HookEvent } from "./hook.ts";

export function isChildHook(hook: Hook): hook is ChildHook {
  return "directive" in hook.run;
}

/** Tells one hook from all others: an id stands once in its layer. */
export function hookName({ layer, id }: Pick<Hook, "layer" | "id">): string {
  return `${layer}/${id}`;
}

/**
 * The hooks that a thread obeys. One that answers for a hook, or works below such a one, triggers no hooks (§10); but
 * the whole tree is guarded: what stands before a tool on the spot does so for everybody, and cannot go round in circles.
 */
export function hooksFelt(hooks: readonly Hook[], { forHook }: { readonly forHook?: string | undefined }) {
  if (forHook === undefined) return hooks;
  return hooks.filter((hook) => hook.event === "before_tool" && !isChildHook(hook));
}

interface BrokenHook {
  readonly hook: Hook;
  readonly why: string;
}

interface Matches {
  /** In the order in which they run: by layer, and in a layer as they stand in the file. */
  readonly matched: readonly Hook[];
  /** Their conditions could not be told: they do not match, and say so. */
  readonly broken: readonly BrokenHook[];
}

export function matchHooks(hooks: readonly Hook[], event: HookEvent, facts: Facts): Matches {
  const matched: Hook[] = [];
  const broken: BrokenHook[] = [];
  for (const hook of hooksFor(hooks, event)) {
    const answer = hook.when?.test(facts) ?? true;
    if (answer === true) matched.push(hook);
    // A condition on arguments that this tool does not have does not hold: that is no fault of anybody's.
    else if (answer !== false && !answer.missing) broken.push({ hook, why: answer.error });
  }
  return { matched, broken };
}

/** All hooks of an event, in the order in which they are asked. */
export function hooksFor(hooks: readonly Hook[], event: HookEvent): readonly Hook[] {
  const ofEvent = hooks.filter((hook) => hook.event === event);
  return HOOK_LAYERS.flatMap((layer) => ofEvent.filter((hook) => hook.layer === layer));
}
