/** `selvage/testing`: what tests of programs that use Selvage need. */
export { type InMemoryOptions, openInMemory } from "./in-memory.ts";
export { expectLedgerBalanced } from "./ledger-balanced.ts";
export { type FakeClock, fakeClock } from "./testing/clock.ts";
export { type Crashed, type CrashOptions, crashAt } from "./testing/crash-at.ts";
export { CRASH_POINTS, type CrashPoint, type CrashPointName } from "./testing/crash-points.ts";
