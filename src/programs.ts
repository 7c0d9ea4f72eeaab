/**
 * What `selvage` and `selvage/testing` are loaded with: the same files, and what earlier starts have compiled of them
 * (`machine/compiled.ts`). One for both, so that what one makes the other knows.
 *   P1. To import us leaves nothing on the disk. Whoever opens a project does, once per process, when the start is long
 *       over or at the end.
 *   P2. Where our files are not beside this one (somebody bundled us), or where this is another realm than that of
 *       scripts (a runner of tests), they are loaded as Node loads any other.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { stateHome } from "./config/user-folders.ts";
import { Compiled } from "./machine/compiled.ts";
import { VERSION } from "./version.ts";

/** What a start needed is there by then, and V8 has not forgotten it yet. */
const KEPT_AFTER_MS = 10_000;

const compiled = new Compiled({
  files: import.meta.dirname,
  kept: join(stateHome(), "compiled"),
  version: VERSION,
});

/** What a file of ours exports; `plainly` loads it as Node does. */
export function loaded(name: string, plainly: () => unknown): unknown {
  return isAsUsual(name) ? compiled.load(name) : plainly();
}

function isAsUsual(name: string): boolean {
  return (
    existsSync(join(import.meta.dirname, name)) && new Script("globalThis").runInThisContext() === globalThis
  );
}

let isPlanned = false;

/** For whoever has opened a project. */
export function keepSoon(): void {
  if (isPlanned) return;
  isPlanned = true;
  const soon = setTimeout(keep, KEPT_AFTER_MS).unref();
  process.once("exit", keep);
  function keep(): void {
    clearTimeout(soon);
    process.off("exit", keep);
    compiled.keep("program");
  }
}
