import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { chunkGroups, lineForEachStatement, withoutHtmlEntities } from "./scripts/chunks.ts";

const library = { index: "src/index.ts", testing: "src/testing.ts" };

const shared = {
  format: "esm",
  platform: "node",
  target: "node20.19",
  outDir: "dist",
  fixedExtension: false,
  report: false,
} as const;

const code: UserConfig = {
  ...shared,
  // Every start pays for each byte that has to be read; names stay, for they stand in traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  plugins: [lineForEachStatement(), withoutHtmlEntities()],
  // The same library as modules: what nobody uses of it is left out, and what is left begins faster.
  alias: { yaml: fileURLToPath(new URL("./node_modules/yaml/browser/dist/index.js", import.meta.url)) },
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
};

export default defineConfig([
  {
    ...code,
    name: "code",
    entry: {
      cli: "src/cli.ts",
      "process-keeper": "src/process-keeper.ts",
      inside: "src/inside.ts",
      ...library,
    },
    clean: true,
    outputOptions: {
      codeSplitting: { groups: chunkGroups(fileURLToPath(new URL("./", import.meta.url))) },
    },
  },
  {
    ...code,
    // By itself: it hands all of zod to the tools of a project, and whoever shared a file with it would load all of it.
    name: "tool host",
    entry: { "tool-host": "src/tool-host.ts" },
    clean: false,
    outputOptions: { chunkFileNames: "tool-host-[name]-[hash].js" },
  },
  {
    ...shared,
    name: "types",
    entry: library,
    clean: false,
    dts: { emitDtsOnly: true },
  },
]);
