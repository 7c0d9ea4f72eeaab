// Runs the checks and every test, and ends with one line: `N passed, M failed`.
// Arguments go to vitest; a run with arguments is a partial one and leaves the checks out.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureSystemPackages } from "./system-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const seed = process.env.SELVAGE_SEED || String(randomInt(2 ** 31));
console.log(`seed ${seed}`);
const missing = ensureSystemPackages();
if (missing) console.log(missing);

const checks = args.length === 0 ? check() : { passed: 0, failed: 0 };
const tests = test();
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;

console.log(`seed ${seed}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || tests.passed === 0 ? 1 : 0;

function check() {
  const { status } = run(["scripts/check.mjs"]);
  console.log(`check ${status === 0 ? "passed" : "failed"}: format, lint, types`);
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function test() {
  const directory = mkdtempSync(join(tmpdir(), "selvage-test-"));
  const report = join(directory, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const plain = process.stdout.isTTY ? [] : ["--no-color"];
    const { status } = run(["node_modules/vitest/vitest.mjs", "run", ...reporters, ...plain, ...args]);
    return count(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined, status);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A file that fails without a failing test (it does not load, a hook throws) counts as one failure. */
function count(report, status) {
  const files = report?.testResults ?? [];
  const broken = files.filter((file) => file.status === "failed" && !file.assertionResults.some(isFailed));
  const failed = (report?.numFailedTests ?? 0) + broken.length;
  // What no file owns, such as an unhandled rejection or a crashed worker, shows only in the exit status.
  return { passed: report?.numPassedTests ?? 0, failed: failed === 0 && status !== 0 ? 1 : failed };
}

function isFailed(assertion) {
  return assertion.status === "failed";
}

function run(nodeArgs) {
  const env = { ...process.env, SELVAGE_SEED: seed };
  return spawnSync(process.execPath, nodeArgs, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
}
