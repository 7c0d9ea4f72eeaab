/** Who descends from a process, as /proc tells it; nobody where it tells nothing. */
import { readdirSync, readFileSync } from "node:fs";

/** Without the process itself. Who lost its parent is a child of whoever took it in. */
export function descendantsOf(ancestor: number): number[] {
  const children = childrenByParent();
  const found: number[] = [];
  for (let next = [ancestor]; next.length > 0; found.push(...next)) {
    next = next.flatMap((pid) => children.get(pid) ?? []);
  }
  return found;
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const pid of processNumbers()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return []; // not mounted
  }
}

/** In /proc/PID/stat the parent is the 2nd field after the name, which may itself hold `) `. */
function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // ended while we looked
  }
}
