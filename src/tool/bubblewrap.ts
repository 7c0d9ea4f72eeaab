/** bubblewrap: where it is, whether it works here, and how it is told to build its namespaces. */
import { spawn, spawnSync } from "node:child_process";
import { oneLine } from "../core/text.ts";
import { whereIs } from "./find-command.ts";

/** Never from PATH: folders of the project may be in there, and what they hold would run outside of the sandbox. */
const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"];

/**
 * Own processes, shared memory and host name. It sets no_new_privs by itself. The first process inside stays in our
 * group and with it everybody inside is ended, by us or by the guard (guard.ts), which they cannot reach. So neither
 * `--new-session`: it would leave the group, and a session of our own without a terminal we have already. Nor
 * `--die-with-parent`: all would be killed in the moment in which the command ends, and what it still has to say through
 * another (`exec > >(tee log)`) would be lost, as would the grace of its children.
 */
const NAMESPACES = ["--unshare-pid", "--unshare-ipc", "--unshare-uts"];

/** What makes root the owner of everybody's files, and nothing that reaches the kernel, mounts or devices. */
const CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"];

/**
 * Root without a user namespace of its own, in which the files of others would not be its own: in a container the
 * project often belongs to somebody else. Where root may not mount, the second may work. Others get a user namespace
 * from bubblewrap without asking.
 */
const AS_ROOT = [
  ["--cap-drop", "ALL", ...CAPABILITIES.flatMap((name) => ["--cap-add", `CAP_${name}`])],
  ["--unshare-user", "--cap-drop", "ALL"],
];

const PROBE_MS = 10_000;

interface Bubblewrap {
  readonly program: string;
  /** Stand before those that say what is seen of the file system. */
  readonly args: readonly string[];
  /** Stands before the command: it leaves our group, so that what it sends to its own does not reach the walls. */
  readonly starter: string;
}

type Found = Bubblewrap | { readonly why: string };

const found = new Map<string, Found>();
const sought = new Map<string, Promise<void>>();

/** Starts it, once in the life of a process. */
export function findBubblewrap(network: boolean, folders: readonly string[] = FOLDERS): Found {
  const key = keyOf(network, folders);
  const known = found.get(key) ?? look(network, folders);
  found.set(key, known);
  return known;
}

/** The same beside other work, so that whoever asks afterwards need not wait. */
export function seekBubblewrap(network: boolean, folders: readonly string[] = FOLDERS): Promise<void> {
  const key = keyOf(network, folders);
  const seeking = sought.get(key) ?? (found.has(key) ? Promise.resolve() : seek(key, network, folders));
  sought.set(key, seeking);
  return seeking;
}

async function seek(key: string, network: boolean, folders: readonly string[]): Promise<void> {
  const ways = waysOf(network, folders);
  if ("why" in ways) return void found.set(key, ways);
  const problems: string[] = [];
  for (const way of ways) {
    const problem = await trial(way);
    if (problem === undefined) return void found.set(key, way);
    problems.push(problem);
  }
  found.set(key, unusable(ways, problems));
}

function keyOf(network: boolean, folders: readonly string[]): string {
  return JSON.stringify([network, folders]);
}

const INSTALL = "install bubblewrap (apt-get install bubblewrap; dnf install bubblewrap)";
const USER_NAMESPACES =
  "it may be that this system or container does not let its users make namespaces (on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns)";

function look(network: boolean, folders: readonly string[]): Found {
  const ways = waysOf(network, folders);
  if ("why" in ways) return ways;
  const problems: string[] = [];
  for (const way of ways) {
    const { status, stderr, error } = spawnSync(way.program, trialArgs(way), { ...TRIAL, encoding: "utf8" });
    if (status === 0) return way;
    problems.push(problemText(error?.message, stderr, status));
  }
  return unusable(ways, problems);
}

/** In the order in which they are tried. */
function waysOf(network: boolean, folders: readonly string[]): readonly Bubblewrap[] | { why: string } {
  if (process.platform !== "linux") return { why: `there is none for ${process.platform} yet` };
  const program = whereIs("bwrap", folders);
  if (program === undefined) return { why: `bwrap is missing: ${INSTALL}` };
  const starter = whereIs("setsid", folders);
  if (starter === undefined) return { why: "setsid is missing: install util-linux" };
  const net = network ? [] : ["--unshare-net"];
  const ways = process.getuid?.() === 0 ? AS_ROOT : [[]];
  return ways.map((way) => ({ program, args: [...way, ...NAMESPACES, ...net], starter }));
}

function unusable([first]: readonly Bubblewrap[], [problem]: readonly string[]): Found {
  return { why: `${first?.program} does not work here (${problem}): ${USER_NAMESPACES}` };
}

const TRIAL = {
  ...{ cwd: "/", env: {}, timeout: PROBE_MS },
  stdio: ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"],
};

/** Everything that needs a right is tried: namespaces, and each kind of mount. */
function trialArgs({ args, starter }: Bubblewrap): string[] {
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
  return [...args, ...mounts, "--chdir", "/", "--", starter, "/bin/sh", "-c", "exit 0"];
}

function trial(way: Bubblewrap): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(way.program, trialArgs(way), TRIAL);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.once("error", (error) => resolve(problemText(error.message, "", null)));
    child.once("close", (status) =>
      resolve(status === 0 ? undefined : problemText(undefined, stderr, status)),
    );
  });
}

function problemText(failed: string | undefined, stderr: string, status: number | null): string {
  return oneLine(failed ?? (stderr.trim() || `exit code ${status}`), 200);
}
