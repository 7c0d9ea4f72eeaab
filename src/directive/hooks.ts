/** The hooks of a directive, with their places: read from its file when a thread of it starts or goes on (J7). */
import { loadConditions } from "../core/condition.ts";
import type { Hook } from "../core/hook.ts";
import { hooksOfDirective } from "../core/hook-of-directive.ts";
import { complaintText } from "../yaml/complaint.ts";
import { type GoodDirective, parseDirective } from "./parse.ts";
import { invalid, readDirectiveText } from "./read.ts";

/** Throws a Problem when there is no such directive, or it does not validate. */
export async function readDirectiveHooks(projectRoot: string, name: string): Promise<readonly Hook[]> {
  const { good, file } = readGood(projectRoot, name);
  if (good.directive.hooks.length > 0) await loadConditions();
  const made = hooksOfDirective(good.directive, file, (path) => good.placeOf(path, "value"));
  if ("complaints" in made) throw invalid(name, complaintText(made.complaints));
  return made.hooks;
}

function readGood(projectRoot: string, name: string): { good: GoodDirective; file: string } {
  const read = readDirectiveText(projectRoot, name);
  if ("refused" in read) throw invalid(name, `${read.file}: ${read.refused}`);
  const parsed = parseDirective(name, read.file, read.text);
  if ("complaints" in parsed) throw invalid(name, complaintText(parsed.complaints));
  return { good: parsed, file: read.file };
}
