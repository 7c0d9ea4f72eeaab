/** What can be checked of what is stored, without changing any of it. */
import { replayReal } from "./real-replay.ts";
import { hasStore, storePath, threadsFolder } from "./real-store.ts";
import type { RealWorld } from "./real-world.ts";
import { verifyStore } from "./store/verify.ts";
import type { OpenProject } from "./surface/cli/house.ts";

export function realChecks(world: RealWorld, root: string): Pick<OpenProject, "verify" | "replay"> {
  return {
    verify: async () => {
      if (!hasStore(root)) return { threads: 0, events: 0, findings: [] };
      return verifyStore(world.store, storePath(root), threadsFolder(root));
    },
    replay: (threadId, policies) => replayReal(world, { root, threadId, policies }),
  };
}
