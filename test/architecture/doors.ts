// Which room may open which door. A new room is a new row here, and a decision worth writing down.

import type { Source } from "./source.ts";

/** Composition roots: they build the real World, so every door is open to them. */
const ROOTS = [
  "src/main.ts",
  "src/real-world.ts",
  "src/real-bundles.ts",
  "src/real-checks.ts",
  "src/real-client.ts",
  "src/real-directives.ts",
  "src/real-entries.ts",
  "src/real-exports.ts",
  "src/real-glance.ts",
  "src/real-models.ts",
  "src/real-policies.ts",
  "src/real-processes.ts",
  "src/real-chat.ts",
  "src/real-program.ts",
  "src/real-program-folder.ts",
  "src/real-project.ts",
  "src/real-redaction.ts",
  "src/real-replay.ts",
  "src/real-sandbox.ts",
  "src/real-spans.ts",
  "src/real-store.ts",
  "src/real-surroundings.ts",
  "src/real-tools.ts",
  "src/cli.ts",
  "src/command-line.ts",
  "src/in-memory.ts",
  "src/index.ts",
  "src/inside.ts",
  "src/ledger-balanced.ts",
  "src/package-index.ts",
  "src/package-testing.ts",
  "src/programs.ts",
  "src/testing.ts",
  "src/version.ts",
  "src/tool-host.ts",
  "src/process-keeper.ts",
];

/** Room -> beginnings of the paths under src/ that it may import, beside its own. */
const DOORS: Record<string, readonly string[]> = {
  core: [],
  disk: ["core/"],
  yaml: ["core/"],
  bundle: ["core/", "disk/", "yaml/"],
  config: ["core/", "disk/", "yaml/"],
  directive: ["core/", "yaml/"],
  store: ["core/", "disk/"],
  provider: ["core/", "yaml/"],
  tool: ["core/", "disk/", "yaml/"],
  machine: ["core/"],
  runtime: ["core/"],
  replay: ["core/", "runtime/", "store/stores/memory"],
  surface: ["core/", "runtime/index.ts"],
  telemetry: ["core/"],
  web: ["core/"],
  testing: [
    "core/",
    "runtime/",
    "store/stores/memory",
    "store/stores/needs",
    "provider/scripted",
    "machine/",
  ],
};

/** Libraries without clock, chance or I/O: all that core may import from outside. */
const PURE_LIBRARIES = ["zod", "@marcbachmann/cel-js", "re2js"];

export function doorComplaints(source: Source): string[] {
  if (ROOTS.includes(source.path)) return [];
  const [, room, rest] = source.path.split("/");
  const doors = room === undefined || rest === undefined ? undefined : DOORS[room];
  if (!doors) return [`${source.path}: neither a composition root nor in a room that doors.ts knows`];
  const mayOpen = (target: string) =>
    isPath(target)
      ? [`${room}/`, ...doors].some((door) => target.startsWith(`src/${door}`))
      : room !== "core" || PURE_LIBRARIES.some((name) => target === name || target.startsWith(`${name}/`));
  return source.imports
    .filter(({ target }) => !mayOpen(target))
    .map(({ target, line }) => `${source.path}:${line}: ${room} may not import ${target}`);
}

/** Ours, as `source.ts` resolves it; a path that leaves the project's root is never a package. */
function isPath(target: string): boolean {
  return target.startsWith("src/") || target.startsWith("../") || /\.[cm]?[jt]sx?$|\.json$/.test(target);
}
