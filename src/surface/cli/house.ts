/** What the command line needs of other rooms. `main.ts` hands it over; the surface itself knows only core and runtime. */
import type { Bundles } from "../../core/bundles.ts";
import type { ChatSettings } from "../../core/chat-file.ts";
import type { ChatFiles } from "../../core/chat-files.ts";
import type { ChatLog } from "../../core/chat-log.ts";
import type { Configuration } from "../../core/configuration.ts";
import type { Directive } from "../../core/directive.ts";
import type { Hook } from "../../core/hook.ts";
import type { DirectiveInspection, DirectiveProblem, ToolFilesLook } from "../../core/inspection.ts";
import type { Problem } from "../../core/problem.ts";
import type { Replayed } from "../../core/replayed.ts";
import type { RuleSet } from "../../core/rule.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { ThreadFiles } from "../../core/thread-files.ts";
import type { TrustSurvey } from "../../core/trust-survey.ts";
import type { Notice, World } from "../../core/world.ts";
import type { Selvage } from "../sdk/runtime.ts";

export interface Finding {
  /** What of the store it is about. */
  readonly part: "state" | "ledger";
  readonly thread_id: string | null;
  readonly last_good: number | null;
  readonly what: string;
}

export interface SandboxInForce {
  readonly type: "bubblewrap" | "none" | "refused";
  readonly why?: string;
}

export interface OpenProject {
  readonly root: string;
  readonly world: World;
  readonly trusted: boolean;
  /** Files that changed since the yes to this project; empty when nobody ever said yes. */
  readonly changedFiles: readonly string[];
  /** `seen`: what the person was shown and said yes to. */
  trust(seen?: TrustSurvey): void;
  /** What a yes covers; looking runs nothing. */
  survey(): TrustSurvey;
  /** `model`: another one than it names, or another tier. */
  directive(name: string, model?: string): Directive;
  directives(): readonly string[];
  /** Files among them that nobody can run, because of how they are called. */
  unnameable(): readonly DirectiveProblem[];
  /** With everything that is wrong with it, tools too if they are given; throws only when there is none of this name. */
  inspect(name: string, tools?: readonly string[]): Promise<DirectiveInspection>;
  /** Of the machine, of the user and, when it is trusted, of the project. Throws a Problem when a file does not validate. */
  hooks(): Promise<readonly Hook[]>;
  /** Those in the head of a directive. */
  directiveHooks(name: string): Promise<readonly Hook[]>;
  /** Writes a template and trusts it; returns project-relative paths. Never over a file that is there. */
  newDirective(
    name: string,
    choice: { readonly form: "yaml" | "xml"; readonly scripted: boolean },
  ): readonly string[];
  /** What a thread of this directive is told before its prompt; files of the project are read now. */
  systemPrompt(directive: Directive): string;
  checkInputs(
    directive: Directive,
    given: Readonly<Record<string, string>>,
  ): Readonly<Record<string, unknown>>;
  /** Throws a Problem when the model cannot be reached by this project. */
  requireModel(name: string): void;
  /** The model that a tier means here. Throws a Problem when it means none. */
  modelOfTier(tier: string): string;
  /** The variables that are set and hold keys for a model, by name; none when it wants none, or nobody knows. */
  keyVariables(model: string): readonly string[];
  /** All of them once `world.ready` was awaited. */
  readonly tools: readonly string[];
  /** Why a tool that a file of the project should be is none. */
  toolProblem(name: string): Problem | undefined;
  /** The tool files of the project, without running any of them. */
  lookAtTools(): Promise<ToolFilesLook>;
  /** The walls around commands: there are some, there are none, or there must be some and are not. */
  sandbox(): SandboxInForce;
  /** Finds that out beside other work, for who is about to host threads. */
  seekSandbox(): void;
  /** A thread run again against its journal, with what holds here now; nothing is executed. */
  replay(threadId: string, policies: readonly string[]): Promise<Replayed>;
  verify(): Promise<{ threads: number; events: number; findings: readonly Finding[] }>;
  /** Re-makes the files of a thread; returns project-relative paths. */
  exportFiles(threadId: string): Promise<readonly string[]>;
  readonly files: ThreadFiles;
  close(): Promise<void>;
}

/** Whether this user said yes to a project as it is. */
export interface TrustState {
  readonly trusted: boolean;
  readonly changedFiles: readonly string[];
}

/** What is done about failed requests, as far as files say. */
export interface FailureRules {
  readonly rules: RuleSet;
  readonly retry: Settings["retry"];
  /** Those that stand in no directive. */
  readonly hooks: readonly Hook[];
}

/** A project as a shell looks at it for a moment: only read, and nothing of it honoured. */
export interface Glance {
  readonly store: Pick<Store, "find" | "approvals">;
  directives(): readonly string[];
  /** The inputs of a directive; none when it cannot be read. */
  inputs(directive: string): readonly { readonly name: string; readonly about: string }[];
  close(): Promise<void>;
}

export interface House {
  readonly version: string;
  /** What starts this command line as a process of its own: a program and its first arguments. */
  readonly program: readonly string[];
  /** A value without the secrets that are known before a project is open. */
  redact<T>(value: T): T;
  /** Folder that has `.ai/`, here or above; throws E_NO_PROJECT. */
  findProject(from: string): string;
  init(
    folder: string,
    options: { readonly force: boolean; readonly template: "minimal" | "waves" },
  ): { created: readonly string[]; skipped: readonly string[] };
  /** Changes nothing and runs nothing. */
  trustOf(root: string): TrustState;
  /** Without a root: of the user and the machine. Throws a Problem when a file does not validate. */
  failureRules(trustedRoot: string | undefined): Promise<FailureRules>;
  readonly config: Configuration;
  readonly surroundings: Surroundings;
  /** What is signed and by whom; no part of trust. */
  readonly bundles: Bundles;
  /** What chat.yaml says: of the machine, of the user, and of a trusted project. */
  chatSettings(root: string): Promise<ChatSettings>;
  /** What chats keep beside their journals. */
  chatKeeps(root: string): Promise<{ readonly chatFiles: ChatFiles; readonly chatLog: ChatLog }>;
  /** A project as programs have it: hosted here, or followed where another process hosts it. */
  openProgram(
    root: string,
    options: { readonly recover: "auto" | "off"; readonly onNotice: (notice: Notice) => void },
  ): Promise<Selvage>;
  /** Waits for nobody, and leaves no trace. */
  glance(root: string): Glance;
  /**
   * To `look`, settings that do not validate are told and left out; to `work`, they are refused. `trust`: for who has
   * just found it out.
   */
  open(
    root: string,
    notify: (notice: Notice) => void,
    purpose: "look" | "work",
    trust?: TrustState,
  ): OpenProject;
}
