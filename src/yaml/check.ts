/** A schema laid over YAML: what does not fit is named with its place, and with the word that was probably meant. */
import * as z from "zod/mini";
import { closest } from "../core/closest.ts";
import type { Complaint } from "../core/directive.ts";
import { oneLine } from "../core/text.ts";
import type { Path, Yaml } from "./parse.ts";
import { sentence } from "./sentence.ts";

export type Checked<T> = { readonly value: T } | { readonly complaints: readonly Complaint[] };

/** Nobody reads more, and finding the place of each takes time. */
const MOST = 100;

/** `value`, if given, is looked at in place of what the text says; places are still those of the text. */
export function checkYaml<S extends z.ZodMiniType>(
  yaml: Yaml,
  schema: S,
  value = yaml.value,
): Checked<z.infer<S>> {
  const strange = strangers(schema, value, [])
    .slice(0, MOST)
    .map(({ path, known }) => ({
      file: yaml.file,
      ...yaml.placeOf(path, "key"),
      ...unknownKey(String(path.at(-1)), known),
    }));
  const parsed = z.safeParse(schema, value);
  const wrong = (parsed.error?.issues ?? []).slice(0, MOST).map((issue) => ({
    file: yaml.file,
    ...yaml.placeOf(issue.path, issue.code === "invalid_key" ? "key" : "value"),
    message: sentence(issue, value),
  }));
  const complaints = [...strange, ...wrong].sort((a, b) => a.line - b.line || a.column - b.column);
  return parsed.success && complaints.length === 0 ? { value: parsed.data } : { complaints };
}

interface Stranger {
  readonly path: Path;
  readonly known: readonly string[];
}

/** The parts of a schema's definition that say where other schemas stand inside it. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly element?: z.ZodMiniType;
  readonly valueType?: z.ZodMiniType;
  readonly innerType?: z.ZodMiniType;
  readonly options?: readonly z.ZodMiniType[];
}

/** Keys no schema knows. Our own walk, so that a schema need not be strict where data is read back. */
function strangers(schema: z.ZodMiniType, value: unknown, path: Path): Stranger[] {
  const { shape, element, valueType, innerType, options } = schema.def as Definition;
  if (innerType) return strangers(innerType, value, path);
  if (typeof value !== "object" || value === null) return [];
  if (options) return fewest(options.filter(takesKeys).map((option) => strangers(option, value, path)));
  if (Array.isArray(value)) {
    return element ? value.flatMap((item, index) => strangers(element, item, [...path, index])) : [];
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = shape && Object.hasOwn(shape, key) ? shape[key] : valueType;
    if (inner) return strangers(inner, item, [...path, key]);
    return shape ? [{ path: [...path, key], known: Object.keys(shape) }] : [];
  });
}

/** Of a choice, the option that was probably meant; an option without keys of its own would know them all. */
function fewest(perOption: readonly Stranger[][]): Stranger[] {
  return perOption.reduce((best, next) => (next.length < best.length ? next : best), perOption[0] ?? []);
}

function takesKeys(schema: z.ZodMiniType): boolean {
  const { shape, element, valueType, innerType, options } = schema.def as Definition;
  if (innerType) return takesKeys(innerType);
  return shape !== undefined || element !== undefined || valueType !== undefined || options !== undefined;
}

function unknownKey(key: string, known: readonly string[]): { message: string; fix: string } {
  const [meant] = closest(key.slice(0, 100), known);
  const hint = meant ? `did you mean "${meant}"?` : `known here: ${known.join(", ")}`;
  return {
    message: `unknown key ${JSON.stringify(oneLine(key, 40))}; ${hint}`,
    fix: meant ? `write ${meant}` : "remove it",
  };
}
