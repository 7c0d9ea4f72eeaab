/** A project with a host beside which commands are tried. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Place, scripted, until } from "./cli.ts";
import { asks, boss, slow, start, worker } from "./family.ts";

/** One directive for each thing that a thread does beside a host. */
export const SERVED_PROJECT = {
  ...scripted("hello", "- says: hello there\n- says: and more\n"),
  ...worker("good", "- says: good work\n"),
  ...slow("slow"),
  ...asks("asks"),
  ...boss("tree", `- says: one\n  calls:\n${start("good", ", wait: true")}- says: done\n`),
  ...scripted("away", "- fails: { status: 503, message: away }\n- says: back\n- says: more\n"),
};

export interface Served {
  readonly pid: number;
  readonly serve: ReturnType<Place["start"]>;
  /** What it said so far on stdout. */
  readonly said: () => string;
}

/** Until it says that it hosts. */
export async function serving(place: Place, args: readonly string[] = []): Promise<Served> {
  const serve = place.start(["serve", ...args]);
  let out = "";
  serve.child.stdout?.on("data", (bytes) => {
    out += bytes;
  });
  let hasEnded = false;
  serve.ended.then(() => {
    hasEnded = true;
  });
  await until(() => out.includes("Hosting ") || hasEnded);
  if (hasEnded) throw new Error(JSON.stringify(await serve.ended));
  return { pid: serve.child.pid ?? 0, serve, said: () => out };
}

export async function endServe({ serve }: Served): Promise<void> {
  serve.child.kill("SIGTERM");
  await serve.ended;
}

interface AddressFile {
  readonly owner: string;
  readonly socket: string;
}

export function addressIn(root: string): AddressFile {
  return JSON.parse(readFileSync(join(root, ".ai/threads/serve.json"), "utf8"));
}

/** Writes bytes to a socket, and reads what comes back until it is closed or quiet. */
export function talk(path: string, bytes: Buffer | string, { halfClose = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    let heard = "";
    const end = () => {
      socket.destroy();
      resolve(heard);
    };
    socket.setTimeout(5_000, end);
    socket.on("data", (piece) => {
      heard += piece;
    });
    socket.on("error", end);
    socket.on("close", end);
    if (halfClose) socket.end(bytes);
    else socket.write(bytes);
  });
}
