/**
 * What a program brings along: tools that are functions of its own, and models that follow its scripts. A thread that has
 * one is left to a process that has it too. Anywhere else its model would be told that there is no such tool, or it would
 * end for want of a script.
 */
import type { Model } from "./model.ts";
import type { ThreadRow } from "./row.ts";
import type { Tool } from "./tool.ts";

/** Of all that a program has, what this thread lives from. Models are told from tools by their names: `provider/model`. */
export function broughtFor(
  names: readonly string[],
  { tools, model }: { readonly tools: readonly string[]; readonly model: string },
): string[] {
  return names.filter((name) => tools.includes(name) || name === model);
}

/** The part of a world that is looked at. */
export interface Having {
  readonly tool: (name: string) => Tool | undefined;
  readonly model: (name: string) => Model | undefined;
}

/** What a thread would have to do without here. */
export function lackingOf({ brought }: Pick<ThreadRow, "brought">, having: Having): string[] {
  return brought.filter((name) => (name.includes("/") ? !isUsable(name, having) : !having.tool(name)));
}

export function isUsable(model: string, { model: find }: Pick<Having, "model">): boolean {
  const found = find(model);
  return found !== undefined && found.unusable === undefined;
}
