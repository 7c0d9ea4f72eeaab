/** What this computer can tell about itself and its processes: /proc on Linux, `ps` and `sysctl` elsewhere. */
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { sha256 } from "./chance.ts";

/** `gone`: no such process. `hidden`: there is one, but we may not look at it (hidepid). */
export type Sighting = { readonly state: string; readonly start: string } | "gone" | "hidden";

export interface ProcessTable {
  readonly machine: string;
  /** Undefined when it cannot be known. */
  readonly boot: string | undefined;
  readonly pidNamespace: string;
  look(pid: number): Sighting;
}

export function realProcessTable(): ProcessTable {
  const isLinux = process.platform === "linux";
  return {
    machine: machineName(),
    boot: isLinux ? linuxBoot() : otherBoot(),
    pidNamespace: isLinux ? linuxPidNamespace() : "0",
    look: isLinux ? lookInProc : lookWithPs,
  };
}

/** The machine id is confidential (machine-id(5)): only a digest leaves this room. */
function machineName(): string {
  const id = readText("/etc/machine-id")?.trim();
  const isSet = id !== undefined && /^[0-9a-f]{32}$/.test(id);
  return sha256(isSet ? id : `host ${hostname()}`).slice(0, 12);
}

function linuxBoot(): string | undefined {
  return readText("/proc/sys/kernel/random/boot_id")?.trim().replaceAll("-", "") || undefined;
}

/** Where /proc belongs to another namespace its pids are not ours: then each process counts as a world of its own. */
function linuxPidNamespace(): string {
  const seesItself = readLink("/proc/self") === String(process.pid);
  const number = /\[(\d+)\]/.exec(readLink("/proc/self/ns/pid") ?? "")?.[1];
  return seesItself && number !== undefined ? number : `unseen${process.pid}`;
}

function lookInProc(pid: number): Sighting {
  const text = readText(`/proc/${pid}/stat`);
  return (text && parseStat(text)) || (exists(pid) ? "hidden" : "gone");
}

/** State is field 3, start time field 22. The name (field 2) may hold spaces and parentheses: count from its end. */
export function parseStat(text: string): { state: string; start: string } | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields[0], fields[19]];
  return state && start && /^\d+$/.test(start) ? { state, start } : undefined;
}

/** Zombies count as existing here; only the words of /proc tell them apart. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function otherBoot(): string | undefined {
  const text = output("sysctl", ["-n", "kern.bootsessionuuid"]) || output("sysctl", ["-n", "kern.boottime"]);
  return text ? sha256(text).slice(0, 32) : undefined;
}

function lookWithPs(pid: number): Sighting {
  const text = output("ps", ["-o", "lstart=", "-o", "state=", "-p", String(pid)]);
  return (text && parsePs(text)) || (exists(pid) ? "hidden" : "gone");
}

/** `Sat Nov 15 04:35:00 2025 Ss`: the date, then the state. */
export function parsePs(text: string): { state: string; start: string } | undefined {
  const match = /^\s*(\S.*\d{4})\s+([A-Za-z])\S*\s*$/.exec(text);
  return match?.[1] && match[2] ? { state: match[2], start: match[1].replace(/\W+/g, "-") } : undefined;
}

/** A fixed zone and language, or the same start would be spelled in two ways. */
function output(command: string, args: readonly string[]): string | undefined {
  try {
    const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
    return execFileSync(command, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined; // `ps` exits 1 for a pid that does not exist
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // a process may end between any two looks: missing is an answer
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
