// What a program that uses the package loads, and what it leaves behind for its next start.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as index from "../../src/index.ts";
import * as testing from "../../src/testing.ts";
import { Place, scripted } from "../cli/cli.ts";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const INDEX = JSON.stringify(join(DIST, "index.js"));
const TESTING = JSON.stringify(join(DIST, "testing.js"));

let place: Place;
let kept: string;
beforeAll(async () => {
  place = new Place(scripted("hello", "- says: hello\n"));
  await place.ok("trust", "--yes");
  kept = join(place.folder, "state/selvage/compiled");
});
beforeEach(() => rmSync(kept, { recursive: true, force: true }));
afterAll(() => place.remove());

function written(name: string, text: string): string {
  const path = join(place.folder, name);
  writeFileSync(path, text);
  return path;
}

function run(name: string, text: string, env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [written(name, text)], {
    cwd: place.root,
    env: { ...place.env, ...env },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

/** After which ends the files were written, by the beginning of their names. */
function ends(): Record<string, unknown> {
  const [version = ""] = existsSync(kept) ? readdirSync(kept) : [];
  const names = version ? readdirSync(join(kept, version)) : [];
  return Object.fromEntries(
    names.map((name) => {
      const [head = ""] = readFileSync(join(kept, version, name), "latin1").split("\n", 1);
      return [name.replace(/-.{8}\.js$/, ""), JSON.parse(head).after];
    }),
  );
}

const names = (module: object) => Object.keys(module).sort();

test.each([
  ["index.js", index],
  ["testing.js", testing],
])("%s has every name that its declarations have, for modules and for scripts", (file, source) => {
  const path = JSON.stringify(join(DIST, file));
  const script = run("names.cjs", `console.log(JSON.stringify(Object.keys(require(${path}))))`);
  expect(JSON.parse(script).sort()).toEqual(names(source));
  const module = run(
    "names.mjs",
    `import * as all from ${path}; const { default: _, "module.exports": __, ...rest } = all; console.log(JSON.stringify(Object.keys(rest)))`,
  );
  expect(JSON.parse(module).sort()).toEqual(names(source));
});

test("to import it leaves nothing; who has opened a project leaves what was compiled for the next", () => {
  run("import.mjs", `import ${INDEX}; import ${TESTING};`);
  expect(ends()).toEqual({});
  const program = `import { open } from ${INDEX}; await (await open(".")).close();`;
  run("open.mjs", program);
  expect(ends()).toMatchObject({ engine: { program: 1 }, library: { program: 1 } });
  run("open.mjs", program);
  expect(ends()).toMatchObject({ engine: { program: 2 }, library: { program: 2 } });
});

test("it serves programs and commands alike, and each adds its own", async () => {
  await place.ok("run", "hello");
  run("open.mjs", `import { open } from ${INDEX}; await (await open(".")).close();`);
  expect(ends()).toMatchObject({ engine: { run: 1, program: 1 } });
});

test("a program whose opening fails leaves nothing, nor does one that is killed", async () => {
  run(
    "fails.mjs",
    `import { open } from ${INDEX}; await open("/dev/null/x").catch(() => console.log("no"));`,
  );
  expect(ends()).toEqual({});
  const path = written("killed.mjs", `import { open } from ${INDEX}; await open("."); console.log("open");`);
  const child = spawn(process.execPath, [path], { cwd: place.root, env: place.env });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(ends()).toEqual({});
});

test("what is used with tests and what is not are one: what one makes the other knows", () => {
  const text = `import { open, SelvageError } from ${INDEX}; import { openInMemory } from ${TESTING};
    const runtime = await openInMemory();
    try { await runtime.thread("none"); } catch (error) { console.log(error instanceof SelvageError); }
    await runtime.close();`;
  expect(run("one.mjs", text).trim()).toBe("true");
});

test("in a realm of its own, as runners of tests make them, it is loaded as any other package", () => {
  const text = `const vm = require("node:vm"), { readFileSync } = require("node:fs"), { dirname, join } = require("node:path");
    const context = vm.createContext({ process, Buffer, setTimeout, clearTimeout, setImmediate, URL, AbortController, TextDecoder, TextEncoder, structuredClone, performance });
    const cache = new Map();
    function load(path) {
      if (cache.has(path)) return cache.get(path).exports;
      const module = { exports: {} };
      cache.set(path, module);
      const ask = (id) => (id.startsWith("./") ? load(join(dirname(path), id)) : require(id.startsWith("node:") ? id : require.resolve(id, { paths: [path] })));
      vm.runInContext("(function(exports,require,module,__filename,__dirname){" + readFileSync(path, "utf8") + "\\n})", context)
        .call(module.exports, module.exports, ask, module, path, dirname(path));
      return module.exports;
    }
    const { SelvageError } = load(${INDEX});
    const Inner = vm.runInContext("Error", context);
    console.log(SelvageError.prototype instanceof Inner, [...cache.keys()].some((path) => path.includes("engine-")));`;
  expect(run("realm.cjs", text).trim()).toBe("true true");
});

test("bundled into a program, it brings its files along", () => {
  // As a bundler leaves it: the files of the package are elsewhere, and what is asked for by name is in the bundle.
  const folder = join(place.folder, "bundled");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(DIST).filter((file) => /^(?:index|package)[-.]/.test(file)))
    cpSync(join(DIST, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }');
  const text = `const { Module } = require("node:module");
    const load = Module._load;
    Module._load = (id, ...rest) => load(id === "./program.js" ? ${JSON.stringify(join(DIST, "program.js"))} : id, ...rest);
    console.log(typeof require(${JSON.stringify(join(folder, "index.js"))}).open);`;
  expect(run("bundled.cjs", text).trim()).toBe("function");
});
