// Looks at projects, one command after the other in one process, as the built command line would. Before each look it
// sends itself the signal 0, which a tracer sees and nobody feels: so each call in the trace belongs to a look.
// Its input: {cli, looks: [{root, args}]}; its last line of output: the exit codes and times.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cli, looks, report } = JSON.parse(readFileSync(0, "utf8"));
// The command line leaves a moment after its last word.
process.exit = () => {};
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
const done = [];
const { answer } = createRequire(cli)("./command-line.js");
for (const { root, args } of looks) {
  process.chdir(root);
  process.argv = [process.argv[0], cli, ...args];
  process.kill(process.pid, 0);
  const startedAt = performance.now();
  const exit = await answer(args);
  done.push({ exit, ms: performance.now() - startedAt });
  writeFileSync(report, JSON.stringify(done));
}
process.kill(process.pid, 0);
process.exitCode = 0;
process.reallyExit(0);
