/**
 * hooks.yaml: the machine's, its user's and a project's. All of them run, the nearest to the work first; nobody can
 * switch off a hook of another layer, for hooks only narrow. Without a root: no project, or one that is not
 * trusted, whose hooks are not read (F7).
 */
import * as z from "zod/mini";
import { compileCondition, loadConditions } from "../core/condition.ts";
import type { Complaint } from "../core/directive.ts";
import { HOOK_EVENTS, type Hook } from "../core/hook.ts";
import { CHILD_HOOK_TIMEOUT_SECONDS } from "../core/hook-child.ts";
import { inputFault } from "../core/hook-inputs.ts";
import { HOOK_TIMEOUT_SECONDS } from "../core/hook-of-directive.ts";
import { idProblem } from "../core/id.ts";
import type { Path, Yaml } from "../yaml/parse.ts";
import { InvalidConfig } from "./invalid.ts";
import { type ConfigLayer, type ConfigPlaces, configLayers } from "./layers.ts";
import { readListFile } from "./list-file.ts";

const FILE = "hooks.yaml";
/** A thread waits for its hooks. */
const LONGEST_SECONDS = 600;

const filled = z.string().check(z.minLength(1));
const scalar = z.union([z.string(), z.number(), z.boolean()], "expected text, a number, true or false");
const Entry = z.object({
  id: filled.check(z.maxLength(100)),
  event: z.enum(HOOK_EVENTS),
  when: z.optional(
    z.union([filled, z.record(z.string(), z.unknown())], 'expected a condition, such as "cost.spend > 2.0"'),
  ),
  command: z.optional(filled),
  directive: z.optional(filled),
  inputs: z._default(z.record(z.string(), scalar), {}),
  timeout_seconds: z.optional(z.number().check(z.positive(), z.maximum(LONGEST_SECONDS))),
});
type Entry = z.infer<typeof Entry>;

const HooksFile = z.object({ hooks: z._default(z.array(Entry), []) });

interface ReadLayer {
  readonly layer: ConfigLayer["layer"];
  readonly file: string;
  readonly yaml: Yaml;
  readonly entries: readonly Entry[];
}

export async function readHooks(
  root: string | undefined,
  places: ConfigPlaces = {},
): Promise<readonly Hook[]> {
  const layers = configLayers(root, places).flatMap((layer) => readLayer(layer, FILE) ?? []);
  const hasConditions = layers.some(({ entries }) => entries.some(({ when }) => when !== undefined));
  if (hasConditions) await loadConditions();
  return layers.flatMap(hooksOf);
}

/** Those of one file, of any name. */
export async function hooksIn(layer: ConfigLayer, name: string): Promise<readonly Hook[]> {
  await loadConditions();
  const read = readLayer(layer, name);
  return read ? hooksOf(read) : [];
}

/** Undefined: there is no such file. */
function readLayer(layer: ConfigLayer, name: string): ReadLayer | undefined {
  const read = readListFile(layer, { name, list: "hooks", holds: "hooks", schema: HooksFile });
  return read && { layer: layer.layer, file: read.file, yaml: read.yaml, entries: read.value.hooks };
}

function hooksOf({ layer, file, yaml, entries }: ReadLayer): Hook[] {
  const made = entries.map((entry, index) => {
    const complain = (path: Path, message: string, fix?: string): Complaint => ({
      file,
      ...yaml.placeOf(["hooks", index, ...path], "value"),
      message: `hooks[${index}]${path.length > 0 ? `.${String(path[0])}` : ""}: ${message}`,
      ...(fix === undefined ? {} : { fix }),
    });
    const isSecond = entries.findIndex(({ id }) => id === entry.id) < index;
    const repeated = isSecond ? [complain(["id"], `the id "${entry.id}" stands twice`)] : [];
    const { line } = yaml.placeOf(["hooks", index], "value");
    const read = toHook(entry, { layer, where: `${file}:${line}` }, complain);
    return { hook: read.hook, complaints: [...repeated, ...read.complaints] };
  });
  const complaints = made.flatMap((entry) => entry.complaints);
  if (complaints.length > 0) throw invalid(file, complaints);
  return made.flatMap(({ hook }) => (hook ? [hook] : []));
}

type Complain = (path: Path, message: string, fix?: string) => Complaint;

function toHook(
  { id, event, when, inputs, command, directive, timeout_seconds }: Entry,
  place: Pick<Hook, "layer" | "where">,
  complain: Complain,
): { hook?: Hook; complaints: Complaint[] } {
  const run = runOf(command, directive);
  const complaints = "message" in run ? [complain(run.at, run.message)] : [];
  const condition = when === undefined ? undefined : compileCondition(when, event);
  if (condition && "fault" in condition) {
    const { path, message, fix } = condition.fault;
    complaints.push(complain(["when", ...path], message, fix));
  }
  const input = inputFault(inputs, event);
  if (input) complaints.push(complain(["inputs", input.name], input.message, input.fix));
  if (complaints.length > 0 || "message" in run) return { complaints };
  const made = {
    id,
    event,
    ...place,
    inputs,
    ...(condition && "test" in condition ? { when: condition } : {}),
  };
  const hook: Hook =
    "command" in run
      ? { ...made, run, timeoutSeconds: timeout_seconds ?? HOOK_TIMEOUT_SECONDS }
      : { ...made, run, timeoutSeconds: timeout_seconds ?? CHILD_HOOK_TIMEOUT_SECONDS };
  return { complaints, hook };
}

type Run = { readonly command: string } | { readonly directive: string };

/** One thing to run, or what is wrong with what is named. Whether the directive is there is known when it is started. */
function runOf(
  command: string | undefined,
  directive: string | undefined,
): Run | { readonly at: Path; readonly message: string } {
  if ((command === undefined) === (directive === undefined))
    return { at: [], message: "a hook needs a command or a directive, and not both" };
  if (command !== undefined) return { command };
  const wrong = directive === undefined ? undefined : idProblem(directive);
  if (wrong !== undefined) return { at: ["directive"], message: `no name of a directive: ${wrong}` };
  return { directive: directive ?? "" };
}

function invalid(file: string, complaints: readonly Complaint[]): InvalidConfig {
  return new InvalidConfig("hooks", { file, complaints });
}
