/** Managed processes of a project on this machine. */
import type { Machine } from "./core/world.ts";
import { sha256 } from "./machine/index.ts";
import { entryNamed } from "./real-entries.ts";
import { threadsFolder } from "./real-store.ts";
import { MachineProcesses } from "./tool/process/processes.ts";
import type { Sandbox } from "./tool/sandbox.ts";

interface ProcessNeeds {
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly store: { readonly storeId: string };
  readonly machine: Machine;
}

/** Between TERM and KILL; and how long each of the two files may be that hold what a process says. */
const LIMITS = { graceMs: 5_000, maxLogBytes: 5_000_000 };

export function realProcesses({ root, sandbox, store, machine }: ProcessNeeds): MachineProcesses {
  return new MachineProcesses({
    ...{ root, threadsFolder: threadsFolder(root), sandbox, ...LIMITS },
    keeperEntry: entryNamed("process-keeper.js"),
    storeId: () => store.storeId,
    ownerState: machine.ownerState,
    sha256,
  });
}
