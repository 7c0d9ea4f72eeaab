/** The YAML head of a directive: where it stands in the file, and what may be in it. */
import * as z from "zod/mini";

/** What the placeholders `{input:NAME}` of core can name. */
const INPUT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MONEY = /^\d+(\.\d+)?$/;
const MONEY_WORDS = 'expected an amount of money, such as "3.00"';

const text = z.string();
const count = z.int().check(z.nonnegative());
const amount = z.number().check(z.nonnegative());
const names = z.array(text.check(z.minLength(1)));
const mapping = z.record(text, z.unknown());
const modelId = text.check(z.minLength(1));

export const FrontMatter = z.object({
  description: z._default(text, ""),
  version: z.optional(z.union([text, z.number()], "expected a version, such as 1.0.0")),
  model: z.union([modelId, z.object({ id: modelId })], "expected a model id, such as { id: scripted/hello }"),
  limits: z._default(
    z.object({
      turns: z.optional(count),
      tokens: z.optional(count),
      spend: z.optional(z.union([text.check(z.regex(MONEY, MONEY_WORDS)), amount], MONEY_WORDS)),
      spawns: z.optional(count),
      depth: z.optional(count),
      duration: z.optional(amount),
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
  tools: z.optional(names),
  // Checked by shape only: what they ask for is not built yet, and a directive that has them must stay readable.
  permissions: z.optional(names),
  delegates: z.optional(names),
  outputs: z.optional(z.record(text, mapping)),
  hooks: z.optional(z.array(mapping)),
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
