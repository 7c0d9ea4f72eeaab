/**
 * The sandbox (K6): what stands between the user's machine and the processes that a thread starts, that is `bash`,
 * command tools, tool hosts and hook commands. Tools in our own process are not in it; they keep to the project
 * themselves (project-path.ts).
 */
import { realpathSync } from "node:fs";
import { messageOf } from "../core/input.ts";
import { findBubblewrap, seekBubblewrap } from "./bubblewrap.ts";
import { type Surroundings, type Walls, wallsAround } from "./walls.ts";

export interface SandboxOptions extends Surroundings {
  readonly mode: "auto" | "required" | "off";
  /** Where bubblewrap is looked for. */
  readonly folders?: readonly string[];
}

/** What is in force. `none`: nobody wants one, or there cannot be one; `refused`: there must be one and cannot. */
export type SandboxState =
  | { readonly type: "bubblewrap" }
  | { readonly type: "none"; readonly why?: string }
  | { readonly type: "refused"; readonly why: string };

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

interface Job extends Command {
  readonly directory: string;
  /** Without the right to it there is none (K6). */
  readonly network?: boolean;
}

export type Enclosed =
  | (Command & { readonly type: "enclosed" })
  | { readonly type: "open" }
  | { readonly type: "refused"; readonly why: string };

export interface Sandbox {
  /** Found out when first asked for: it starts a process, and waits for it unless `seek` has. */
  state(): SandboxState;
  /** Finds it out beside other work. */
  seek(): Promise<void>;
  enclose(job: Job): Enclosed;
}

export const NO_SANDBOX: Sandbox = {
  state: () => ({ type: "none" }),
  seek: async () => {},
  enclose: () => ({ type: "open" }),
};

export function openSandbox(options: SandboxOptions): Sandbox {
  if (options.mode === "off") return NO_SANDBOX;
  let known: SandboxState | undefined;
  const state = () => {
    known ??= stateOf(options);
    return known;
  };
  return {
    state,
    seek: () => seekBubblewrap(false, options.folders),
    enclose: (job) => {
      const now = state();
      if (now.type === "none") return { type: "open" };
      return now.type === "refused" ? now : enclosed(job, options);
    },
  };
}

function stateOf(options: SandboxOptions): SandboxState {
  const { mode } = options;
  const inWords = (why: string): SandboxState => ({ type: mode === "required" ? "refused" : "none", why });
  const found = findBubblewrap(false, options.folders);
  if ("why" in found) return inWords(found.why);
  const walls = buildWalls(options);
  return "complaint" in walls ? inWords(walls.complaint) : { type: "bubblewrap" };
}

/** The walls anew for each: folders come and go. Once there are any, nothing is started without. */
function enclosed(job: Job, options: SandboxOptions): Enclosed {
  const found = findBubblewrap(job.network === true, options.folders);
  if ("why" in found) return { type: "refused", why: found.why };
  const walls = buildWalls(options);
  if ("complaint" in walls) return { type: "refused", why: walls.complaint };
  const { program, args, starter } = found;
  // TMPDIR would name a folder that is not there, or not to be written to.
  const place = ["--unsetenv", "TMPDIR", "--chdir", realOr(job.directory)];
  const inside = [starter, job.command, ...job.args];
  return { type: "enclosed", command: program, args: [...args, ...walls.args, ...place, "--", ...inside] };
}

/** A link to it may lie where it is not seen. Whoever starts it complains about a folder that is not there. */
function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** What the file system says no to (a folder that cannot be made or read) is a wall that cannot be built. */
function buildWalls(options: SandboxOptions): Walls {
  try {
    return wallsAround(options);
  } catch (cause) {
    return { complaint: messageOf(cause) };
  }
}

/** One line for people. */
export function sandboxText(state: SandboxState): string {
  switch (state.type) {
    case "bubblewrap":
      return "Sandbox: bubblewrap; commands write in the project only, and reach the network only with a right to it.";
    case "none":
      return `No sandbox${state.why === undefined ? "" : ` (${state.why})`}: commands run with all your rights.`;
    case "refused":
      return `No command is run: a sandbox is required and there is none (${state.why}).`;
  }
}
