/** A directive as a value: what a Markdown file under `.ai/directives/` says. */

export interface DirectiveInput {
  readonly type: "string" | "number" | "boolean";
  readonly required: boolean;
  readonly description?: string;
}

export interface Directive {
  readonly name: string;
  readonly description: string;
  readonly model: string;
  /** Tools it may use; all of the project's when it names none. */
  readonly tools?: readonly string[];
  readonly limits: Readonly<Record<string, number | string>>;
  readonly inputs: Readonly<Record<string, DirectiveInput>>;
  readonly body: string;
}

/** One thing wrong with a file a person wrote. Lines and columns count from 1. */
export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** `{input:x}`, `{input:x?}` (may be missing), `{input:x:default}`. */
const PLACEHOLDER = /\{input:([A-Za-z_][A-Za-z0-9_]*)(\?|:([^}]*))?\}/g;

export type Rendered = { readonly text: string } | { readonly missing: string };

export function renderPrompt(body: string, inputs: Readonly<Record<string, unknown>>): Rendered {
  let missing: string | undefined;
  const text = body.replace(
    PLACEHOLDER,
    (_, name: string, mark: string | undefined, fallback: string | undefined) => {
      const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
      if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
      if (mark === undefined) missing ??= name;
      return fallback ?? "";
    },
  );
  return missing === undefined ? { text } : { missing };
}
