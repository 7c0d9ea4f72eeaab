#!/usr/bin/env node
/** The command `selvage`. What is not needed for every answer is loaded when it is asked for: a person waits for it. */
import module from "node:module";
import { main } from "./surface/cli/main.ts";
import { VERSION } from "./version.ts";

await keepCompiled(module as KeepsCompiled);
process.exitCode = await main(process.argv.slice(2), {
  version: VERSION,
  house: async () => (await import("./main.ts")).house,
});

interface KeepsCompiled {
  enableCompileCache?: (folder: string) => unknown;
}

/**
 * From Node 22 on, the next start need not compile what this one did. What is kept there is run, so it is kept where
 * nobody else can write; whoever has no such folder yet gets none for it.
 */
async function keepCompiled({ enableCompileCache }: KeepsCompiled): Promise<void> {
  if (!enableCompileCache) return;
  const [{ existsSync }, { stateHome }] = await Promise.all([
    import("node:fs"),
    import("./config/state-home.ts"),
  ]);
  if (existsSync(stateHome())) enableCompileCache(`${stateHome()}/compiled`);
}
