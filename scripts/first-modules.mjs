// Watches which modules starts use until they have done what somebody waits for, and writes first-modules.json, by which the
// package is cut into files (`later.ts`). `node scripts/first-modules.mjs`, when starts have come to need other modules.
//
// Every module is built as a file of its own, and each sees the others through a proxy that notes who used whom. What is
// used by a module that nobody uses does not count.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsdown";

const root = fileURLToPath(new URL("..", import.meta.url));
// Under node_modules: git does not see it, and the SQLite binding is found from there.
const dist = join(root, "node_modules/.selvage-first/");
const home = mkdtempSync(join(tmpdir(), "selvage-first-"));
const project = join(home, "project");
const cli = join(dist, "cli.cjs");
const program = join(home, "program.cjs");
const DIRECTIVE =
  "---\ndescription: Asks once\nmodel: { id: anthropic/claude-sonnet-4-5 }\npermissions: [execute.tool.write]\n---\nSay hello.\n";
const ENTRIES = ["command-line.js", "program.js"];

const sourceOf = await modulesApart();
const server = createServer((_, response) => response.end("data: {}\n\n")).listen(0, "127.0.0.1");
await once(server, "listening");
const env = {
  ...process.env,
  XDG_STATE_HOME: home,
  XDG_CONFIG_HOME: home,
  ANTHROPIC_API_KEY: "any",
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
};
try {
  mkdirSync(project);
  await whole("init");
  writeFileSync(join(project, ".ai/directives/asks.md"), DIRECTIVE);
  await whole("trust", "--yes");
  writeFileSync(
    program,
    `require(${JSON.stringify(join(dist, "program.js"))}).open(".").then((it) => it.start({ prompt: "Hello.", model: "anthropic/claude-sonnet-4-5" }));`,
  );
  // The first is killed while it waits for its answer: that is what the last one finds.
  const starts = [[cli, "run", "asks"], [program], [cli, "ps"], [cli, "recover", "--all"]];
  const first = await usedByAll(starts);
  const turn = (await usedByAll([[cli, "run", "hello"]])).filter((name) => !first.includes(name));
  writeFileSync(join(root, "scripts/first-modules.json"), `${JSON.stringify({ first, turn }, null, 2)}\n`);
  console.log(`${first.length} and ${turn.length} of ${sourceOf.size} modules`);
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
  rmSync(dist, { recursive: true, force: true });
}

/** Builds each module as a file of its own; from which source each is made. */
async function modulesApart() {
  const { default: configs } = await import("../tsdown.config.ts");
  const code = configs.find(({ name }) => name === "code");
  const { codeSplitting: _, ...outputOptions } = code.outputOptions;
  const found = new Map();
  const note = {
    name: "sources",
    generateBundle(_, bundle) {
      for (const { fileName, facadeModuleId } of Object.values(bundle))
        if (facadeModuleId?.startsWith(root)) found.set(fileName, facadeModuleId.slice(root.length));
    },
  };
  const plugins = [...code.plugins.filter(({ name }) => name !== "asked when used"), note];
  const apart = { outDir: dist, unbundle: true, minify: false, outputOptions, plugins, logLevel: "warn" };
  await build({ ...code, ...apart, config: false, cwd: root });
  const answer =
    'require("./command-line.js").answer(process.argv.slice(2)).then((exit) => (process.exitCode = exit));';
  writeFileSync(cli, answer);
  return found;
}

/** Sources, sorted. */
async function usedByAll(commands) {
  const used = new Set();
  for (const words of commands) for (const name of await usedBy(words)) used.add(sourceOf.get(name));
  return [...used].filter((name) => name !== undefined).sort();
}

/** The files that are used until the first request, or until the end. */
async function usedBy(words) {
  const place = join(home, "uses");
  const watch = join(root, "scripts/first-modules-watch.cjs");
  const child = spawn(process.execPath, ["--require", watch, ...words], {
    cwd: project,
    env: { ...env, WATCHED: dist, USES: place },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit");
  const uses = readFileSync(place, "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const used = new Set(ENTRIES);
  for (let before = 0; before < used.size; ) {
    before = used.size;
    for (const [by, name] of uses) if (used.has(by)) used.add(name);
  }
  return used;
}

async function whole(...words) {
  const child = spawn(process.execPath, [cli, ...words], {
    cwd: project,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`selvage ${words.join(" ")} ended with ${code}`);
}
