// Makes a fresh clone ready: installs the locked packages, then builds. Built-ins only, for it runs before
// node_modules exists. Does nothing, and says nothing, when the stamps show that both are up to date.
//
//   node scripts/ensure.mjs            packages and build
//   node scripts/ensure.mjs packages   packages only
//   node scripts/ensure.mjs rebuild    packages, and a build even if the stamp is fresh
//
//   E1. A stamp holds the hash taken before the work began, and is written only after it succeeded:
//       a source that changes during a build, or a step that dies, is done again by the next run.
//   E2. Only the holder of the lock installs or builds; it looks at the stamps again once it has the lock.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);
const packagesStamp = at("node_modules", ".selvage-stamp");
const buildStamp = at("dist", ".selvage-stamp");
const lock = at("node_modules", ".selvage-lock");
const staleAfterMs = 10 * 60_000;

const steps = process.argv.slice(2);
const wantsBuild = !steps.includes("packages");
if (steps.includes("rebuild")) rmSync(buildStamp, { force: true });

if (!isReady()) {
  takeLock();
  process.on("exit", () => rmSync(lock, { force: true }));
  if (!packagesAreFresh()) install();
  if (wantsBuild && !buildIsFresh()) build();
}

function isReady() {
  return packagesAreFresh() && (!wantsBuild || buildIsFresh());
}

function packagesAreFresh() {
  return read(packagesStamp) === packagesHash();
}

function buildIsFresh() {
  return read(buildStamp) === buildHash();
}

function install() {
  const hash = packagesHash();
  say("installing packages");
  // Not `npm ci`: it refuses a lockfile that lists optional packages of other platforms which a mirror lacks.
  // `--no-save` leaves the lockfile as it is.
  const flags = ["--no-save", "--no-audit", "--no-fund", "--include=dev", "--loglevel=error"];
  const npmScript = process.env.npm_execpath ?? "";
  const outcome = npmScript.endsWith("npm-cli.js")
    ? run(process.execPath, [npmScript, "install", ...flags])
    : run("npm", ["install", ...flags], { shell: process.platform === "win32" });
  if (outcome.status !== 0) fail("npm install failed", outcome);
  writeFileSync(packagesStamp, hash);
}

function build() {
  const hash = buildHash();
  say("building");
  const outcome = run(process.execPath, [at("node_modules", "tsdown", "dist", "run.mjs"), "--logLevel=warn"]);
  if (outcome.status !== 0) fail("the build failed", outcome);
  writeFileSync(buildStamp, hash);
}

function packagesHash() {
  return hashOf([["platform", `${process.platform} ${process.arch}`], file("package-lock.json")]);
}

function buildHash() {
  const sources = filesUnder("src").filter((path) => !path.endsWith(".test.ts"));
  const settings = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsdown.config.ts",
    "scripts/chunks.ts",
    "scripts/code-text.ts",
    "scripts/first-modules.json",
    "scripts/later.ts",
  ];
  return hashOf([...settings, ...sources].map(file));
}

function hashOf(entries) {
  const hash = createHash("sha256");
  for (const [name, body] of entries) hash.update(`${name}\0${body.length}\0`).update(body);
  return hash.digest("hex");
}

function file(path) {
  return [path, readFileSync(at(path))];
}

function filesUnder(directory) {
  if (!existsSync(at(directory))) return [];
  return readdirSync(at(directory), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${directory}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

function takeLock() {
  mkdirSync(at("node_modules"), { recursive: true });
  while (!createLock()) {
    if (isAbandoned()) rmSync(lock, { force: true });
    else pause(100);
  }
}

function createLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** The age limit covers what the process id cannot tell: an id that was given to another process since. */
function isAbandoned() {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  const holder = Number(read(lock));
  if (!holder) return age > 1_000;
  return !isAlive(holder) || age > staleAfterMs;
}

function isAlive(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, ...options });
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function say(text) {
  process.stderr.write(`selvage: ${text}\n`);
}

function fail(text, { stdout, stderr, error }) {
  process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  say(error ? `${text}: ${error.message}` : text);
  process.exit(1);
}
