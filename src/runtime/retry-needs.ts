/** What it takes to decide about a failed request (E3–E9). */
import type { Model } from "../core/model.ts";
import { type FailureNeeds, type RetryPolicy, retryPolicy } from "../core/retry.ts";
import { type Active, askingNeeds } from "./active.ts";
import { targetOf, targetsOf } from "./target.ts";

export function policyOf({ world, thread }: Active, model: Model | undefined): RetryPolicy {
  return retryPolicy(model?.retry ?? world.settings.retry, thread.limits, thread.autoRetry);
}

export function failureNeeds(active: Active): FailureNeeds {
  const { world } = active;
  const policy = policyOf(active, world.model(targetOf(active).model));
  return { ...askingNeeds(world), policy, targets: targetsOf(active) };
}
