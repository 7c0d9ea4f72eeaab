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

const OPENING = "{input:";

/** What begins like a placeholder and is none: it stays in the prompt as it is written. */
export interface Stray {
  readonly at: number;
  /** How many openings come before it, of placeholders and of others. */
  readonly nth: number;
  /** Up to the end of its name; or, if it is closed in its line, with its brace. */
  readonly written: string;
  readonly isClosed: boolean;
  /** What was probably meant; undefined where it has no name at all. */
  readonly meant?: string;
}

/** The first of them: nobody reads more. */
export function strayPlaceholders(body: string, most: number): Stray[] {
  const good = new Set([...body.matchAll(PLACEHOLDER)].map(({ index }) => index));
  const strays: Stray[] = [];
  for (let at = body.indexOf(OPENING), nth = 0; at >= 0; at = body.indexOf(OPENING, at + 1), nth += 1) {
    if (strays.length === most) break;
    if (!good.has(at)) strays.push({ at, nth, ...strayAt(body.slice(at, at + LONGEST_STRAY)) });
  }
  return strays;
}

/** Of what follows an opening; more is not looked at, so that a text of openings takes no longer than any other. */
const LONGEST_STRAY = 100;

function strayAt(text: string): Pick<Stray, "written" | "isClosed" | "meant"> {
  const closed = /^\{input:([^{}\r\n]*)\}/.exec(text);
  if (closed) {
    const name = closed[1]?.trim().replace(/[^A-Za-z0-9_]+/g, "_") ?? "";
    const isName = /^[A-Za-z_]/.test(name);
    return { written: closed[0], isClosed: true, ...(isName ? { meant: `${OPENING}${name}}` } : {}) };
  }
  const [written = OPENING, name = ""] = /^\{input:([A-Za-z_][A-Za-z0-9_]*\??)?/.exec(text) ?? [];
  return { written, isClosed: false, ...(name === "" ? {} : { meant: `${written}}` }) };
}
