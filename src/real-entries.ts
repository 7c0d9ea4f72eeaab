/** Programs of ours that run as processes of their own. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Beside us when we are built; from the sources, what was built last. */
export function entryNamed(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../dist/${name}`, import.meta.url));
}
