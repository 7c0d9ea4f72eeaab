/** bubblewrap: where it is, whether it works here, and how it is told to build its namespaces. */
import { spawnSync } from "node:child_process";
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

/** Starts it, once in the life of a process. */
export function findBubblewrap(network: boolean, folders: readonly string[] = FOLDERS): Found {
  const key = JSON.stringify([network, folders]);
  const known = found.get(key) ?? look(network, folders);
  found.set(key, known);
  return known;
}

const INSTALL = "install bubblewrap (apt-get install bubblewrap; dnf install bubblewrap)";
const USER_NAMESPACES =
  "it may be that this system or container does not let its users make namespaces (on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns)";

function look(network: boolean, folders: readonly string[]): Found {
  if (process.platform !== "linux") return { why: `there is none for ${process.platform} yet` };
  const program = whereIs("bwrap", folders);
  if (program === undefined) return { why: `bwrap is missing: ${INSTALL}` };
  const starter = whereIs("setsid", folders);
  if (starter === undefined) return { why: "setsid is missing: install util-linux" };
  const net = network ? [] : ["--unshare-net"];
  const ways = process.getuid?.() === 0 ? AS_ROOT : [[]];
  const tried = ways.map((way) => {
    const args = [...way, ...NAMESPACES, ...net];
    return { args, problem: problemWith({ program, args, starter }) };
  });
  const working = tried.find(({ problem }) => problem === undefined);
  if (working) return { program, args: working.args, starter };
  return { why: `${program} does not work here (${tried[0]?.problem}): ${USER_NAMESPACES}` };
}

/** Everything that needs a right is tried: namespaces, and each kind of mount. */
function problemWith({ program, args, starter }: Bubblewrap): string | undefined {
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
  const { status, stderr, error } = spawnSync(
    program,
    [...args, ...mounts, "--chdir", "/", "--", starter, "/bin/sh", "-c", "exit 0"],
    { cwd: "/", env: {}, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"], timeout: PROBE_MS },
  );
  if (status === 0) return undefined;
  return oneLine(error?.message ?? (stderr.trim() || `exit code ${status}`), 200);
}
