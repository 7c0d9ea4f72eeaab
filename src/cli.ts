#!/usr/bin/env node
/** The command `selvage`: loads the command line with what earlier starts have compiled of it, and lets it answer. */
import { join } from "node:path";
import type * as CommandLine from "./command-line.ts";
import { stateHome } from "./config/user-folders.ts";
import { Compiled } from "./machine/compiled.ts";
import { growSlowly } from "./machine/heap.ts";
import { VERSION } from "./version.ts";

const compiled = new Compiled({
  files: import.meta.dirname,
  kept: join(stateHome(), "compiled"),
  version: VERSION,
});
const { answer, nameOf } = compiled.load("command-line.js") as typeof CommandLine;
const argv = process.argv.slice(2);
// What runs for long is kept before V8 forgets again what a start needed.
const soon = setTimeout(keep, 10_000).unref();
let isKept = false;
setTimeout(growSlowly, 1_000).unref();
// Until there is an answer: a process that runs out of things to do before that has not done what it was asked.
process.exitCode = 13;
answer(argv).then(
  (exit) => {
    process.exitCode = exit;
    keep();
  },
  (error) => {
    process.exitCode = 1;
    console.error(error);
  },
);

function keep(): void {
  if (isKept) return;
  isKept = true;
  clearTimeout(soon);
  compiled.keep(nameOf(argv));
}
