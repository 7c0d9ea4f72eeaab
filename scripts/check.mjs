// Format, lint and types. `npm run check` adds the architecture test; `npm test` counts this as one test.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const checks = [
  ["biome", ["node_modules/@biomejs/biome/bin/biome", "check", "--diagnostic-level=error", "."]],
  ["types", ["node_modules/@typescript/native/bin/tsc", "--noEmit"]],
];

let failures = 0;
for (const [name, args] of checks) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status === 0) continue;
  failures += 1;
  process.stdout.write(`${stdout}${stderr}\ncheck: ${name} failed\n`);
}
process.exitCode = failures > 0 ? 1 : 0;
