/** Asking a host something: one connection, one command, one answer, and never a wait without an end. */
import { connect } from "node:net";
import { isOurSocket } from "./address.ts";
import { Lines, type Response, readResponse } from "./protocol.ts";

const ANSWER_MS = 5_000;

/** Undefined: nobody answered in time, or not in our words. */
export function askHost(
  socketPath: string,
  command: { readonly type: string; readonly [field: string]: unknown },
  timeoutMs = ANSWER_MS,
): Promise<Response | undefined> {
  if (!isOurSocket(socketPath)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = new Lines();
    const socket = connect({ path: socketPath });
    const end = (answer: Response | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined), timeoutMs);
    socket.on("error", () => end(undefined));
    socket.on("close", () => end(undefined));
    socket.on("data", (piece: Buffer) => {
      const found = lines.take(piece);
      if (!found) return end(undefined);
      const mine = found.map(readResponse).find((each) => each?.id === 1);
      if (mine) end(mine);
    });
    socket.write(`${JSON.stringify({ ...command, id: 1 })}\n`);
  });
}
