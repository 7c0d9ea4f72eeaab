/** `processes/<handle>.json`: what the journal knows of a thread's processes. Views; nobody is signalled on their word (I1). */
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Managed } from "../core/managed.ts";
import type { Thread } from "../core/thread.ts";

const FOLDER = "processes";
const HANDLE = /^proc_[0-9a-f]{16}$/;

/** Tells the names that it wrote. */
export function remakeProcessFiles(
  folder: string,
  { processes }: Thread,
  put: (name: string, text: string) => void,
): string[] {
  const known = Object.values(processes).filter(({ handle }) => HANDLE.test(handle));
  if (known.length === 0) return [];
  const place = join(folder, FOLDER);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  if (!lstatSync(place).isDirectory()) throw new Error(`${place} is a link`);
  return known.map((each) => {
    const name = join(FOLDER, `${each.handle}.json`);
    put(name, `${JSON.stringify(viewOf(each), null, 2)}\n`);
    return name;
  });
}

function viewOf({ handle, pid, identity, command, args, cwd, ready, startedAt, ended }: Managed) {
  return {
    handle_id: handle,
    pid,
    pgid: pid,
    identity,
    command,
    args,
    cwd,
    ready,
    started_at: startedAt,
    status: ended?.why ?? "running",
    exit_code: ended?.exitCode ?? null,
    stopped_at: ended?.at ?? null,
  };
}
