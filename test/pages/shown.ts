/** What a page of docs/ shows: its commands with what they print. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function pageText(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
}

export function shownSteps(page: string): { command: string; shown: string }[] {
  return [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
    .map((step) => {
      const [command = "", ...lines] = step.trimEnd().split("\n");
      return { command, shown: lines.join("\n") };
    });
}

/** `…` stands for whatever changes from run to run. */
export function pattern(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}\\n?$`);
}
