/** What the command line needs of other rooms. `main.ts` hands it over; the surface itself knows only core and runtime. */
import type { Directive } from "../../core/directive.ts";
import type { Notice, World } from "../../core/world.ts";

export interface Finding {
  readonly thread_id: string | null;
  readonly last_good: number | null;
  readonly what: string;
}

export interface OpenProject {
  readonly root: string;
  readonly world: World;
  readonly trusted: boolean;
  trust(): void;
  directive(name: string): Directive;
  directives(): readonly string[];
  checkInputs(
    directive: Directive,
    given: Readonly<Record<string, string>>,
  ): Readonly<Record<string, unknown>>;
  /** Throws a Problem when the model cannot be reached by this project. */
  requireModel(name: string): void;
  readonly tools: readonly string[];
  verify(): Promise<{ threads: number; events: number; findings: readonly Finding[] }>;
  /** Re-makes the files of a thread; returns project-relative paths. */
  exportFiles(threadId: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface House {
  readonly version: string;
  /** Folder that has `.ai/`, here or above; throws E_NO_PROJECT. */
  findProject(from: string): string;
  init(
    folder: string,
    options: { readonly force: boolean },
  ): { created: readonly string[]; skipped: readonly string[] };
  /** To `look`, settings that do not validate are told and left out; to `work`, they are refused. */
  open(root: string, notify: (notice: Notice) => void, purpose: "look" | "work"): OpenProject;
}
