/** What a host can be asked on its door. */
import * as z from "zod/mini";
import type { World } from "../../core/world.ts";
import { type HostStatus, hostStatus } from "./host-status.ts";
import type { Commands } from "./protocol.ts";
import { SpendToday } from "./spend-today.ts";

/** Counts up when an answer no longer means what it meant. */
const PROTOCOL = 1;
const MOST_THREADS = 10_000;

const recoverAsk = z.object({
  threads: z.array(z.string().check(z.maxLength(200))).check(z.maxLength(MOST_THREADS)),
});

export interface HostDesk {
  readonly world: World;
  readonly version: string;
  readonly since: string;
  /** Chains that may be taken up although their owner died. */
  readonly allow: (chainRootIds: readonly string[]) => Promise<void>;
  readonly shutDown: () => void;
  /** How its chat platforms are, if it has any. */
  readonly chat: () => Readonly<Record<string, string>> | undefined;
}

export function hostCommands({ world, version, since, allow, shutDown, chat }: HostDesk): Commands {
  const status = statusReader(world);
  return {
    hello: async () => ({ name: "selvage", protocol: PROTOCOL, version, pid: process.pid, since }),
    ping: async () => ({}),
    status: async () => ({ pid: process.pid, since, ...(await status()), ...platformsOf(chat()) }),
    recover: async (fields) => {
      const asked = recoverAsk.safeParse(fields);
      if (!asked.success) throw new Error('"threads" is a list of ids.');
      await allow(asked.data.threads);
      return { threads: asked.data.threads.length };
    },
    shutdown: async () => {
      // After its answer.
      setImmediate(shutDown);
      return { pid: process.pid };
    },
  };
}

function platformsOf(chat: ReturnType<HostDesk["chat"]>) {
  return chat ? { chat } : {};
}

/** Several who ask at once get one answer: nobody makes the host read the store faster than it can. */
export function statusReader(world: World): () => Promise<HostStatus> {
  const spend = new SpendToday(world);
  let running: Promise<HostStatus> | undefined;
  return () => {
    running ??= hostStatus(world, spend).finally(() => {
      running = undefined;
    });
    return running;
  };
}
