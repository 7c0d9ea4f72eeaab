// `npm run bench [-- --quick | --only=crowd | --profile=turns]`. Builds the bench with the settings of the package
// itself, so that what is measured is what users run, and starts it.

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsdown";

const root = fileURLToPath(new URL("..", import.meta.url));
// Under node_modules: git does not see it, and the SQLite binding is found from there.
const outDir = `${root}node_modules/.selvage-bench`;

rmSync(outDir, { recursive: true, force: true });
await build({
  config: false,
  cwd: root,
  entry: ["main", "worker", "server", "raw-script"].map((name) => `bench/${name}.ts`),
  outDir,
  format: "esm",
  platform: "node",
  target: "node20.19",
  fixedExtension: true,
  dts: false,
  report: false,
  logLevel: "warn",
  deps: {
    neverBundle: ["@photostructure/sqlite"],
    alwaysBundle: [/^zod($|\/)/, "yaml", "@cfworker/json-schema"],
    onlyBundle: false,
  },
});
const { main } = await import(`${outDir}/main.mjs`);
process.exitCode = await main({ root, outDir, words: process.argv.slice(2) });
