/** A directive as somebody who works on it wants to see it: its value, where its parts stand, what is wrong with it. */
import type { Directive } from "./directive.ts";

export interface DirectiveProblem {
  /** From the project's root. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  /** An error stops a run; a warning does not. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix: string | null;
}

interface PartPlace {
  readonly line: number;
  readonly column: number;
}

export interface DirectiveInspection {
  readonly name: string;
  readonly path: string;
  /** Null when its text cannot be read as a directive; the problems say why. */
  readonly read: {
    readonly directive: Directive;
    readonly form: "yaml" | "xml";
    /** Of the parts that are written; `body` is the prompt. */
    readonly places: Readonly<Record<string, PartPlace>>;
  } | null;
  readonly problems: readonly DirectiveProblem[];
}
