// Asks the built command line many things, one after the other in one process, and keeps what it said to each.
// Its input: {cli, report, asks: [{root, args}]}.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cli, asks, report } = JSON.parse(readFileSync(0, "utf8"));
// The command line leaves a moment after its last word.
process.exit = () => {};
process.setMaxListeners(0);
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
const { answer } = createRequire(cli)("./command-line.js");
const done = [];
for (const { root, args } of asks) {
  process.chdir(root);
  process.argv = [process.argv[0], cli, ...args];
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    process[name].write = (text, ...rest) => {
      said[name] += text;
      rest.findLast((each) => typeof each === "function")?.();
      return true;
    };
  }
  const code = await answer(args);
  done.push({ args, root, code, ...said });
}
writeFileSync(report, JSON.stringify(done));
process.reallyExit(0);
