// What a sandboxed process sees of the file system (K6), as mounts for bubblewrap.
//   W1. It writes in the project and in a /tmp of its own, nowhere else; `.ai/threads` it only reads.
//   W2. What is hidden (our state and the user's configuration) is not there.
//   W3. Inside the project every folder on the way to a guarded one is a mount itself: a mount can neither be renamed
//       nor removed, so that nobody puts another in its place for us to believe later.
//   W4. A link cannot be held in place like that: where one is on such a way, there are no walls.
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Surroundings {
  readonly projectRoot: string;
  /** Folders that are not to be seen, whether or not they are there. */
  readonly hidden: readonly string[];
  /** What processes inside need to see, wherever it lies: the program of the tool host. */
  readonly shown?: readonly string[];
}

export type Walls = { readonly args: readonly string[] } | { readonly complaint: string };

interface Mount {
  readonly at: string;
  readonly args: readonly string[];
}

/**
 * Emptied, since sockets lie there by which others do one's bidding (docker, ssh and gpg agents, dbus, displays): that a
 * file system is read-only does not keep anybody from connecting to them. /tmp is new for each process: what one call
 * leaves there, another thread's must not find, and nobody has to clear it away after a crash.
 */
const PRIVATE = ["/tmp", "/run"];

/** NixOS keeps its programs here. */
const SHOWN_OF_PRIVATE = ["/run/current-system"];

export function wallsAround(around: Surroundings): Walls {
  const root = realpathSync(around.projectRoot);
  if (root === "/") return { complaint: "the project is the whole file system" };
  const threads = guarded(root, join(root, ".ai", "threads"));
  const hidden = around.hidden.map((folder) => guarded(root, folder));
  const complaints = [threads, ...hidden].flatMap((way) => ("complaint" in way ? [way.complaint] : []));
  if (complaints[0] !== undefined) return { complaint: complaints[0] };
  const folders = hidden.flatMap((way) => ("folder" in way && way.folder !== undefined ? [way.folder] : []));
  const pins = [threads, ...hidden].flatMap((way) => ("pins" in way ? way.pins : []));
  const mounts = [
    ...[readOnly("/"), { at: "/dev", args: ["--dev", "/dev"] }, { at: "/proc", args: ["--proc", "/proc"] }],
    ...PRIVATE.map(empty),
    ...[...SHOWN_OF_PRIVATE, ...(around.shown ?? []), namesOfHosts()].filter(isPrivate).map(shown),
    ...[root, ...new Set(pins)].map((path) => ({ at: path, args: ["--bind", path, path] })),
    readOnly(join(root, ".ai", "threads")),
    ...folders.map(empty),
    ...nameOf(root, around.projectRoot),
  ];
  // Stable: what lies deeper comes later, or it would be covered again.
  const inOrder = mounts.toSorted((one, other) => depth(one.at) - depth(other.at));
  const closed = folders.flatMap((folder) => (isWithin(folder, root) ? [] : ["--remount-ro", folder]));
  return { args: [...inOrder.flatMap(({ args }) => args), ...closed] };
}

type Way =
  | { readonly folder: string | undefined; readonly pins: readonly string[] }
  | { readonly complaint: string };

/** W3, W4. Outside of the project nothing can be made: a folder that is not there needs no guard. */
function guarded(root: string, folder: string): Way {
  const way = realWay(root, folder);
  if ("complaint" in way) return way;
  if (!isWithin(root, way.path)) return { folder: way.isThere ? way.path : undefined, pins: [] };
  if (way.path === root) return { complaint: `the project is ${folder} itself` };
  mkdirSync(way.path, { recursive: true, mode: 0o700 });
  const pins: string[] = [];
  for (let above = dirname(way.path); above !== root; above = dirname(above)) pins.push(above);
  return { folder: way.path, pins };
}

/** Where a path really leads, step by step. */
function realWay(
  root: string,
  path: string,
): { readonly path: string; readonly isThere: boolean } | { readonly complaint: string } {
  let at = "/";
  let isThere = true;
  for (const name of path.split(sep).filter((part) => part !== "")) {
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found && !found.isDirectory() && isWithin(root, next))
      return {
        complaint: `${relative(root, next)} is not a folder of the project's own, but a link or a file`,
      };
    isThere = found !== undefined;
    at = found?.isSymbolicLink() ? realpathSync(next) : next;
  }
  return { path: at, isThere };
}

/** Paths may be told to a process by the name under which we know the project: a link, which may lie in /tmp. */
function nameOf(root: string, name: string): Mount[] {
  const isMissing = name !== root && isPrivate(name) && !isWithin(root, name);
  return isMissing ? [{ at: name, args: ["--symlink", root, name] }] : [];
}

function readOnly(path: string): Mount {
  return { at: path, args: ["--ro-bind", path, path] };
}

function shown(path: string): Mount {
  return { at: path, args: ["--ro-bind-try", path, path] };
}

function empty(path: string): Mount {
  return { at: path, args: ["--tmpfs", path] };
}

/** With a network, names are looked up as this says; it often lies in /run. */
function namesOfHosts(): string {
  try {
    return realpathSync("/etc/resolv.conf");
  } catch {
    return "/etc/resolv.conf"; // there is none
  }
}

function isPrivate(path: string): boolean {
  return PRIVATE.some((folder) => isWithin(folder, path));
}

function depth(path: string): number {
  return path.split(sep).filter((part) => part !== "").length;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
