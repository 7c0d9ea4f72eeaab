/** `selvage`: what programs may use. */
export { Problem } from "./core/problem.ts";
export { realWorld } from "./real-world.ts";
export { createThread, host, newThreadId, planRecovery, postRequest } from "./runtime/index.ts";
export { findOrphans } from "./runtime/recovery.ts";
export { defineTool } from "./tool/define.ts";
