/** The keeper of one managed process: told what to keep on its standard input, it answers with one line. */
import { closeSync, readFileSync, writeSync } from "node:fs";
import { processIdentity } from "./machine/index.ts";
import { type KeeperAnswer, keep } from "./tool/process/keeper.ts";

// Whoever ends the process tells the process; its keeper stays to see how it ends.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGPIPE"] as const)
  process.on(signal, () => {});

let isAnswered = false;

/** Nobody may be there any more to hear it. From here on nothing connects us. */
function answer(said: KeeperAnswer): void {
  if (isAnswered) return;
  isAnswered = true;
  try {
    writeSync(1, `${JSON.stringify(said)}\n`);
  } catch {
    // see above
  }
  closeSync(0);
  closeSync(1);
}

// Both ends of it say so themselves.
process.exitCode = 13;
void keepOne();

async function keepOne(): Promise<void> {
  try {
    const order = JSON.parse(readFileSync(0, "utf8"));
    await keep(order, processIdentity, answer);
    process.exit(0);
  } catch (cause) {
    answer({ refused: (cause as Error).message });
    process.exit(1);
  }
}
