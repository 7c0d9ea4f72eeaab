/** What our own tests and benchmarks use of the built package. No entry of the package leads here: it may change at any time. */
export { realWorld } from "./real-world.ts";
export { createThread, host, newThreadId, planRecovery, postRequest } from "./runtime/index.ts";
export { findOrphans } from "./runtime/recovery.ts";
export * from "./testing/index.ts";
export { defineTool } from "./tool/define.ts";
