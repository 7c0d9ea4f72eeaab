/** What a host can be asked on its door. */
import * as z from "zod/mini";
import { Problem } from "../../core/problem.ts";
import type { World } from "../../core/world.ts";
import { resolveThread } from "../cli/resolve.ts";
import { type HostStatus, hostStatus } from "./host-status.ts";
import type { Commands } from "./protocol.ts";
import { SpendToday } from "./spend-today.ts";

/** Counts up when an answer no longer means what it meant. */
const PROTOCOL = 1;
const MOST_THREADS = 10_000;
/** Of ids that are wrong: to look for what each may mean takes a while, and nobody reads more. */
const MOST_NAMED = 5;

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
      const chains = await chainsOf(world, asked.data.threads);
      await allow(chains);
      return { threads: chains.length };
    },
    shutdown: async () => {
      // After its answer.
      setImmediate(shutDown);
      return { pid: process.pid };
    },
  };
}

/** All or none, as the command line has it: an id that is wrong is told before anything is taken up. */
async function chainsOf({ store }: World, ids: readonly string[]): Promise<string[]> {
  const chains = new Set<string>();
  const wrong: Problem[] = [];
  for (const id of ids) {
    try {
      chains.add((await resolveThread(store, id)).chain_root_id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      wrong.push(error);
      if (wrong.length === MOST_NAMED) break;
    }
  }
  const [first] = wrong;
  if (!first) return [...chains];
  const what = wrong.map(({ message }) => message).join(" ");
  throw new Problem(first.code, { what, why: `${first.why ?? ""} Nothing was taken up.`.trimStart() });
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
