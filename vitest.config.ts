import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/order.ts";

/**
 * Tests that leave nothing behind in their process: no variable of the environment, no changed function of Node, no
 * memory that is measured. They share processes, which saves half of their time; everything else has one of its own.
 */
const SHARING = [
  "src/{config,core,directive,provider,runtime,store,surface,telemetry,testing,yaml}/**/*.test.ts",
  "test/{crash,replay,session,store,walk}/**/*.test.ts",
  "test/chat/**/!(crowd).test.ts",
  "test/cli/!(real-world).test.ts",
];

export default defineConfig({
  test: {
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/kept-code.ts"],
    globals: false,
    pool: "forks",
    // One more than there are cores: many tests wait, for a disk or for a process to end.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "sharing", isolate: false, include: SHARING } },
      {
        extends: true,
        test: { name: "alone", include: ["src/**/*.test.ts", "test/**/*.test.ts"], exclude: SHARING },
      },
    ],
  },
});
