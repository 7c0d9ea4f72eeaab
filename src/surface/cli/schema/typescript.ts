/** TypeScript types from JSON Schema, as far as our own schemas go. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Schema = { readonly [key: string]: Json };

/** One type for each kind, and their union. */
export function typescriptOf(schemas: ReadonlyMap<string, unknown>): string {
  const parts = [...schemas].map(([kind, schema]) => {
    const shared = sharedIn(schema as Schema);
    const name = typeName(kind);
    const more = Object.entries(shared).map(
      ([key, each]) => `export type ${name}_${key} = ${typeOf(each, name)};\n`,
    );
    return `${more.join("")}export type ${name} = ${typeOf(schema as Schema, name)};\n`;
  });
  const names = [...schemas.keys()].map(typeName);
  const head =
    "// What `selvage … --json` and `--jsonl` print. Fields may be added; unknown kinds are to be ignored.\n";
  return `${head}\n${parts.join("\n")}\nexport type SelvageRecord = ${names.join(" | ")};\n`;
}

function typeName(kind: string): string {
  return kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function sharedIn(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema["$defs"] ?? {}) as Record<string, Schema>;
}

function typeOf(schema: Schema, owner: string): string {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return reference === "#" ? owner : `${owner}_${reference.slice(reference.lastIndexOf("/") + 1)}`;
  }
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const choices = (schema["enum"] ?? undefined) as readonly Json[] | undefined;
  if (choices) return choices.map((each) => JSON.stringify(each)).join(" | ");
  const several = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (several) return several.map((each) => typeOf(each, owner)).join(" | ");
  switch (schema["type"]) {
    case "object":
      return objectType(schema, owner);
    case "array":
      return schema["items"]
        ? `readonly (${typeOf(schema["items"] as Schema, owner)})[]`
        : "readonly unknown[]";
    case "number":
    case "integer":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema["type"];
    default:
      return "unknown";
  }
}

function objectType(schema: Schema, owner: string): string {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const fields = Object.entries(properties).map(
    ([name, each]) => `readonly ${fieldName(name)}${required.has(name) ? "" : "?"}: ${typeOf(each, owner)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const rest = schema["additionalProperties"];
  const value = typeof rest === "object" && rest !== null ? typeOf(rest as Schema, owner) : "unknown";
  return `{ readonly [key: string]: ${value} }`;
}

function fieldName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name);
}
