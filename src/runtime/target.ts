/** Where the requests of a thread go: its own model, or one of those it may fall back to, with one of their keys (E9). */
import type { Target } from "../core/thread.ts";
import type { Active } from "./active.ts";

/** Where requests of this thread go now; a target that is no longer there gives way to its own model. */
export function targetOf(active: Pick<Active, "world" | "thread">): Target {
  const { target, model } = active.thread;
  if (!target) return { model, key: 0 };
  const [own = { model, key: 0 }, ...others] = targetsOf(active);
  return others.find(({ model, key }) => model === target?.model && key === target.key) ?? own;
}

/** Every key of every model of the chain (E9). */
export function targetsOf({ world, thread }: Pick<Active, "world" | "thread">): Target[] {
  const models = [...new Set([thread.model, ...world.settings.model.fallback])];
  return models.flatMap((name, index) => {
    const model = world.model(name);
    // A way out that leads nowhere is none; its own model is asked in any case, and says what is wrong.
    if (index > 0 && (!model || model.unusable !== undefined)) return [];
    return Array.from({ length: Math.max(1, model?.keys ?? 1) }, (_, key) => ({ model: name, key }));
  });
}
