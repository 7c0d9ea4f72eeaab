/** The managed processes of a tree: each started once, the same one through every death, and gone with its chain. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../src/core/event.ts";
import type { CallId } from "../../src/core/id.ts";
import { handleOf, isStart, PROCESS_TOOL, runningProcesses } from "../../src/core/managed.ts";
import type { ThreadRow } from "../../src/core/row.ts";
import { isTerminal } from "../../src/core/status.ts";
import { foldThread } from "../../src/core/thread.ts";
import { realMachine, sha256 } from "../../src/machine/index.ts";

interface Kin {
  readonly row: ThreadRow;
  readonly events: readonly Event[];
}

export async function keptProcesses(root: string, kin: readonly Kin[]): Promise<string[]> {
  const broken = kin.flatMap((each) => [...inJournal(each), ...alive(each)]);
  return [...broken, ...starts(root, kin), ...(await strays(root, kin))];
}

/** What it may have started: named by the intents of its calls, whether or not anything came of them. */
function handlesOf({ row, events }: Kin): string[] {
  const chain = { chainRootId: row.chain_root_id };
  return events.flatMap((event) =>
    event.type === "tool_call_start" && isStart(event)
      ? [handleOf(chain, event.call_id as CallId, sha256)]
      : [],
  );
}

/** Every process says whose it is when it starts: its mark ends with its handle. */
function starts(root: string, kin: readonly Kin[]): string[] {
  const lines = readFileSync(join(root, "served.log"), { encoding: "utf8", flag: "a+" })
    .split("\n")
    .filter(Boolean)
    .map((mark) => mark.slice(mark.indexOf(".") + 1));
  const intended = new Set(kin.flatMap(handlesOf));
  const ready = kin.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "process_started" && event.ready ? [event.handle_id] : [])),
  );
  return [
    ...lines.filter((line, at) => lines.indexOf(line) !== at).map((handle) => `started twice: ${handle}`),
    ...lines.filter((line) => !intended.has(line)).map((handle) => `started without intent: ${handle}`),
    ...ready.filter((handle) => !lines.includes(handle)).map((handle) => `ready, never started: ${handle}`),
  ];
}

/** One identity from its start to its end, which is written once, and before that of its thread. */
function inJournal({ row, events }: Kin): string[] {
  const { thread_id: id } = row;
  const { processes } = foldThread(id, events);
  const broken: string[] = [];
  for (const { handle, identity, pid } of Object.values(processes)) {
    const about = events.filter((event) => "handle_id" in event && event.handle_id === handle);
    if (about.some((event) => event.type === "process_started" && event.identity !== identity))
      broken.push(`${handle} of ${id} was two processes`);
    const ends = about.filter(({ type }) => type === "process_stopped").length;
    if (ends > 1 || (isTerminal(row.status) && ends === 0))
      broken.push(`${id} is ${row.status}, and the end of ${handle} was told ${ends} times`);
    const used = events.flatMap((event) =>
      event.type === "tool_call_result" && event.tool === PROCESS_TOOL && event.output.includes('"uptime"')
        ? [JSON.parse(event.output)]
        : [],
    );
    for (const seen of used)
      if (!seen.running || seen.pid !== pid)
        broken.push(`${handle} of ${id} was not there when it was used: ${JSON.stringify(seen)}`);
  }
  return broken;
}

/** A thread that stands still keeps what it has. */
function alive({ row, events }: Kin): string[] {
  if (isTerminal(row.status)) return [];
  const { ownerState } = realMachine();
  return runningProcesses(foldThread(row.thread_id, events))
    .filter(({ identity }) => ownerState(identity) !== "alive")
    .map(({ handle }) => `${handle} of ${row.thread_id} is gone, though its thread is ${row.status}`);
}

/**
 * Processes at work in the project, told of it, or writing to it; those of threads that have not ended may stay. Guards
 * and keepers take a moment to see that all is over.
 */
async function strays(root: string, kin: readonly Kin[]): Promise<string[]> {
  const kept = kin.filter(({ row }) => !isTerminal(row.status)).flatMap(handlesOf);
  for (let looks = 0; ; looks += 1) {
    const found = seen(root).filter(({ mark }) => !kept.some((handle) => mark.endsWith(`.${handle}`)));
    if (found.length === 0 || looks === 40) return found.map(({ command }) => `still there: ${command}`);
    await sleep(50);
  }
}

export function processesOf(root: string): string[] {
  return seen(root).map(({ command }) => command);
}

function seen(root: string): { command: string; mark: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const isThere =
        readlinkSync(`/proc/${pid}/cwd`).startsWith(root) ||
        command.includes(root) ||
        (command.includes("process-keeper") && writesTo(pid, root));
      return isThere ? [{ command, mark: markOf(pid) }] : [];
    } catch {
      return []; // gone by now
    }
  });
}

function writesTo(pid: string, root: string): boolean {
  const files = readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`));
  return files.some((file) => file.startsWith(root));
}

function markOf(pid: string): string {
  const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  return /(?:^|\0)SELVAGE_(?:PROCESS|KEEPER)=([^\0]+)/.exec(environment)?.[1] ?? "";
}
