/** One connection: reads until the other side ends, answers what was asked by then, and lets go. */
import { Desk, type DeskNeeds } from "./desk.ts";
import { LineReader } from "./lines.ts";
import type { Outlet } from "./outlet.ts";
import { RpcServer } from "./server.ts";

export interface Connection {
  /** Ends when the other side has nothing more to say. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly outlet: Outlet;
  /** Aborts when the connection has to end: nobody reads any more, or the process is told to go. */
  readonly signal: AbortSignal;
  /** The chain to begin with. */
  readonly thread?: string | undefined;
}

/** Threads lose nothing by its end: whoever hosts them goes on. */
export async function serveConnection(
  needs: DeskNeeds,
  { input, outlet, signal, thread }: Connection,
): Promise<void> {
  const desk = await Desk.open(needs, outlet, thread);
  const ends = new AbortController();
  const server = new RpcServer(desk, () => ends.abort());
  const over = AbortSignal.any([signal, ends.signal]);
  try {
    await Promise.race([readAll(server, input, outlet, over), aborted(over)]);
    if (!signal.aborted) await server.drained();
  } finally {
    desk.close();
    if (signal.aborted) outlet.close();
    else await outlet.flushed();
  }
}

async function readAll(
  server: RpcServer,
  input: AsyncIterable<Uint8Array>,
  outlet: Outlet,
  over: AbortSignal,
): Promise<void> {
  const lines = new LineReader();
  for await (const piece of input) {
    for (const line of lines.read(piece)) server.take(line);
    await outlet.room();
    if (over.aborted) return;
  }
  const last = lines.end();
  if (last) server.take(last);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
