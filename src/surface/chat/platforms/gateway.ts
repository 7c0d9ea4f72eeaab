/**
 * Some adapters hear messages over a connection that they keep only as long as they are told to. It is opened again
 * whenever it ends, until it is closed here.
 */
import type { Clock } from "../../../core/world.ts";

export interface Gateway {
  close(): Promise<void>;
}

export interface GatewayNeeds {
  readonly clock: Clock;
  readonly trouble: (what: string, error?: unknown) => void;
}

/** As adapters that have one declare it. */
interface Listening {
  startGatewayListener(
    options: { waitUntil: (task: Promise<unknown>) => void },
    durationMs: number,
    signal: AbortSignal,
  ): Promise<Response>;
}

/** About as long as a timer can be set for: what is said between two connections is not heard. */
const LONGEST_MS = 20 * 24 * 60 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A connection that held this long was a good one. */
const GOOD_MS = 60_000;

/** Undefined: the adapter has none. */
export function keepGateway(adapter: object, needs: GatewayNeeds): Gateway | undefined {
  if (!isListening(adapter)) return undefined;
  const over = new AbortController();
  const kept = keep(adapter, needs, over.signal);
  return {
    close: async () => {
      over.abort();
      await kept;
    },
  };
}

async function keep(
  adapter: Listening,
  { clock, trouble }: GatewayNeeds,
  signal: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    const began = clock.monotonic();
    try {
      await listen(adapter, signal);
    } catch (error) {
      trouble("the connection to the chat platform broke", error);
    }
    if (clock.monotonic() - began >= GOOD_MS) wait = FIRST_WAIT_MS;
    await clock.sleep(wait, signal);
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}

async function listen(adapter: Listening, signal: AbortSignal): Promise<void> {
  const tasks: Promise<unknown>[] = [];
  const options = { waitUntil: (task: Promise<unknown>) => void tasks.push(task) };
  const { ok, status } = await adapter.startGatewayListener(options, LONGEST_MS, signal);
  if (!ok) throw new Error(`the adapter answered ${status}`);
  await Promise.all(tasks);
}

function isListening(adapter: object): adapter is Listening {
  return typeof (adapter as Partial<Listening>).startGatewayListener === "function";
}
