/** `selvage`: what programs may use. */
export type { Event, LiveEvent } from "./core/event.ts";
export { Problem as SelvageError } from "./core/problem.ts";
export type { Effect, ProbeAnswer, Tool, ToolContext } from "./core/tool.ts";
export type { Notice } from "./core/world.ts";
export { RpcClient } from "./real-client.ts";
export { type OpenOptions, open } from "./real-program.ts";
export {
  type DialogRequest,
  type JournalEvent,
  type RpcClientOptions,
  RpcError,
  type RpcEvent,
  type RpcSessionState,
} from "./surface/rpc/client.ts";
export type {
  Answerer,
  Cost,
  DirectiveStart,
  EventsAsk,
  Lacking,
  Line,
  PromptStart,
  Question,
  Result,
  ResultAsk,
  RuntimeOptions,
  Scripted,
  Selvage,
  StartOptions,
  ThreadHandle,
  ThreadRef,
  WaitAsk,
  Waited,
  YesOptions,
} from "./surface/sdk/index.ts";
export { scripted } from "./surface/sdk/index.ts";
export type { CompactionAnswer } from "./surface/session/compacting.ts";
export type { SessionListener } from "./surface/session/follower.ts";
export type { SessionStats } from "./surface/session/history.ts";
export type { AgentMessage } from "./surface/session/message.ts";
export type { AgentSession, PromptOptions, SessionOptions } from "./surface/session/session.ts";
export type { SessionEvent } from "./surface/session/session-event.ts";
export { type CallableTool, defineTool, type ToolDefinition } from "./tool/define.ts";
