/** The YAML head of a directive: where it stands in the file, and what may be in it. The XML form is laid on it too. */
import * as z from "zod/mini";
import { mappingText } from "../core/condition-mapping.ts";
import { HOOK_EVENTS } from "../core/hook.ts";
import { idProblem } from "../core/id.ts";
import { isAboutTools, parseRight } from "../core/right.ts";

/** What the placeholders `{input:NAME}` of core can name. */
const INPUT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MONEY = /^(\d+(\.\d+)?|shared)$/;
const MONEY_WORDS = 'expected an amount of money, such as "3.00", or shared';
const WHEN_WORDS =
  'expected a condition, such as "cost.spend > 2.0", or a mapping with path, op and value, or with any, all or not';

const text = z.string();
const filled = text.check(z.minLength(1));
const count = z.int().check(z.nonnegative());
const amount = z.number().check(z.nonnegative());
const scalar = z.union([text, z.number(), z.boolean()], "expected text, a number, true or false");

const right = text.check(
  z.refine((given) => "right" in parseRight(given), {
    error: ({ input }) => {
      const parsed = parseRight(String(input));
      return "why" in parsed ? `"${String(input).slice(0, 60)}" is no right: ${parsed.why}` : "no right";
    },
  }),
);

/** A person can be asked about a call that is shown to him, and about nothing else (L7). */
const permission = z.union(
  [
    right,
    z.object({
      ask: right.check(
        z.refine(
          (given) => isAboutTools(given),
          "a person can only be asked about calls of tools: execute.tool.NAME",
        ),
      ),
    }),
  ],
  "expected a right, such as execute.tool.read, or { ask: execute.tool.bash }",
);

const directiveName = text.check(
  z.refine((given) => idProblem(given) === undefined, {
    error: ({ input }) => `no name of a directive: ${idProblem(String(input))}`,
  }),
);

const hook = z
  .object({
    id: z.optional(filled),
    event: z.enum(HOOK_EVENTS),
    when: z.optional(
      z.union(
        [
          filled,
          z.record(text, z.unknown()).check(z.refine((given) => "text" in mappingText(given), WHEN_WORDS)),
        ],
        WHEN_WORDS,
      ),
    ),
    inputs: z._default(z.record(text, scalar), {}),
    directive: z.optional(directiveName),
    command: z.optional(filled),
  })
  .check(
    z.refine(
      ({ directive, command }) => (directive === undefined) !== (command === undefined),
      "a hook needs a directive or a command, and not both",
    ),
  );

export const FrontMatter = z.object({
  description: z._default(text, ""),
  version: z.optional(z.union([text, z.number()], "expected a version, such as 1.0.0")),
  model: z.union(
    [filled, z.object({ id: z.optional(filled), tier: z.optional(filled) })],
    "expected a model id, such as { id: scripted/hello }",
  ),
  limits: z._default(
    z.object({
      turns: z.optional(count),
      tokens: z.optional(count),
      spend: z.optional(z.union([text.check(z.regex(MONEY, MONEY_WORDS)), amount], MONEY_WORDS)),
      spawns: z.optional(count),
      depth: z.optional(count),
      duration: z.optional(amount),
      retry_max: z.optional(count),
      backoff_base: z.optional(amount),
    }),
    {},
  ),
  inputs: z._default(
    z.record(
      text.check(z.regex(INPUT_NAME, "an input's name has letters, digits and _, and starts with no digit")),
      z.object({
        type: z._default(z.enum(["string", "number", "boolean"]), "string"),
        required: z._default(z.boolean(), false),
        description: z.optional(text),
      }),
    ),
    {},
  ),
  outputs: z._default(
    z.record(
      text.check(z.regex(INPUT_NAME, "an output's name has letters, digits and _, and starts with no digit")),
      z.object({
        type: z._default(z.enum(["string", "number", "boolean", "object", "array"]), "string"),
        description: z.optional(text),
      }),
    ),
    {},
  ),
  // What many would write first.
  tools: z.optional(
    z.custom<never>(() => false, "tools are granted as rights: permissions: [execute.tool.NAME]"),
  ),
  permissions: z._default(z.array(permission), []),
  delegates: z._default(z.array(right), []),
  hooks: z._default(z.array(hook), []),
  on_exit: z.optional(z.enum(["wait", "cancel"])),
});

export type FrontMatter = z.infer<typeof FrontMatter>;

export type Split =
  | { readonly head: string; readonly body: string; readonly bodyStart: number }
  | { readonly unclosed: true };

const FENCE = /^\uFEFF?---[ \t]*\r?$/;

/** Head and body. A file that does not start with a fence has no head. */
export function splitFrontMatter(file: string): Split {
  const lines = file.split("\n");
  if (!FENCE.test(lines[0] ?? "")) return { head: "", body: file, bodyStart: 0 };
  const close = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (close < 0) return { unclosed: true };
  const head = lines
    .slice(1, close)
    .map((line) => `${line}\n`)
    .join("");
  const body = lines.slice(close + 1).join("\n");
  return { head, body, bodyStart: file.length - body.length };
}
