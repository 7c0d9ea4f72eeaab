/** Directives and tools as somebody who works on them wants to see them: what they are, and what is wrong with them where. */
import type { Complaint, Directive } from "./directive.ts";

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

export interface ToolFilesLook {
  /** Files that say they are a command, and files that are code: what these offer, only running them tells. */
  readonly commands: number;
  readonly modules: number;
  readonly complaints: readonly Complaint[];
}
