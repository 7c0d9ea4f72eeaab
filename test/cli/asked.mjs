// Asks the built command line many things, one after the other in one process, and keeps what it said to each.
// Its input: {cli, report, asks: [{root, args}]}.
import { readFileSync, writeFileSync } from "node:fs";

const { cli, asks, report } = JSON.parse(readFileSync(0, "utf8"));
// The command line leaves a moment after its last word.
process.exit = () => {};
process.setMaxListeners(0);
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
const done = [];
for (const [at, { root, args }] of asks.entries()) {
  process.chdir(root);
  process.argv = [process.argv[0], cli, ...args];
  process.exitCode = undefined;
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    process[name].write = (text, ...rest) => {
      said[name] += text;
      rest.findLast((each) => typeof each === "function")?.();
      return true;
    };
  }
  await import(`${cli}?ask=${at}`);
  done.push({ args, root, code: process.exitCode, ...said });
}
writeFileSync(report, JSON.stringify(done));
process.reallyExit(0);
