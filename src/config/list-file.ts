/** A file of the configuration that is one list under one heading, read and checked. */
import { join } from "node:path";
import type * as z from "zod/mini";
import type { Complaint } from "../core/directive.ts";
import { checkYaml } from "../yaml/check.ts";
import { readText } from "../yaml/file.ts";
import { parseYaml, type Yaml } from "../yaml/parse.ts";
import { InvalidConfig } from "./invalid.ts";
import type { ConfigLayer } from "./layers.ts";
import { isMapping } from "./mapping.ts";

interface ListFile<S extends z.ZodMiniType> {
  readonly name: string;
  /** The heading of its list. */
  readonly list: string;
  /** What people are told that it holds. */
  readonly holds: string;
  readonly schema: S;
}

/** Undefined: there is no such file. Throws when it does not validate. */
export function readListFile<S extends z.ZodMiniType>(
  { folder, shown }: ConfigLayer,
  { name, list, holds, schema }: ListFile<S>,
): { readonly file: string; readonly yaml: Yaml; readonly value: z.infer<S> } | undefined {
  const path = join(folder, name);
  const file = shown(path);
  const invalid = (complaints: readonly Complaint[]) => new InvalidConfig(holds, { file, complaints });
  const read = readText(path);
  if ("missing" in read) return undefined;
  if ("refused" in read) throw invalid([{ file, line: 1, column: 1, message: read.refused }]);
  const yaml = parseYaml({ file, text: read.text });
  if ("complaints" in yaml) throw invalid(yaml.complaints);
  const checked = checkYaml(yaml, schema, said(yaml.value, list));
  if ("complaints" in checked) throw invalid(checked.complaints);
  return { file, yaml, value: checked.value };
}

/** A file of comments, and a heading with nothing after it, say nothing. */
function said(value: unknown, list: string): unknown {
  if (value === null) return {};
  return isMapping(value) && value[list] === null ? { ...value, [list]: [] } : value;
}
