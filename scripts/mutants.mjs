// Deliberate breaks: each puts one known hole back into a copy of the sources and expects the named tests to go red.
// A break that no test notices fails the run. `node scripts/mutants.mjs [WORD]` runs only those whose name has WORD.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS } from "../test/mutants.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv[2] ?? "";

function copyOfSources() {
  const copy = mkdtempSync(join(tmpdir(), "selvage-mutant-"));
  for (const name of ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function apply(copy, { file, find, replace }) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} must contain exactly once:\n${find}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}

/** @returns {"killed" | "survived"} */
function judge(copy, tests) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const run = spawnSync(
    process.execPath,
    [vitest, "run", "--bail", "1", "--testTimeout", "15000", ...tests],
    {
      cwd: copy,
      env: { ...process.env, SELVAGE_SEED: process.env.SELVAGE_SEED ?? "1" },
      encoding: "utf8",
      timeout: 180_000,
    },
  );
  return run.status === 0 ? "survived" : "killed";
}

let killed = 0;
const survivors = [];
for (const mutant of MUTANTS.filter(({ name }) => name.includes(wanted))) {
  const copy = copyOfSources();
  try {
    apply(copy, mutant);
    const verdict = judge(copy, mutant.tests);
    if (verdict === "killed") killed += 1;
    else survivors.push(mutant.name);
    console.log(`${verdict === "killed" ? "caught  " : "SURVIVED"}  ${mutant.hole.padEnd(4)} ${mutant.name}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.log(`\n${killed} passed, ${survivors.length} failed`);
process.exitCode = survivors.length > 0 || killed === 0 ? 1 : 0;
