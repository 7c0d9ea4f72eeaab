/** The command line as `cli.ts` loads it. What is not needed for every answer is loaded when it is asked for: a person waits for it. */
import { commandAsked } from "./surface/cli/asked.ts";
import { main } from "./surface/cli/main.ts";
import { listedCommands } from "./surface/cli/root-help.ts";
import { VERSION } from "./version.ts";

/** Never fails; the exit code. */
export function answer(argv: readonly string[]): Promise<number> {
  return main(argv, { version: VERSION, house: async () => (await import("./main.ts")).house });
}

/** Two that have the same name need much the same of us. */
export function nameOf(argv: readonly string[]): string {
  const word = commandAsked(argv);
  return listedCommands().find(({ name }) => name === word)?.name ?? "";
}
