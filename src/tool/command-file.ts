/** A command tool as a YAML file says it (D3). What does not fit is told with file, line and column. */
import * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { type Path, parseYaml, type Yaml } from "../yaml/parse.ts";
import { argumentsProblem } from "./schema-problem.ts";

const NOT_A_COMMAND = "expected a line of shell, or a list: the program and its arguments";
const command = () =>
  z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))], NOT_A_COMMAND);
const variable = z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of a variable"));

export const CommandFile = z.object({
  description: z.string().check(z.minLength(1)),
  command: command(),
  input: z.optional(z.record(z.string(), z.unknown())),
  effect: z.optional(z.enum(["pure", "keyed", "probe", "manual"])),
  /** What happened to a call that was cut off; needed for the effect `probe`. */
  probe: z.optional(command()),
  timeout_seconds: z.optional(z.number().check(z.positive())),
  lanes: z.optional(z.array(z.string().check(z.minLength(1)))),
  /** Names of variables that it may see, beside the usual ones. */
  env: z.optional(z.array(variable)),
});
export type CommandFile = z.infer<typeof CommandFile>;

export type CommandRead = { readonly value: CommandFile } | { readonly complaints: readonly Complaint[] };

/** `file`: how the path is called in complaints. */
export function readCommandFile(path: string, file: string): CommandRead {
  const read = readText(path);
  const refused = "refused" in read ? read.refused : "it is not there any more";
  if (!("text" in read)) return { complaints: [{ file, line: 1, column: 1, message: refused }] };
  const yaml = parseYaml({ file, text: read.text });
  if ("complaints" in yaml) return yaml;
  const checked = checkYaml(yaml, CommandFile);
  if ("complaints" in checked) return checked;
  const complaints = nonsense(yaml, checked.value);
  return complaints.length > 0 ? { complaints } : checked;
}

/** What a shape alone cannot say. */
function nonsense(yaml: Yaml, { effect, probe, input, command }: CommandFile): Complaint[] {
  const complain = (path: Path, part: "key" | "value", message: string): Complaint => ({
    file: yaml.file,
    ...yaml.placeOf(path, part),
    message,
  });
  const found: Complaint[] = [];
  if (effect === "probe" && probe === undefined)
    found.push(complain(["effect"], "value", 'the effect "probe" needs a command under "probe"'));
  if (effect !== "probe" && probe !== undefined)
    found.push(complain(["probe"], "key", 'a probe is only asked with "effect: probe"'));
  if (Array.isArray(command) && command[0] === "")
    found.push(complain(["command", 0], "value", "the program has no name"));
  const problem = input && argumentsProblem(input);
  if (problem) found.push(complain(["input", ...problem.path], "value", problem.message));
  return found;
}
