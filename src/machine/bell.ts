/**
 * A doorbell: one process tells another to look at the store (R2). A hint only: whoever waits also looks now and
 * then by itself, so nothing here may fail loudly or keep a process alive.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Bell } from "../core/world.ts";

// sockaddr_un holds 104 bytes on macOS and 108 on Linux; a longer path would be cut off silently.
const MAX_PATH_BYTES = 100;
const RING_TIMEOUT_MS = 200;
const BYTE_WAIT_MS = 2;

export async function listen(folders: readonly string[] = bellFolders()): Promise<Bell> {
  for (const folder of folders) {
    const bell = await hang(folder);
    if (bell) return bell;
  }
  return { socket: null, onRing: () => {}, close: async () => {} };
}

/**
 * The socket keeps the process alive until the byte is written, at most 200 ms. The connection itself, which
 * rings too, is made in this very call: not even `process.exit()` right after it loses the ring.
 */
export function ring(path: string): void {
  const socket = quiet(() => connect({ path })); // a bare string of digits would mean a port
  if (!socket) return;
  const timer = setTimeout(() => socket.destroy(), RING_TIMEOUT_MS);
  socket.on("error", () => {}); // nobody home: the store still holds what we came to say
  socket.once("close", () => clearTimeout(timer));
  socket.end("!", () => socket.destroy());
}

function bellFolders(): string[] {
  const runtime = process.env.XDG_RUNTIME_DIR;
  return [...(runtime ? [runtime] : []), tmpdir(), "/tmp"];
}

/** Undefined when no socket can be made in this folder. */
async function hang(folder: string): Promise<Bell | undefined> {
  const path = quiet(() => join(mkdtempSync(join(folder, `selvage-${process.pid}-`)), "bell")); // 0700
  if (path === undefined) return undefined;
  sweep(folder);
  const listeners = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    welcome(socket, sockets, () => {
      for (const listener of listeners) listener();
    });
  });
  if (!(await opens(server, path))) {
    await takeDown(path);
    return undefined;
  }
  return {
    socket: path,
    onRing: (listener) => void listeners.add(listener),
    close: async () => {
      listeners.clear();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await takeDown(path);
    },
  };
}

/** A process that was killed could not take its bell down. Guessing wrong costs a hint, never more. */
function sweep(folder: string): void {
  for (const name of quiet(() => readdirSync(folder)) ?? []) {
    const pid = Number(/^selvage-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && isGone(pid)) quiet(() => rmSync(join(folder, name), { recursive: true }));
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function opens(server: Server, path: string): Promise<boolean> {
  if (Buffer.byteLength(path) >= MAX_PATH_BYTES) return Promise.resolve(false);
  return new Promise((resolve) => {
    server.on("error", () => resolve(false)); // stays: a later EMFILE must not end the process
    server.listen(path, () => {
      quiet(() => chmodSync(path, 0o600));
      resolve(true);
    });
    server.unref();
  });
}

function welcome(socket: Socket, sockets: Set<Socket>, toll: () => void): void {
  sockets.add(socket);
  socket.unref();
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
  // The byte is on its way, and to look twice for one ring takes twice the time. Who could not send it has rung all the same.
  const without = setTimeout(toll, BYTE_WAIT_MS);
  without.unref();
  socket.on("data", () => {
    clearTimeout(without);
    toll();
  });
}

async function takeDown(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true }).catch(() => {});
}

function quiet<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt();
  } catch {
    return undefined; // see the top: without a bell things are only slower
  }
}
