/** What a program's door needs of the other rooms; `index.ts` hands it over. */
import type { ChatFiles } from "../../core/chat-files.ts";
import type { ChatLog } from "../../core/chat-log.ts";
import type { Directive } from "../../core/directive.ts";
import type { ScriptStep } from "../../core/script.ts";
import type { Tool } from "../../core/tool.ts";
import type { Notice, World } from "../../core/world.ts";

export interface Premises {
  readonly root: string;
  readonly world: World;
  /** Where files of chats are kept; without it none are. */
  readonly chatFiles?: ChatFiles | undefined;
  /** What was said in chats, for people to read; without it nothing is written. */
  readonly chatLog?: ChatLog | undefined;
  /** Calls back with whatever the world says. */
  listen(listener: (notice: Notice) => void): () => void;
  /** `model`: another one than it names, or another tier. */
  directive(name: string, model?: string): Directive;
  checkInputs(
    directive: Directive,
    given: Readonly<Record<string, string>>,
  ): Readonly<Record<string, unknown>>;
  systemPrompt(directive: Directive): string;
  /** Throws a Problem when the model cannot be used. */
  requireModel(name: string): void;
  modelOfTier(tier: string): string;
  /** All there are, once `world.ready` was awaited. */
  tools(): readonly string[];
  /** Names of the tools and models that only this program has. */
  brought(): readonly string[];
  /** Throws a Problem when another tool has its name. */
  addTool(tool: Tool): void;
  /** The name of a model that follows these steps. */
  addScript(steps: readonly ScriptStep[]): string;
  close(): Promise<void>;
}
