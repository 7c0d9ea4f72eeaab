// Managed processes on this machine, in a project of their own, and a way to see what is left of them.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import type { ProcessAsk } from "../../src/core/processes.ts";
import { realMachine, sha256 } from "../../src/machine/index.ts";
import { MachineProcesses, type ProcessesOptions } from "../../src/tool/process/processes.ts";
import { NO_SANDBOX } from "../../src/tool/sandbox.ts";
import { project, watchProcesses } from "./project.ts";

const KEEPER_ENTRY = fileURLToPath(new URL("../../dist/process-keeper.js", import.meta.url));
export const CHAIN = "story-1767225600-000000";
const NEVER = new AbortController().signal;

export const handle = (digit: string | number) => `proc_${String(digit).repeat(16).slice(0, 16)}`;

export function managed(over: Partial<ProcessesOptions> = {}) {
  const root = over.root ?? project({ "sub/a.txt": "" });
  const left = watchProcesses();
  mkdirSync(join(root, ".ai", "threads"), { recursive: true });
  const processes = new MachineProcesses({
    ...{ root, threadsFolder: join(root, ".ai", "threads"), sandbox: NO_SANDBOX, sha256 },
    ...{ keeperEntry: KEEPER_ENTRY, storeId: () => "store", ownerState: realMachine().ownerState },
    ...{ graceMs: 400, maxLogBytes: 20_000 },
    ...over,
  });
  const ask = (line: string, more: Partial<ProcessAsk> = {}): ProcessAsk => ({
    ...{ handle: handle(1), chainRootId: CHAIN, threadId: CHAIN, callKey: "call_1" as CallId },
    ...{ command: "bash", args: ["-c", line], env: {}, network: false },
    ...more,
  });
  const start = async (line: string, more: Partial<ProcessAsk> = {}) => {
    const whole = ask(line, more);
    const begun = await processes.start(whole);
    if ("refused" in begun) throw new Error(begun.refused);
    return {
      ...begun,
      ref: { handle: whole.handle, chainRootId: whole.chainRootId, identity: begun.identity },
    };
  };
  onTestFinished(async () => {
    await processes.endAll({ chainRootId: CHAIN, threadId: CHAIN }, []);
  });
  return { root, processes, ask, start, left, ready: readiness(processes) };
}

function readiness(processes: MachineProcesses) {
  return (
    ref: Parameters<MachineProcesses["look"]>[0],
    want: { pattern?: string; port?: number; timeoutMs?: number },
  ) => processes.becomesReady(ref, { timeoutMs: 10_000, ...want }, NEVER);
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

export function logOf(root: string, name: string): string {
  return readFileSync(join(root, ".ai", "threads", CHAIN, "processes", name), "utf8");
}
