/** The thread of a talk: by the directive that chat.yaml names there; `chat` comes along. */
import { SEND_FILE } from "../../core/chat-send.ts";
import type { StartAsk } from "../../runtime/index.ts";
import type { ChatProject } from "./project.ts";

/** For a talk that begins, and for one that goes on in a new thread. What is said in between renews identity, memory and skills too. */
export function prepareTalk(premises: ChatProject, name: string): Omit<StartAsk, "by" | "chat"> {
  const directive = premises.directive(name);
  premises.requireModel(directive.model);
  const inputs = premises.checkInputs(directive, {});
  const brought = premises.brought();
  const tools = [...new Set([...premises.tools(), SEND_FILE])];
  return { directive, inputs, system: premises.systemPrompt(directive), tools, brought };
}
