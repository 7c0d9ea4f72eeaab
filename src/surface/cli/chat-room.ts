/** Who talks in a room of this project: one terminal at a time, for each would print the answers to both. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../../core/problem.ts";
import type { Machine } from "../../core/world.ts";
import { doorFolder } from "../host/address.ts";

/** A file that says who. One whose process is gone says nothing. */
export function holdRoom(
  root: string,
  room: string,
  machine: Pick<Machine, "owner" | "ownerState">,
): () => void {
  const folder = doorFolder(root);
  const path = join(folder, `room-${encodeURIComponent(room).slice(0, 200)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let look = 0; look < 3; look += 1) {
    if (taken(path, machine.owner)) return () => leave(path, machine.owner);
    const holder = holderOf(path);
    if (holder !== undefined && machine.ownerState(holder) !== "dead") throw occupied(room);
    leave(path, holder);
  }
  throw occupied(room);
}

/** Of several one wins: a link is refused where something is. */
function taken(path: string, owner: string): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, owner, { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It left just now.
    return undefined;
  }
}

/** Only if it is still that one's. */
function leave(path: string, owner: string | undefined): void {
  if (owner !== undefined && holderOf(path) === owner) rmSync(path, { force: true });
}

function occupied(room: string): Problem {
  return new Problem("E_WRONG_STATE", {
    what: `Somebody talks in the room ${room} at another terminal.`,
    why: "What is said there is answered there; two terminals in one room would both print all of it.",
    next: [{ cmd: "selvage chat --room NAME", why: "opens another one" }],
  });
}
