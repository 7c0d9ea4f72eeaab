import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { asCommonJs, chunkGroups, lineForEachStatement, withoutHtmlEntities } from "./scripts/chunks.ts";
import { askedWhenUsed } from "./scripts/later.ts";

const library = { index: "src/index.ts", testing: "src/testing.ts" };

const shared = {
  platform: "node",
  target: "node20.19",
  outDir: "dist",
  fixedExtension: false,
  report: false,
} as const;

const plugins = [lineForEachStatement(), withoutHtmlEntities()];

const code: UserConfig = {
  ...shared,
  // Scripts and not modules: of these alone Node 20 lets us keep what is compiled, and they are loaded without waiting.
  format: "cjs",
  outExtensions: () => ({ js: ".js" }),
  // Every start pays for each byte that has to be read; names stay, for they stand in traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  outputOptions: { strict: true },
  plugins,
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
      "command-line": "src/command-line.ts",
      inside: "src/inside.ts",
      program: library.index,
      "program-testing": library.testing,
    },
    clean: true,
    plugins: [asCommonJs(), askedWhenUsed(), ...plugins],
    outputOptions: {
      ...code.outputOptions,
      codeSplitting: chunkGroups(fileURLToPath(new URL("./", import.meta.url))),
    },
  },
  {
    ...code,
    name: "package",
    entry: { index: "src/package-index.ts", testing: "src/package-testing.ts" },
    clean: false,
    // What they load stands beside them.
    deps: { ...code.deps, neverBundle: [/^\.\/program(-testing)?\.js$/] },
    outputOptions: { ...code.outputOptions, chunkFileNames: "package-[hash].js" },
  },
  // Each by itself: they need little, and are there before anything else is.
  ...["cli", "process-keeper"].map(
    (name): UserConfig => ({ ...code, name, entry: { [name]: `src/${name}.ts` }, clean: false }),
  ),
  {
    ...code,
    format: "esm",
    outExtensions: () => ({ js: ".mjs" }),
    // By itself: it hands all of zod to the tools of a project, and whoever shared a file with it would load all of it.
    name: "tool host",
    entry: { "tool-host": "src/tool-host.ts" },
    clean: false,
    outputOptions: { chunkFileNames: "tool-host-[name]-[hash].mjs" },
  },
  {
    ...shared,
    name: "types",
    format: "esm",
    // As modules, for whoever imports us does: the types of zod are others for modules and for scripts.
    outExtensions: () => ({ dts: ".d.mts" }),
    entry: library,
    clean: false,
    dts: { emitDtsOnly: true },
  },
]);
