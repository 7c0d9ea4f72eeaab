/** Input checked by a JSON Schema: interpreted, never compiled to code, since schemas may come from strangers. */
import { type OutputUnit, type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { type InputSchema, type JsonSchema, joined } from "../core/input.ts";
import { type Others, PATTERN_FORMAT, withLinearPatterns } from "./schema-pattern.ts";

export function jsonSchemaInput<Value>(json: JsonSchema, others: Others = "run"): InputSchema<Value> {
  let validator: Validator | undefined;
  return {
    json,
    check: (input) => {
      validator ??= new Validator(withLinearPatterns(json, others) as Schema, draftOf(json), false);
      const { valid, errors } = validator.validate(input);
      return valid ? { value: input as Value } : { complaint: joined(complaints(errors)) };
    },
  };
}

const DRAFTS: readonly [RegExp, SchemaDraft][] = [
  [/draft-04/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

function draftOf(json: JsonSchema): SchemaDraft {
  const named = String(json.$schema ?? "");
  return DRAFTS.find(([pattern]) => pattern.test(named))?.[1] ?? "2020-12";
}

/** These only say that something inside them is wrong; the entry for the inside says what. */
const WRAPPERS = new Set([
  ...["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "$ref", "$dynamicRef", "allOf", "if"],
]);

function complaints(errors: readonly OutputUnit[]): string[] {
  const inner = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  return (inner.length > 0 ? inner : errors).map(complaintOf);
}

function complaintOf({ instanceLocation, keyword, error }: OutputUnit): string {
  const field = fieldOf(instanceLocation);
  const words =
    keyword === "false" ? "There is no such argument." : error.replace(PATTERN_FORMAT, "pattern ");
  return field ? `${field}: ${words}` : words;
}

/** `#/items/0/na~1me` -> `items[0].na/me` */
function fieldOf(location: string): string {
  return location
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index > 0 ? `.${part}` : part))
    .join("");
}
