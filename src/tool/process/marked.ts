/**
 * Who belongs to a process that was started with a mark in its environment, as /proc tells it (I1, I3).
 *   K1. A mark says whose it is: of this store, in this place, of this chain, of this handle. Nobody else has it, unless
 *       it was started by somebody who has.
 *   K2. To those that bear it belong all they started, and the groups and sessions that they lead: what took its mark
 *       off is found as long as one of these holds.
 *       A group or a session of theirs stays theirs when who led it is gone: its number is nobody else's as long as
 *       somebody is in it. Without that, one started between a look and a signal would be lost with its parent.
 *   K3. Zombies belong to nobody. We ourselves are never among them.
 */
import { readdirSync, readFileSync } from "node:fs";

export const MEMBER = "SELVAGE_PROCESS";
export const KEEPER = "SELVAGE_KEEPER";

export interface Belonging {
  readonly members: readonly number[];
  /** Those that keep their output; they end by themselves when nobody is left. */
  readonly keepers: readonly number[];
  /** The groups and sessions that are theirs (K2), for the next look. */
  readonly groups: readonly number[];
}

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly environment: string;
}

/**
 * `leader`: the first of them, if it is known to be alive and the one that was started. `groups`: those that were
 * theirs a moment ago.
 */
export function belongingTo(
  mark: string,
  leader: number | undefined,
  groups: readonly number[] = [],
): Belonging {
  const table = entries();
  const keepers = table.filter(({ environment }) => bears(environment, KEEPER, mark)).map(({ pid }) => pid);
  const found = new Set(
    table
      .filter(({ pid, environment }) => pid === leader || bears(environment, MEMBER, mark))
      .map(({ pid }) => pid),
  );
  const isGroup = (id: number) => found.has(id) || groups.includes(id);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent, group, session } of table) {
      const isTheirs = found.has(parent) || isGroup(group) || isGroup(session) || keepers.includes(parent);
      if (isTheirs && !keepers.includes(pid)) found.add(pid);
    }
  }
  found.delete(process.pid);
  const joined = table.filter(({ pid }) => found.has(pid)).flatMap(({ group, session }) => [group, session]);
  return { members: [...found], keepers, groups: [...new Set(joined)].filter(isGroup) };
}

/** Handles of the processes of a chain that anything is left of. */
export function handlesMarked(prefix: string): string[] {
  const handles = entries().flatMap(({ environment }) =>
    [MEMBER, KEEPER].flatMap((name) => {
      const value = markIn(environment, name);
      return value?.startsWith(prefix) ? [value.slice(prefix.length)] : [];
    }),
  );
  return [...new Set(handles)];
}

/** What everything that is started for a thread is told, and a keeper as well. */
export const THREAD = "SELVAGE_THREAD";

/** Marks that are borne on this machine, by the thread that each says it is for: of any store, and believed by nobody yet. */
export function marksByThread(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const pid of processIds().filter((id) => id > 1)) {
    // What they are told is enough here, and this is looked at in every start.
    const environment = `\0${environmentOf(pid)}`;
    const thread = markIn(environment, THREAD);
    const mark = markIn(environment, KEEPER) ?? markIn(environment, MEMBER);
    if (thread !== undefined && mark !== undefined) found.set(thread, [...(found.get(thread) ?? []), mark]);
  }
  return found;
}

/** Whether a process is what was started: it bears the mark, or its keeper does (its own may not be readable). */
export function bearsMark(pid: number, mark: string): boolean {
  if (process.platform !== "linux") return true; // there is nothing to read: its identity must do
  const entry = entryOf(pid);
  if (!entry) return false;
  return (
    bears(entry.environment, MEMBER, mark) || bears(entryOf(entry.parent)?.environment ?? "", KEEPER, mark)
  );
}

function bears(environment: string, name: string, mark: string): boolean {
  return environment.includes(`\0${name}=${mark}\0`);
}

function markIn(environment: string, name: string): string | undefined {
  const at = environment.indexOf(`\0${name}=`);
  if (at < 0) return undefined;
  const from = at + name.length + 2;
  return environment.slice(from, environment.indexOf("\0", from));
}

function entries(): Entry[] {
  return processIds().flatMap((pid) => entryOf(pid) ?? []);
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return []; // not mounted
  }
}

/** In /proc/PID/stat come state, parent, group and session after the name, which may itself hold `) `. */
function entryOf(pid: number): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (!(pid > 1) || "ZXx".includes(state)) return undefined; // K3
    const environment = `\0${environmentOf(pid)}`;
    return { pid, parent: Number(parent), group: Number(group), session: Number(session), environment };
  } catch {
    return undefined; // ended while we looked
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // somebody else's
  }
}
