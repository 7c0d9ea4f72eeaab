/** The system prompt of a thread as it would be made now. */
import type { Moment } from "../core/decide.ts";
import type { World } from "../core/world.ts";

/** As it would be stored: what is masked there has not changed. */
export function systemOf(world: World): NonNullable<Moment["systemOf"]> {
  return (thread, messageId) => {
    const system = world.systemNow?.(thread, messageId);
    return system === undefined ? undefined : (world.redact?.(system) ?? system);
  };
}
