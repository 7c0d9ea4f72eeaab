/** The door for programs. */
export type { Answerer, Question, YesOptions } from "./approvals.ts";
export type { EventsAsk } from "./events.ts";
export type { ResultAsk, ThreadHandle } from "./handle.ts";
export type { Lacking } from "./left-behind.ts";
export type { Cost, Result, ThreadRef } from "./result.ts";
export { type RuntimeOptions, Selvage } from "./runtime.ts";
export { type Line, type Scripted, scripted } from "./scripted.ts";
export type { DirectiveStart, PromptStart, StartOptions } from "./start.ts";
export type { WaitAsk, Waited } from "./wait.ts";
