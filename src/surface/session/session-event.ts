/** Events of a session: those of the family of coding agents, and ours under their own names. */
import type { Event } from "../../core/event.ts";
import type { AgentMessage, AssistantMessage, TextContent, ToolResultMessage } from "./message.ts";

/** What was added to an answer. `contentIndex` counts its blocks. */
interface AssistantMessageEvent {
  readonly type: "text_delta";
  readonly contentIndex: number;
  readonly delta: string;
}

interface CompactionShown {
  readonly summary: string;
  /** The turn from which on everything was kept. */
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details: { readonly tokensAfter: number; readonly continuedIn?: string };
}

type Reason = "manual" | "threshold" | "overflow";

interface Execution {
  readonly toolCallId: string;
  readonly toolName: string;
}

interface Shown {
  readonly content: readonly TextContent[];
  readonly details: object;
}

/** The family's. */
export type FamilyEvent =
  | { readonly type: "agent_start" }
  /** `willRetry`: the request failed, and is made again after a wait. */
  | { readonly type: "agent_end"; readonly messages: readonly AgentMessage[]; readonly willRetry: boolean }
  /** Nothing more comes of what was asked before somebody says something, or answers. */
  | { readonly type: "agent_settled"; readonly status: string; readonly thread_id: string }
  | { readonly type: "turn_start" }
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | {
      readonly type: "message_update";
      readonly message: AssistantMessage;
      readonly assistantMessageEvent: AssistantMessageEvent;
    }
  | { readonly type: "message_end"; readonly message: AgentMessage }
  | (Execution & { readonly type: "tool_execution_start"; readonly args: unknown })
  | (Execution & {
      readonly type: "tool_execution_update";
      readonly args: unknown;
      readonly partialResult: Shown;
    })
  | (Execution & { readonly type: "tool_execution_end"; readonly result: Shown; readonly isError: boolean })
  | {
      readonly type: "queue_update";
      readonly steering: readonly string[];
      readonly followUp: readonly string[];
    }
  | { readonly type: "compaction_start"; readonly reason: Reason }
  | {
      readonly type: "compaction_end";
      readonly reason: Reason;
      readonly result: CompactionShown | null;
      readonly aborted: boolean;
      readonly willRetry: boolean;
      readonly errorMessage?: string;
    }
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: "auto_retry_end";
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    };

/** Ours, as they stand in the journal. */
const PASSED_ON = /^(thread|approval|budget|child|crash)_/;

export type SessionEvent = FamilyEvent | Event;

export function isPassedOn({ type }: Pick<Event, "type">): boolean {
  return PASSED_ON.test(type);
}
