/**
 * What the command line compiles is kept in the state folder of its user. Tests have hundreds of such users: without
 * this each of them would compile everything anew, which is a third of a start.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PLACE = "SELVAGE_TEST_CODE";

/** Once for a run of the tests: whoever comes first compiles, and it goes away with the run. */
export default function keepCode(): (() => void) | undefined {
  if (process.env[PLACE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "selvage-code-"));
  process.env[PLACE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The user with this state folder has what others have compiled, and keeps for them what it compiles. */
export function shareCode(stateHome: string): void {
  const folder = process.env[PLACE];
  if (folder === undefined) return;
  const own = join(stateHome, "selvage");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  symlinkSync(folder, join(own, "compiled"));
}
