// Whatever a model may hand to a tool: it is an outcome or a complaint, never a throw.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { wellFormed } from "../../src/core/text.ts";
import { defineTool } from "../../src/tool/define.ts";
import { NO_SANDBOX } from "../../src/tool/sandbox.ts";
import { builtinTools } from "../../src/tool/toolbox.ts";
import { context, load, project, settings } from "./project.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "/",
    "a",
    "src",
    "src/",
    "a\0",
    "~",
    "*",
    "**",
    "[",
    "{",
    "(",
    "\\",
    "\ud800",
    ".ai/threads",
  ),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, undefined, true),
  fc.jsonValue(),
);
const names = [
  "path",
  "content",
  "old_text",
  "new_text",
  "pattern",
  "glob",
  "offset",
  "limit",
  "_key",
  "__proto__",
  "constructor",
];
const input = fc.oneof(
  fc.anything(),
  fc.dictionary(fc.constantFrom(...names), value),
  fc.record(
    { path: text, pattern: text, content: text, old_text: text, new_text: text },
    { requiredKeys: [] },
  ),
);

test.each(["read", "write", "edit", "grep", "find", "ls"])("%s answers anything", async (name) => {
  const root = project({ "in/a": "text\nmore", "in/src/b.ts": "x", "in/.ai/threads/registry.db": "x" });
  const tool = builtinTools({ projectRoot: join(root, "in"), settings: settings(), sandbox: NO_SANDBOX }).get(
    name,
  );
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      expect(["string", "undefined"]).toContain(typeof tool?.complaint?.(given));
      expect(Array.isArray(tool?.lanes?.(given) ?? [])).toBe(true);
      const outcome = await tool?.run(given, context());
      expect(["ok", "error"]).toContain(outcome?.status);
      expect(outcome?.output).toBe(wellFormed(outcome?.output ?? ""));
      const answer = await tool?.probe?.(given, context());
      expect(["done", "not_done", "cannot_tell", undefined]).toContain(answer?.type);
    }),
    { numRuns: 300 },
  );
  expect(readdirSync(root)).toEqual(["in"]);
  expect(readdirSync(dirname(root)).filter((found) => found.startsWith(".selvage"))).toEqual([]);
});

test("bash and tools by JSON Schema check anything", () => {
  const bash = builtinTools({ projectRoot: project(), settings: settings(), sandbox: NO_SANDBOX }).get(
    "bash",
  );
  const schema = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(x+)+$" }, b: { $ref: "#/properties/a" } },
  };
  const own = defineTool({ name: "t", description: "d", input: schema, run: () => "" });
  fc.assert(
    fc.property(input, (given) => {
      for (const tool of [bash, own])
        expect(["string", "undefined"]).toContain(typeof tool?.complaint?.(given));
    }),
  );
});

test("module and command tools answer anything that JSON can say", async () => {
  const { run } = await load(
    project({
      ".ai/tools/m.js": `const { defineTool } = require("selvage"); module.exports = defineTool({ name: "m", description: "d", input: { type: "object" }, run: (input) => input });`,
      ".ai/tools/c.yaml": "description: d\ncommand: [cat]\n",
    }),
  );
  const objects = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(objects, async (given) => {
      const [module, command] = await Promise.all([run("m", given), run("c", given)]);
      const isReserved = Object.keys(given).some((name) => name.startsWith("_"));
      expect([module.status, command.status]).toEqual(isReserved ? ["error", "error"] : ["ok", "ok"]);
      if (!isReserved) expect(JSON.parse(command.output)).toEqual(JSON.parse(module.output));
    }),
    { numRuns: 60 },
  );
});
