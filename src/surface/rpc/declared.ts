/** How commands are declared: a meaning, and fields that are checked before anything is done. */
import * as z from "zod/mini";

export interface Declared<Fields extends z.core.$ZodLooseShape = z.core.$ZodLooseShape> {
  readonly meaning: string;
  readonly fields: z.ZodMiniObject<Fields, z.core.$strict>;
  /** Answered when it is done, while others are answered in between. */
  readonly isLong: boolean;
}

export function declared<Fields extends z.core.$ZodLooseShape>(
  meaning: string,
  fields: Fields,
  how: { readonly isLong?: boolean } = {},
): Declared<Fields> {
  return { meaning, fields: z.strictObject(fields) as never, isLong: how.isLong ?? false };
}

/** Characters of one message: all of it is paid for with every turn that follows. */
const MOST_CHARACTERS = 200_000;

export const message = z.string().check(z.minLength(1), z.maxLength(MOST_CHARACTERS));
export const flag = z.boolean();
export const whatever = z.unknown();
export const threadId = z
  .string()
  .check(z.minLength(1), z.maxLength(200), z.describe("Its id, a unique beginning of it, or @last."));
export const limits = z.record(z.string(), z.union([z.number(), z.string()]));

export function maybe<T extends z.ZodMiniType>(schema: T, says?: string) {
  const optional = z.optional(schema);
  return says === undefined ? optional : optional.check(z.describe(says) as never);
}
