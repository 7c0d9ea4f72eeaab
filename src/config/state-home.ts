/** Folders of this user outside any project, by the XDG rules. */
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Problem } from "../core/problem.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** State that must not be lost but is not worth a backup: the trust record. */
export function stateHome(environment: Environment = process.env): string {
  return join(base(environment, "XDG_STATE_HOME", ".local/state"), "selvage");
}

/** Settings of this user. */
export function configHome(environment: Environment = process.env): string {
  return join(base(environment, "XDG_CONFIG_HOME", ".config"), "selvage");
}

/** Nobody else may read or write there: who can write the trust record decides what is run. */
export function makeStateHome(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (cause) {
    throw new Problem("E_DISK", {
      what: `The folder ${folder} cannot be made private.`,
      why: String(cause),
      cause,
    });
  }
}

/** A relative path is to be ignored, says the XDG specification. */
function base(environment: Environment, variable: string, fallback: string): string {
  const named = environment[variable];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = environment.HOME;
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), fallback);
}
