/** `selvage/testing`: what tests of programs that use Selvage need. */
export { type InMemoryOptions, openInMemory } from "./in-memory.ts";
export { type FakeClock, fakeClock } from "./testing/clock.ts";
