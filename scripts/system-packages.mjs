// Programs outside npm that tests need. Installed when that is possible without asking; otherwise named.
import { spawnSync } from "node:child_process";

const NEEDED = [
  { program: "strace", debian: "strace" },
  { program: "bwrap", debian: "bubblewrap" },
  { program: "script", debian: "bsdutils" },
];

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** Returns what is still missing, as a sentence; undefined when all is there. */
export function ensureSystemPackages() {
  const missing = NEEDED.filter(({ program }) => !has(program));
  if (missing.length === 0) return undefined;
  const names = missing.map(({ debian }) => debian);
  if (process.getuid?.() === 0 && has("apt-get")) {
    console.log(`selvage: installing ${names.join(", ")}`);
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update"], options);
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...names], options);
  }
  const still = missing.filter(({ program }) => !has(program)).map(({ debian }) => debian);
  return still.length === 0
    ? undefined
    : `Tests need these programs: ${still.join(", ")} (apt-get install ${still.join(" ")})`;
}
