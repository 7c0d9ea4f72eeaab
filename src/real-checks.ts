/** What can be checked of what is stored, without changing any of it. Few commands do, and each loads what it needs. */
import { hasStore, storePath, threadsFolder } from "./real-store.ts";
import type { RealWorld } from "./real-world.ts";
import type { OpenProject } from "./surface/cli/house.ts";

export function realChecks(world: RealWorld, root: string): Pick<OpenProject, "verify" | "replay"> {
  return {
    verify: async () => {
      if (!hasStore(root)) return { threads: 0, events: 0, findings: [] };
      const { verifyStore } = await import("./store/verify.ts");
      return verifyStore(world.store, storePath(root), threadsFolder(root));
    },
    replay: async (threadId, policies) => {
      const { replayReal } = await import("./real-replay.ts");
      return replayReal(world, { root, threadId, policies });
    },
  };
}
