/** What a host holds for threads that stand still. */

import type { ScaleReplies } from "./orders.ts";
import { hosting, openScene } from "./stage.ts";

/** Longer than the pause between two looks, several times. */
const LOOKS_MS = 3_000;

export async function hostParked(root: string): Promise<ScaleReplies["parked"]> {
  const { world, close } = openScene(new Map(), () => {}, root);
  const host = hosting(world);
  await world.clock.sleep(LOOKS_MS);
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await world.clock.sleep(100);
  }
  const { rss: rssBytes, heapUsed: heapBytes } = process.memoryUsage();
  await host.stop();
  await close();
  return { rssBytes, heapBytes };
}
