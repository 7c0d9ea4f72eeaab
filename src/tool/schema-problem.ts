/** What is wrong with a JSON Schema that a person wrote, as far as it can be told before it is used. */
import { closest } from "../core/closest.ts";
import type { JsonSchema } from "../core/input.ts";
import type { Path } from "../yaml/parse.ts";
import { isLinear } from "./schema-pattern.ts";

export interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
}

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Of the arguments of a tool: an object, whose names are not those of the runtime. */
export function argumentsProblem(schema: JsonSchema): SchemaProblem | undefined {
  if (schema.type !== "object")
    return {
      path: schema.type === undefined ? [] : ["type"],
      message: 'expected the JSON Schema of an object: "type: object", and "properties" with the arguments',
    };
  const names = Object.keys((schema.properties as object | null | undefined) ?? {});
  const reserved = names.find((name) => name.startsWith("_"));
  if (reserved !== undefined)
    return { path: ["properties", reserved], message: "names beginning with _ are reserved for the runtime" };
  return nodeProblem(schema, [], schema);
}

function nodeProblem(node: unknown, path: Path, root: JsonSchema): SchemaProblem | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  if (Array.isArray(node))
    return firstOf(node.map((item, index) => nodeProblem(item, [...path, index], root)));
  const {
    properties,
    enum: _,
    const: __,
    default: ___,
    examples: ____,
    ...rest
  } = node as Record<string, unknown>;
  return (
    keywordProblem(node as Record<string, unknown>, path, root) ??
    propertiesProblem(properties, path, root) ??
    firstOf(Object.entries(rest).map(([key, item]) => nodeProblem(item, [...path, key], root)))
  );
}

/** Under `properties` the keys are names and the values schemas: most mistakes are made here. */
function propertiesProblem(properties: unknown, path: Path, root: JsonSchema): SchemaProblem | undefined {
  if (typeof properties !== "object" || properties === null) return undefined;
  const problems = Object.entries(properties).map(([name, schema]) => {
    const here = [...path, "properties", name];
    if (typeof schema === "boolean" || (typeof schema === "object" && schema !== null))
      return nodeProblem(schema, here, root);
    return { path: here, message: `expected a schema, such as { type: ${typeOf(schema)} }` };
  });
  return firstOf(problems);
}

function typeOf(said: unknown): string {
  return (typeof said === "string" && closest(said, TYPES)[0]) || "string";
}

function keywordProblem(
  node: Record<string, unknown>,
  path: Path,
  root: JsonSchema,
): SchemaProblem | undefined {
  const { type, pattern, patternProperties, $ref } = node;
  if (typeof type === "string" && !TYPES.includes(type))
    return { path: [...path, "type"], message: `no such type; did you mean "${typeOf(type)}"?` };
  if (typeof pattern === "string" && !isLinear(pattern))
    return {
      path: [...path, "pattern"],
      message: "not a pattern of RE2 (no look-around, no back-references)",
    };
  if (patternProperties !== undefined)
    return { path: [...path, "patternProperties"], message: "patternProperties is not supported" };
  if (typeof $ref === "string" && !isKnown($ref, root))
    return { path: [...path, "$ref"], message: `it names nothing in this schema, such as "#/$defs/name"` };
  return undefined;
}

function isKnown(reference: string, root: JsonSchema): boolean {
  if (!reference.startsWith("#")) return false;
  let node: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, step)) return false;
    node = (node as Record<string, unknown>)[step];
  }
  return true;
}

function firstOf(problems: readonly (SchemaProblem | undefined)[]): SchemaProblem | undefined {
  return problems.find((problem) => problem !== undefined);
}
