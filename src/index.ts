/** `selvage`: what programs may use. */
export type { Event, LiveEvent } from "./core/event.ts";
export { Problem as SelvageError } from "./core/problem.ts";
export type { Effect, ProbeAnswer, Tool, ToolContext } from "./core/tool.ts";
export type { Notice } from "./core/world.ts";
export { type OpenOptions, open } from "./real-program.ts";
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
export { type CallableTool, defineTool, type ToolDefinition } from "./tool/define.ts";
