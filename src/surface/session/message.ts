/** Messages as the family of coding agents writes them: what was said, by whom, when, and what it cost. */
import type { Block, Message, Usage } from "../../core/message.ts";

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown };

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

interface ShownUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  /** In dollars, of what was billed; 0 where nobody said. */
  readonly cost: { readonly total: number };
}

interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly Content[];
  readonly provider: string;
  readonly model: string;
  readonly usage: ShownUsage;
  readonly stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  readonly errorMessage?: string;
  readonly timestamp: number;
}

export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly TextContent[];
  readonly isError: boolean;
  readonly timestamp: number;
}

export type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage;

const NO_USAGE: ShownUsage = shownUsage(undefined, 0);

export function shownUsage(usage: Usage | undefined, nanos: number): ShownUsage {
  const { input = 0, output = 0, cache_read: cacheRead = 0, cache_write: cacheWrite = 0 } = usage ?? {};
  const totalTokens = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: { total: nanos / 1e9 } };
}

export function shownBlock(block: Block): Content {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "reasoning":
      return { type: "thinking", thinking: block.text };
    case "call":
      return { type: "toolCall", id: block.call_id, name: block.tool, arguments: block.input };
  }
}

/** `provider/model`, in two. */
export function splitModel(name: string): { readonly provider: string; readonly model: string } {
  const at = name.indexOf("/");
  return at < 0 ? { provider: "", model: name } : { provider: name.slice(0, at), model: name.slice(at + 1) };
}

export function textResult(text: string): readonly TextContent[] {
  return [{ type: "text", text }];
}

/** A conversation that a thread began with: nobody wrote down when any of it was said. */
export function shownConversation(
  said: readonly Message[],
  model: string,
  timestamp: number,
): AgentMessage[] {
  return said.flatMap((message) => shownMessage(message, model, timestamp));
}

function shownMessage(message: Message, model: string, timestamp: number): AgentMessage[] {
  if (message.role === "user") return [{ role: "user", content: message.text, timestamp }];
  if (message.role === "assistant") {
    const content = message.blocks.map(shownBlock);
    const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    return [{ role: "assistant", content, ...splitModel(model), usage: NO_USAGE, stopReason, timestamp }];
  }
  return message.results.map(({ call_id: toolCallId, tool: toolName, status, output }) => ({
    ...{ role: "toolResult" as const, toolCallId, toolName, content: textResult(output) },
    ...{ isError: status !== "ok", timestamp },
  }));
}
