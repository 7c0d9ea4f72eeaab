/** One call of the command line: its flags, its streams, and the projects it opened. */
import { resolve } from "node:path";
import { Problem } from "../../core/problem.ts";
import { oneLine } from "../../core/text.ts";
import type { Notice } from "../../core/world.ts";
import type { House, OpenProject, TrustState } from "./house.ts";
import { Interruption } from "./interruption.ts";
import type { Terminal } from "./terminal.ts";

/** Flags every command understands, before or after its name. */
export interface Flags {
  readonly project?: string;
  readonly plain?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly yes?: boolean;
  /** False with --no-input. */
  readonly input?: boolean;
}

export class Session {
  readonly house: House;
  readonly terminal: Terminal;
  readonly flags: Flags;
  readonly warnings: string[] = [];
  #listener: (notice: Notice) => void = () => {};
  #projects: OpenProject[] = [];
  #interruption: Interruption | undefined;

  constructor(house: House, terminal: Terminal, flags: Flags) {
    this.house = house;
    this.terminal = terminal;
    this.flags = flags;
  }

  get folder(): string {
    return resolve(this.flags.project ?? ".");
  }

  /** Whether a question may be asked at all. */
  get mayAsk(): boolean {
    return this.terminal.canAsk(this.flags.input !== false);
  }

  open(
    root = this.house.findProject(this.folder),
    purpose: "look" | "work" = "look",
    trust?: TrustState,
  ): OpenProject {
    const project = this.house.open(root, (notice) => this.#hear(notice), purpose, trust);
    this.#projects.push(project);
    if (project.world.redact) this.terminal.redactWith(project.world.redact);
    return project;
  }

  /** Opens for writing. Nothing in a project that came from elsewhere is run, or written to (F7). */
  openTrusted(): OpenProject {
    const root = this.house.findProject(this.folder);
    const trust = this.house.trustOf(root);
    if (!trust.trusted) throw untrusted(root, trust, this.mayAsk);
    return this.open(root, "work", trust);
  }

  listen(listener: (notice: Notice) => void): void {
    this.#listener = listener;
  }

  /** From the first call on, SIGINT and SIGTERM ask the command to stop instead of ending the process. */
  interruption(): Interruption {
    this.#interruption ??= new Interruption(this.terminal);
    return this.#interruption;
  }

  /** Told once, on stderr and in the envelope. */
  warn(text: string): void {
    if (this.warnings.includes(text)) return;
    this.warnings.push(text);
    this.terminal.say(`${this.terminal.err.yellow("▲")} ${text}`);
  }

  async close(): Promise<void> {
    this.#interruption?.dispose();
    for (const project of this.#projects.splice(0)) await project.close();
  }

  #hear(notice: Notice): void {
    if (FAILED.includes(notice.type) && "message" in notice) this.warn(notice.message);
    else if (notice.type === "sandbox") this.#tellSandbox(notice);
    else if (notice.type === "rewriting") this.#aside(rewriting(notice.bytes));
    else if (notice.type === "settings_ignored") this.warn(`Defaults are used: ${notice.message}`);
    else if (notice.type === "answer_refused")
      this.warn(`An answer in a file of ${notice.threadId} does not count: ${oneLine(notice.message, 200)}.`);
    else this.#listener(notice);
  }

  /** Where there should be one and is none, who reads only the envelope should know it too. */
  #tellSandbox({ state, message }: Extract<Notice, { type: "sandbox" }>): void {
    if (state === "missing") this.warn(message);
    else this.#aside(message);
  }

  #aside(text: string): void {
    if (!this.flags.quiet) this.terminal.say(this.terminal.err.dim(text));
  }
}

function rewriting(bytes: number): string {
  return `The store gets a newer layout: ${(bytes / 1e6).toFixed(0)} MB are written anew, this once. It may take a while.`;
}

/** What did not work beside the threads, in its own words. */
const FAILED: readonly Notice["type"][] = ["export_failed", "spans_failed", "tool_ignored"];

export function untrusted(root: string, { changedFiles }: TrustState, mayAsk: boolean): Problem {
  const hasChanged = changedFiles.length > 0;
  const some = changedFiles.slice(0, 5).join(", ");
  const more = changedFiles.length > 5 ? ` and ${changedFiles.length - 5} more` : "";
  return new Problem("E_UNTRUSTED", {
    what: hasChanged ? "This project has changed since you trusted it." : "This project is not trusted yet.",
    why: hasChanged
      ? `Changed: ${some}${more}. What these say is run or obeyed, so they are asked about again.`
      : `${root} with this store is not in your trust record, so its directives and settings may be somebody else's.`,
    next: [
      { cmd: "selvage trust --show", why: hasChanged ? "what changed" : "what it would run" },
      { cmd: mayAsk ? "selvage trust" : "selvage trust --yes", why: "if you trust it" },
    ],
  });
}
