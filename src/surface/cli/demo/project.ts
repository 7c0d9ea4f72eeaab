/** The project of the demo: one directive, and a script whose third answer is cut off by the kill. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const DIRECTIVE = "bake";
export const EFFECTS = "effects.log";
/** The command that runs when the kill comes: its effect is done, its result never is. */
export const CUT_OFF = "heat the oven";

const FILES: Readonly<Record<string, string>> = {
  ".ai/directives/bake.md": `---
description: Bakes a loaf
model: { id: scripted/bake }
permissions: [execute.tool.write, execute.tool.bash]
---
Bake one loaf. Never do a step twice.
`,
  ".ai/scripts/bake.yaml": `- says: I write the recipe down and order flour.
  calls:
    - { tool: write, input: { path: recipe.md, content: "flour, water, salt, time\\n" } }
    - { tool: bash, input: { command: "${effect("order flour")}; echo ordered" } }
- says: Now the dough.
  calls:
    - { tool: bash, input: { command: "${effect("mix the dough")}; date +%s%N" } }
- says: Oven on, timer after it.
  calls:
    - { tool: bash, input: { command: "${effect(CUT_OFF)}; sleep 30" } }
    - { tool: bash, input: { command: "${effect("set the timer")}; echo ticking" } }
    - { tool: write, input: { path: notes.md, content: "oven: see ${EFFECTS}\\n" } }
- says: I do not know whether the oven came on, so I look instead of doing it again.
  calls:
    - { tool: bash, input: { command: "grep -c '${CUT_OFF}' ${EFFECTS}" } }
- says: It is on. Into the oven.
  calls:
    - { tool: bash, input: { command: "${effect("bake the loaf")}; echo golden" } }
- says: One loaf, every step done once.
`,
};

function effect(label: string): string {
  return `echo '${label}' >> ${EFFECTS}`;
}

export function writeDemoProject(root: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
