/** Folders of this user outside any project, by the XDG rules. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** State that must not be lost but is not worth a backup: the trust record. */
export function stateHome(environment: Environment = process.env): string {
  return join(base(environment, "XDG_STATE_HOME", ".local/state"), "selvage");
}

/** Settings of this user. */
export function configHome(environment: Environment = process.env): string {
  return join(base(environment, "XDG_CONFIG_HOME", ".config"), "selvage");
}

/** A relative path is to be ignored, says the XDG specification. */
function base(environment: Environment, variable: string, fallback: string): string {
  const named = environment[variable];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = environment.HOME;
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), fallback);
}
