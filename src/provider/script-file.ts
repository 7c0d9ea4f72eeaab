/** Scripts of scripted models, `.ai/scripts/NAME.yaml`. */
import { join } from "node:path";
import * as z from "zod/mini";
import { closest } from "../core/closest.ts";
import type { Complaint } from "../core/directive.ts";
import { idProblem } from "../core/id.ts";
import { Problem } from "../core/problem.ts";
import type { ScriptStep } from "../core/script.ts";
import { oneLine } from "../core/text.ts";
import { checkYaml } from "../yaml/check.ts";
import { complaintText } from "../yaml/complaint.ts";
import { namesOn, readFrom, type Shelf } from "../yaml/file.ts";
import { parseYaml } from "../yaml/parse.ts";

const FOLDER = ".ai/scripts";
const EXTENSION = ".yaml";
const KINDS = ["says", "calls", "fails", "streams", "hangs"] as const;

const tokens = z._default(z.int().check(z.nonnegative()), 0);
const wait = z.number().check(z.nonnegative());

const Step = z
  .object({
    says: z.optional(z.string()),
    streams: z.optional(z.object({ chunks: z.array(z.string()), every_ms: z.optional(wait) })),
    calls: z.optional(z.array(z.object({ tool: z.string(), input: z._default(z.unknown(), {}) }))),
    fails: z.optional(
      z.object({
        status: z.optional(z.int().check(z.minimum(400), z.maximum(599))),
        type: z.optional(z.string()),
        message: z.optional(z.string()),
        retry_after_ms: z.optional(wait),
      }),
    ),
    hangs: z.optional(z.union([wait, z.literal(true)], "expected seconds, or true for ever")),
    usage: z.optional(z.object({ input: tokens, cache_read: tokens, cache_write: tokens, output: tokens })),
  })
  .check(
    z.refine(
      (step) => KINDS.some((kind) => step[kind] !== undefined),
      `a step has one of ${KINDS.join(", ")}`,
    ),
  );

const Steps = z.array(Step).check(z.minLength(1));

export type ParsedScript =
  | { readonly steps: readonly ScriptStep[] }
  | { readonly complaints: readonly Complaint[] };

/** A list of steps, or a mapping that has it under `steps`. */
export function parseScript(file: string, text: string): ParsedScript {
  const yaml = parseYaml({ file, text });
  if ("complaints" in yaml) return yaml;
  if (Array.isArray(yaml.value)) {
    const checked = checkYaml(yaml, Steps);
    return "complaints" in checked ? checked : { steps: checked.value };
  }
  const checked = checkYaml(yaml, z.object({ steps: Steps }), yaml.value ?? {});
  return "complaints" in checked ? checked : { steps: checked.value.steps };
}

export function readScript(projectRoot: string, name: string): readonly ScriptStep[] {
  const why = idProblem(name);
  if (why) throw unknownScript(`scripted/${oneLine(name, 60)}`, `That is no name of a script: ${why}.`);
  const file = `${FOLDER}/${name}${EXTENSION}`;
  const read = readFrom(shelf(projectRoot), name);
  if ("missing" in read)
    throw unknownScript(`scripted/${name}`, `${file} does not exist.${near(projectRoot, name)}`);
  if ("refused" in read) throw invalid(name, `${file}: ${read.refused}`);
  const parsed = parseScript(file, read.text);
  if ("complaints" in parsed) throw invalid(name, complaintText(parsed.complaints));
  return parsed.steps;
}

function shelf(projectRoot: string): Shelf {
  return { folder: join(projectRoot, FOLDER), extension: EXTENSION };
}

function near(projectRoot: string, name: string): string {
  const names = closest(name, namesOn(shelf(projectRoot)));
  return names.length > 0 ? ` Close to it: ${names.map((other) => `scripted/${other}`).join(", ")}.` : "";
}

function unknownScript(model: string, why: string): Problem {
  return new Problem("E_MODEL_UNKNOWN", { what: `There is no model ${model}.`, why });
}

function invalid(name: string, why: string): Problem {
  return new Problem("E_SCRIPT_INVALID", { what: `The script of scripted/${name} does not validate.`, why });
}
