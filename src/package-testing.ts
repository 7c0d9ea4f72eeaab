/** `selvage/testing` as the package has it: `testing.ts`, loaded as `programs.ts` says. */
import { loaded } from "./programs.ts";
import type * as Testing from "./testing.ts";

const testing = loaded("program-testing.js", () => require("./program-testing.js")) as typeof Testing;

export const { CRASH_POINTS, crashAt, expectLedgerBalanced, fakeClock, openInMemory } = testing;
