/** Checks what a model hands to a tool (D3, D7). A complaint names the field, so that the model can mend it. */
import * as z from "zod/mini";

export type JsonSchema = Readonly<Record<string, unknown>>;

export type Checked<Value> =
  | { readonly value: Value; readonly complaint?: undefined }
  | { readonly complaint: string };

export interface InputSchema<Value> {
  /** What the model is shown. */
  readonly json: JsonSchema;
  check(input: unknown): Checked<Value>;
}

const MOST_COMPLAINTS = 5;
/** zod/mini comes without words. These yield to what a schema says itself. */
const WORDS = z.locales.en().localeError;

/** The names beginning with `_` stay free for values of the runtime, which never travel in arguments (D7). */
export function checkInput<Value>(schema: InputSchema<Value>, input: unknown): Checked<Value> {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { complaint: "The arguments must be an object." };
  const reserved = Object.keys(input).find((name) => name.startsWith("_"));
  if (reserved !== undefined)
    return {
      complaint: `${reserved}: arguments beginning with _ are reserved for the runtime; leave it out.`,
    };
  try {
    return schema.check(input);
  } catch (cause) {
    // A check written by a tool's author may throw; nothing has happened yet, so it is only a complaint.
    return { complaint: `The arguments could not be checked: ${messageOf(cause)}` };
  }
}

/**
 * For schemas of zod 4, classic and mini alike, or for what makes one: a start needs few of those that there are. The
 * JSON Schema is made when first asked for.
 */
export function zodInput<Schema extends z.core.$ZodType>(
  given: Schema | (() => Schema),
): InputSchema<z.output<Schema>> {
  let json: JsonSchema | undefined;
  let made: Schema | undefined;
  const schema = () => {
    made ??= typeof given === "function" ? given() : given;
    return made;
  };
  return {
    get json() {
      json ??= jsonSchemaOf(schema());
      return json;
    },
    check: (input) => {
      const parsed = z.safeParse(schema(), input, { error: WORDS });
      return parsed.success
        ? { value: parsed.data }
        : { complaint: joined(parsed.error.issues.map(complaintOf)) };
    },
  };
}

export function joined(complaints: readonly string[]): string {
  const more = complaints.length - MOST_COMPLAINTS;
  return complaints.slice(0, MOST_COMPLAINTS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function complaintOf(issue: z.core.$ZodIssue): string {
  return issue.path.length > 0 ? `${z.core.toDotPath(issue.path)}: ${issue.message}` : issue.message;
}

/** A model sees what goes in, before defaults and transforms; what JSON Schema cannot say is left open. */
function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return json;
}
