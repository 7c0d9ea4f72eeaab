/** Shapes that several events have in common. */
import * as z from "zod/mini";

export const text = z.string();
export const count = z.int().check(z.nonnegative());
export const anything = z.unknown();

export const usage = z.object({
  input: count,
  cache_read: count,
  cache_write: count,
  output: count,
  estimated: z.optional(z.boolean()),
});

export const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("reasoning"), text, signature: z.optional(text), data: z.optional(text) }),
  z.object({
    ...{ type: z.literal("call"), call_id: text, tool: text, input: anything },
    executes: z.optional(z.enum(["tool", "directive"])),
  }),
]);

export const waitsFor = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("children"), what: text, ids: z.array(text), until: z.optional(text) }),
  z.object({ kind: z.literal("timer"), what: z.literal("retry"), until: text }),
  z.object({ kind: z.literal("message"), what: text }),
  z.object({
    kind: z.literal("person"),
    what: text,
    who: text,
    how: text,
    approval_id: z.optional(text),
    until: z.optional(text),
    follows: z.optional(z.enum(["resume", "deny"])),
  }),
]);

/** Money in whole nano-dollars (B1). */
export const hold = z.object({ id: text, amount: count, input_tokens: count, output_tokens: count });
/** What a request cost, as the provider billed it; `estimated` when it did not say. */
export const bill = z.object({ hold: text, amount: count, estimated: z.optional(z.boolean()) });

export const limitValue = z.union([z.number(), text]);
export const limits = z.record(text, limitValue);
