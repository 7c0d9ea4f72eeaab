// Looks at projects, one command after the other in one process, as the built command line would. Before each look it
// sends itself the signal 0, which a tracer sees and nobody feels: so each call in the trace belongs to a look.
// Its input: {cli, looks: [{root, args}]}; its last line of output: the exit codes and times.
import { readFileSync, writeFileSync } from "node:fs";

const { cli, looks, report } = JSON.parse(readFileSync(0, "utf8"));
// The command line leaves a moment after its last word.
process.exit = () => {};
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
const done = [];
for (const [at, { root, args }] of looks.entries()) {
  process.chdir(root);
  process.argv = [process.argv[0], cli, ...args];
  process.kill(process.pid, 0);
  const startedAt = performance.now();
  await import(`${cli}?look=${at}`);
  done.push({ exit: process.exitCode, ms: performance.now() - startedAt });
  writeFileSync(report, JSON.stringify(done));
}
process.kill(process.pid, 0);
process.exitCode = 0;
process.reallyExit(0);
