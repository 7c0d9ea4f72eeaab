/**
 * The door of a host: a socket on which other processes of the same user ask it things.
 *   D1. Only this user comes in: the socket is 0600 from the moment it is there, or lies in a folder that is 0700.
 *       Who is at the other end cannot be asked: Node does not tell the peer of a local socket.
 *       Nor does a tool in the sandbox: all the places where it may be are hidden from it.
 *   D2. Nobody who comes in can hold the host up: lines, connections, answers under way and silence have bounds.
 *   D3. A socket file that a killed host left behind is replaced; anything else in its place is left alone.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Commands, Lines, respond, tooLong } from "./protocol.ts";

export interface Door {
  readonly path: string;
  close(): Promise<void>;
}

// sockaddr_un holds 104 bytes on macOS and 108 on Linux; a longer path would be cut off silently.
const MAX_PATH_BYTES = 100;
/** Of which a tool in the sandbox sees nothing. */
const HIDDEN = ["/run", "/tmp"];
const MOST_CONNECTIONS = 64;
const MOST_UNDER_WAY = 16;
const SILENCE_MS = 60_000;
/** Last answers get this long to be read. */
const FAREWELL_MS = 250;

/** In the folder, or where its path is too long for a socket, in a short one that is ours alone. */
export async function openDoor(folder: string, commands: Commands): Promise<Door | undefined> {
  const near = join(folder, "serve.sock");
  quiet(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  if (Buffer.byteLength(near) <= MAX_PATH_BYTES) {
    const door = clear(near) ? await hang(near, commands) : undefined;
    if (door) return door;
  }
  for (const place of shortFolders()) {
    const path = quiet(() => join(mkdtempSync(join(place, `selvage-${process.pid}-`)), "serve.sock"));
    if (path === undefined) continue;
    const door = Buffer.byteLength(path) <= MAX_PATH_BYTES ? await hang(path, commands) : undefined;
    if (door) return withFolder(door);
    quiet(() => rmSync(dirname(path), { recursive: true }));
  }
  return undefined;
}

/** As the sandbox empties them, whatever the environment says. */
function shortFolders(): string[] {
  const runtime = process.env["XDG_RUNTIME_DIR"];
  const isHidden = (folder: string) =>
    HIDDEN.some((hidden) => folder === hidden || folder.startsWith(`${hidden}/`));
  return [...(runtime ? [runtime] : []), tmpdir(), "/tmp"].filter(isHidden);
}

/** D3. */
function clear(path: string): boolean {
  const there = quiet(() => lstatSync(path));
  if (!there) return true;
  if (!there.isSocket()) return false;
  quiet(() => rmSync(path));
  return true;
}

function withFolder(door: Door): Door {
  return {
    path: door.path,
    close: async () => {
      await door.close();
      quiet(() => rmSync(dirname(door.path), { recursive: true, force: true }));
    },
  };
}

async function hang(path: string, commands: Commands): Promise<Door | undefined> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    converse(socket, commands);
  });
  server.maxConnections = MOST_CONNECTIONS;
  if (!(await opens(server, path))) return undefined;
  return {
    path,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.end();
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, FAREWELL_MS);
      await closed;
      clearTimeout(late);
      quiet(() => rmSync(path, { force: true }));
    },
  };
}

/** The name is bound in this very call: nobody can come in before the mode is right (D1). */
function opens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.on("error", () => resolve(false)); // stays: a later EMFILE must not end the host
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        quiet(() => chmodSync(path, 0o600));
        resolve(true);
      });
    } finally {
      process.umask(before);
    }
    server.unref();
  });
}

/** Answers in the order of the questions; while too many are open, no more is read. */
function converse(socket: Socket, commands: Commands): void {
  const lines = new Lines();
  let underWay = 0;
  let answered = Promise.resolve();
  socket.unref();
  socket.on("error", () => {}); // whoever it was is gone
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  const say = (said: unknown) => {
    if (said !== undefined && !socket.destroyed) socket.write(`${JSON.stringify(said)}\n`);
  };
  const one = async (line: Buffer) => {
    say(await respond(line, commands));
    underWay -= 1;
    // Who does not read its answers is not asked for more questions.
    if (underWay < MOST_UNDER_WAY && !socket.writableNeedDrain) socket.resume();
  };
  // Who has said all still gets its answers.
  socket.on("end", () => answered.then(() => socket.end()));
  socket.on("drain", () => {
    if (underWay < MOST_UNDER_WAY) socket.resume();
  });
  socket.on("data", (piece: Buffer) => {
    const found = lines.take(piece);
    if (!found) {
      say(tooLong());
      socket.removeAllListeners("data");
      socket.end();
      socket.resume();
      setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
      return;
    }
    underWay += found.length;
    for (const line of found) answered = answered.then(() => one(line));
    if (underWay >= MOST_UNDER_WAY || socket.writableNeedDrain) socket.pause();
  });
}

function quiet<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
