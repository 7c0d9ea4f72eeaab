/** Everything about a directive's file at once: for looking at it, and for lint. */
import { loadConditions } from "../core/condition.ts";
import type { Directive } from "../core/directive.ts";
import type { DirectiveInspection } from "../core/inspection.ts";
import { asProblem, lintDirective, type Surroundings } from "./lint.ts";
import { type GoodDirective, parseDirective } from "./parse.ts";
import { readDirectiveText } from "./read.ts";

const PARTS = [
  "description",
  "version",
  "model",
  "limits",
  "inputs",
  "outputs",
  "permissions",
  "delegates",
  "hooks",
  "on_exit",
];

/** Throws only when there is no such directive: what is wrong with one is part of the answer. */
export async function inspectDirective(
  projectRoot: string,
  name: string,
  around: Surroundings,
): Promise<DirectiveInspection> {
  const read = readDirectiveText(projectRoot, name);
  const path = read.file;
  if ("refused" in read) {
    const whole = { file: path, line: 1, column: 1, message: read.refused };
    return { name, path, read: null, problems: [asProblem(whole)] };
  }
  const parsed = parseDirective(name, path, read.text);
  if ("complaints" in parsed) return { name, path, read: null, problems: parsed.complaints.map(asProblem) };
  const { form } = parsed;
  const directive = withModel(parsed.directive, around);
  if (directive.hooks.length > 0) await loadConditions();
  const problems = lintDirective({ ...parsed, directive }, path, around);
  return { name, path, read: { directive, form, places: placesOf(parsed) }, problems };
}

/** A tier without a model is told by lint. */
function withModel(directive: Directive, { modelOfTier }: Surroundings): Directive {
  const model = directive.tier === undefined ? undefined : modelOfTier?.(directive.tier);
  return typeof model === "string" ? { ...directive, model } : directive;
}

function placesOf({ placeOf, hasPart, bodyAt }: GoodDirective) {
  const written = PARTS.filter(hasPart).map((part) => [part, placeOf([part], "key")] as const);
  return Object.fromEntries([...written, ["body", bodyAt] as const]);
}
