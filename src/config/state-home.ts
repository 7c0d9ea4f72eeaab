/** The folder of this user that nobody else may look into. */
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { diskWhy } from "../core/disk-error.ts";
import { Problem } from "../core/problem.ts";

/** Nobody else may read or write there: who can write the trust record decides what is run. */
export function makeStateHome(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (cause) {
    throw new Problem("E_DISK", {
      what: `The folder ${folder} cannot be made private.`,
      why: diskWhy(cause),
      cause,
    });
  }
}
