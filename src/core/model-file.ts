/** models.yaml (SPEC §16): what it may say about a model, declared once. docs/models.md comes from here. */
import * as z from "zod/mini";
import type { ModelEntry } from "./catalogue.ts";
import { perToken, type Rates } from "./price.ts";

const PRICE_WORDS = "expected dollars per million tokens, such as 3.00, with at most three decimals";

const meanings = z.registry<{ meaning: string }>();
const key = <S extends z.ZodMiniType>(schema: S, meaning: string) => {
  const optional = z.optional(schema);
  meanings.add(optional as z.ZodMiniType, { meaning });
  return optional;
};
const dollars = (meaning: string) =>
  key(
    z
      .union([z.number(), z.string()], PRICE_WORDS)
      .check(z.refine((given) => perToken(given) !== undefined, PRICE_WORDS)),
    meaning,
  );
const tokens = (meaning: string) => key(z.int().check(z.positive()), meaning);

const FileEntry = z.object({
  input: dollars("Dollars per million tokens that are sent."),
  output: dollars("Dollars per million tokens of the answer, its reasoning included."),
  cache_read: dollars("The same for what the provider has in its cache. Default: as `input`."),
  cache_write: dollars("The same for what it puts there. Default: a quarter more than `input`."),
  window: tokens("Tokens that a conversation may have. Default: 200000."),
  max_output: tokens("Tokens that one answer may have."),
});
type FileEntry = z.infer<typeof FileEntry>;

const modelName = z
  .string()
  .check(z.regex(/^[a-z0-9][a-z0-9._-]*\/\S+$/, "expected a model, such as anthropic/claude-opus-5-5"));
const tierName = z
  .string()
  .check(z.regex(/^[a-z0-9][a-z0-9._-]*$/, "expected lower-case letters, digits and . _ -"));

export const ModelFile = z.object({
  models: z._default(z.record(modelName, FileEntry), {}),
  tiers: z._default(z.record(tierName, modelName), {}),
});

export const RATES = ["input", "output", "cache_read", "cache_write"] as const satisfies (keyof Rates)[];

export function entryOfFile(said: FileEntry, origin: string): ModelEntry {
  const rates = RATES.flatMap((rate) => {
    const value = said[rate];
    return value === undefined ? [] : [[rate, perToken(value)] as const];
  });
  const { window, max_output: maxOutput } = said;
  return {
    ...Object.fromEntries(rates),
    ...(window === undefined ? {} : { window }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    origin,
  };
}

/** The keys of a model, for docs. */
export function modelLines(): { readonly key: string; readonly meaning: string }[] {
  return Object.entries(FileEntry.shape).map(([name, schema]) => ({
    key: name,
    meaning: meanings.get(schema)?.meaning ?? "",
  }));
}
