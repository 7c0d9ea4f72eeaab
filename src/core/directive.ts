/** A directive as a value: what a Markdown file under `.ai/directives/` says. */
import type { HookEvent } from "./hook.ts";

export interface DirectiveInput {
  readonly type: "string" | "number" | "boolean";
  readonly required: boolean;
  readonly description?: string;
}

interface DirectiveOutput {
  readonly type: "string" | "number" | "boolean" | "object" | "array";
  readonly description?: string;
}

/** What is to be done at an event, and when: as data. `when` is an expression, or a mapping of conditions. */
export type DirectiveHook = {
  readonly id: string;
  readonly event: HookEvent;
  readonly when?: string | Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
} & ({ readonly directive: string } | { readonly command: string });

export interface Directive {
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  /** Empty where only a tier is named and nobody has looked up yet what that means here. */
  readonly model: string;
  /** What kind of model it wants, when it names none. */
  readonly tier?: string;
  readonly limits: Readonly<Record<string, number | string>>;
  readonly inputs: Readonly<Record<string, DirectiveInput>>;
  readonly outputs: Readonly<Record<string, DirectiveOutput>>;
  /** Rights it may use and hand on, in their full form (K1, K2). */
  readonly permissions: readonly string[];
  /** The same, but a person is asked before each use (L7). */
  readonly ask: readonly string[];
  /** Rights it may only hand on. */
  readonly delegates: readonly string[];
  readonly hooks: readonly DirectiveHook[];
  /** What becomes of children that still live when its work is done: they are waited for, or told to stop (T7). */
  readonly onExit?: "wait" | "cancel";
  readonly body: string;
}

/** One thing wrong with a file a person wrote. Lines and columns count from 1. */
export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to write instead, where that is known. */
  readonly fix?: string;
}

/**
 * `{input:x}`, `{input:x?}` (may be missing), `{input:x:default}`. No brace in a default: without that, a long text
 * of openings that never close would take quadratic time.
 */
const PLACEHOLDER = /\{input:([A-Za-z_][A-Za-z0-9_]*)(\?|:([^{}]*))?\}/g;

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
