import { defineConfig } from "tsdown";

const library = { index: "src/index.ts", testing: "src/testing/index.ts" };

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
    entry: { cli: "src/cli.ts", ...library },
    clean: true,
    dts: false,
    deps: {
      // A native addon finds its binary relative to its own package: it cannot be moved into a bundle.
      neverBundle: ["@photostructure/sqlite"],
      // Bundled, because a cold start pays for every file that Node has to resolve.
      alwaysBundle: [/^zod($|\/)/, "yaml", "commander", "picocolors", "@cfworker/json-schema"],
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
