/** The sandbox of a project on this machine, and the word about it. */
import { dirname, sep } from "node:path";
import { configHome, stateHome } from "./config/user-folders.ts";
import { Problem } from "./core/problem.ts";
import type { Settings } from "./core/settings.ts";
import type { Notice } from "./core/world.ts";
import { doorFolder } from "./surface/host/address.ts";
import { openSandbox, type Sandbox, sandboxText } from "./tool/sandbox.ts";

interface SandboxNeeds {
  readonly root: string;
  readonly settings: Settings;
  /** The program of the tool host. */
  readonly hostEntry: string;
  readonly notify: (notice: Notice) => void;
}

interface RealSandbox extends Sandbox {
  /** For whoever is about to run commands: says what is in force, once; throws when one is required and missing. */
  announce(): Promise<void>;
}

export function realSandbox({ root, settings, hostEntry, notify }: SandboxNeeds): RealSandbox {
  const sandbox = openSandbox({
    mode: settings.sandbox,
    projectRoot: root,
    hidden: [stateHome(), configHome(), doorFolder(root)],
    shown: [packagesOf(hostEntry), process.execPath],
  });
  let isSaid = false;
  return {
    ...sandbox,
    announce: async () => {
      await sandbox.seek();
      const state = sandbox.state();
      if (state.type === "refused") throw missing(state.why);
      if (isSaid) return;
      isSaid = true;
      const missed = state.type === "none" && state.why !== undefined;
      const inForce = state.type === "bubblewrap" ? "on" : "off";
      notify({ type: "sandbox", state: missed ? "missing" : inForce, message: sandboxText(state) });
    },
  };
}

function missing(why: string): Problem {
  return new Problem("E_SANDBOX", {
    what: "The settings require a sandbox, and there is none.",
    why: `${why}.`,
    next: [{ cmd: "selvage config show --origin", why: "who requires it" }],
  });
}

/** The folder that holds a program and the packages it imports, also when these lie beside its own. */
function packagesOf(entry: string): string {
  const [above, ...rest] = entry.split(`${sep}node_modules${sep}`);
  return rest.length > 0 && above !== undefined ? `${above}${sep}node_modules` : dirname(dirname(entry));
}
