/** The smallest parts of our answers. What nobody knows is null; money is a decimal text. */
import * as z from "zod/mini";

export const text = z.string();
export const maybe = <S extends z.ZodMiniType>(schema: S) => z.nullable(schema);
export const texts = z.array(text);
export const count = z.number();
export const money = z.string().check(z.regex(/^-?\d+\.\d{4,9}$/));
export const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/));
export const anything = z.unknown();
export const counts = z.record(text, count);
export const limits = z.record(text, z.union([count, text]));
