import { defineConfig } from "tsdown";

const library = { index: "src/index.ts", testing: "src/testing.ts" };

const shared = {
  format: "esm",
  platform: "node",
  target: "node20.19",
  outDir: "dist",
  fixedExtension: false,
  report: false,
} as const;

export default defineConfig([
  {
    ...shared,
    name: "code",
    entry: {
      cli: "src/cli.ts",
      "tool-host": "src/tool-host.ts",
      "process-keeper": "src/process-keeper.ts",
      inside: "src/inside.ts",
      ...library,
    },
    clean: true,
    dts: false,
    deps: {
      // A native addon finds its binary relative to its own package: it cannot be moved into a bundle.
      // So does jiti find the half of itself that it loads only when it meets TypeScript.
      // Nor may the tracing API: the one that counts is the one that the user's provider is registered with.
      // Nor the Chat SDK: it belongs with the user's adapters, and most users have none.
      neverBundle: ["@photostructure/sqlite", "jiti", "@opentelemetry/api", "chat"],
      // Bundled, because a cold start pays for every file that Node has to resolve.
      alwaysBundle: [
        /^zod($|\/)/,
        "yaml",
        "htmlparser2",
        /^entities($|\/)/,
        "commander",
        "picocolors",
        "@cfworker/json-schema",
        "eventsource-parser",
        "re2js",
        "@marcbachmann/cel-js",
      ],
      onlyBundle: false,
    },
  },
  {
    ...shared,
    name: "types",
    entry: library,
    clean: false,
    dts: { emitDtsOnly: true },
  },
]);
