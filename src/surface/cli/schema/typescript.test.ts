import { expect, test } from "vitest";
import { jsonSchemaOf, KINDS } from "./kinds.ts";
import { typescriptOf } from "./typescript.ts";

test("types of objects, lists, choices and what may be missing", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { const: "a.b" },
      n: { anyOf: [{ type: "number" }, { type: "null" }] },
      list: { type: "array", items: { enum: ["x", "y"] } },
      map: { type: "object", additionalProperties: { type: "boolean" } },
      "odd-name": {},
    },
    required: ["kind", "n"],
  };
  expect(typescriptOf(new Map([["a.b", schema]]))).toContain(
    'export type AB = { readonly kind: "a.b"; readonly n: number | null; readonly list?: readonly ("x" | "y")[]; readonly map?: { readonly [key: string]: boolean }; readonly "odd-name"?: unknown };',
  );
});

test("every kind has a schema and a type", () => {
  for (const kind of KINDS) expect(jsonSchemaOf(kind), kind).toMatchObject({ $schema: expect.any(String) });
  const types = typescriptOf(new Map(KINDS.map((kind) => [kind, jsonSchemaOf(kind)])));
  expect(types).toContain("export type ThreadResult = {");
  expect(types).not.toContain("undefined");
});
