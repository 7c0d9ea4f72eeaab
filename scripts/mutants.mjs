// Deliberate breaks: each puts one known hole back into a copy of the sources and expects the named tests to go red.
// A break that no test notices fails the run. `node scripts/mutants.mjs [WORD]` runs only those whose name has WORD.
// Tests that are red without a break prove nothing: they are run on a whole copy first, and fail the run at its end.
// Tests of the built program see a break only if it is built: `built: true`. Then the whole copy is built as well.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS } from "../test/mutants.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv[2] ?? "";

const COPIED = [
  ...["src", "test", "dist", "docs", "README.md", "scripts", "bench"],
  ...["package.json", "tsconfig.json", "tsdown.config.ts", "vitest.config.ts"],
];

function copyOfSources() {
  // Beside what it is a copy of: in a sandbox /tmp is empty, and what runs there is ours.
  const copy = mkdtempSync(join(root, ".mutant-"));
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
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

function build(copy) {
  const tsdown = join(root, "node_modules", "tsdown", "dist", "run.mjs");
  const built = spawnSync(process.execPath, [tsdown, "--logLevel=warn"], { cwd: copy, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`it does not build:\n${built.stdout}${built.stderr}`);
}

/** A break may make a test run for ever: that is noticed, too. */
function areGreen(copy, tests) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const run = spawnSync(
    process.execPath,
    [vitest, "run", "--bail", "1", "--testTimeout", "30000", ...tests],
    {
      cwd: copy,
      env: { ...process.env, SELVAGE_SEED: process.env.SELVAGE_SEED ?? "1" },
      encoding: "utf8",
      timeout: 180_000,
      killSignal: "SIGKILL",
    },
  );
  return run.status === 0;
}

/** By the tests as they are run: whether they are green without a break. */
const known = new Map();

function isGreenWhole({ tests, built = false }) {
  const name = `${built ? "built " : ""}${tests.join(" ")}`;
  if (known.has(name)) return known.get(name);
  const copy = copyOfSources();
  try {
    if (built) build(copy);
    known.set(name, areGreen(copy, tests));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return known.get(name);
}

function isNoticed(mutant) {
  const copy = copyOfSources();
  try {
    apply(copy, mutant);
    if (mutant.built) build(copy);
    return !areGreen(copy, mutant.tests);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const WORDS = { killed: "caught  ", survived: "SURVIVED", red: "RED     " };
let killed = 0;
let failed = 0;
for (const mutant of MUTANTS.filter(({ name }) => name.includes(wanted))) {
  const verdict = !isGreenWhole(mutant) ? "red" : isNoticed(mutant) ? "killed" : "survived";
  if (verdict === "killed") killed += 1;
  else failed += 1;
  console.log(`${WORDS[verdict]}  ${mutant.hole.padEnd(4)} ${mutant.name}`);
  if (verdict === "red") console.log(`          red without any break: ${mutant.tests.join(" ")}`);
}
console.log(`\n${killed} passed, ${failed} failed`);
process.exitCode = failed > 0 || killed === 0 ? 1 : 0;
