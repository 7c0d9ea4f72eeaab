/** `selvage`: what programs may use. */
export { Problem, Problem as SelvageError } from "./core/problem.ts";
export { type OpenOptions, open } from "./real-program.ts";
export { realWorld } from "./real-world.ts";
export { createThread, host, newThreadId, planRecovery, postRequest } from "./runtime/index.ts";
export { findOrphans } from "./runtime/recovery.ts";
export * from "./surface/sdk/index.ts";
export { defineTool } from "./tool/define.ts";
