// What a start loads. Counted, not timed: every file and every byte has to be read and compiled before an answer.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, scripted } from "../cli/cli.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const DIST = at("dist/");

let place: Place;
beforeAll(async () => {
  place = new Place(scripted("hello", "- says: hello\n"));
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

interface Loaded {
  /** Of our own. */
  readonly files: readonly string[];
  readonly bytes: number;
  readonly text: string;
  /** Of packages beside us. */
  readonly packages: readonly string[];
}

const loadedBy = (...args: string[]) => loadedByNode(join(DIST, "cli.js"), ...args);

function loadedByProgram(text: string): Loaded {
  const program = join(place.folder, "program.cjs");
  writeFileSync(program, text);
  return loadedByNode(program);
}

function loadedByNode(...args: string[]): Loaded {
  const list = join(place.folder, "loaded");
  rmSync(list, { force: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--require", at("test/start/loaded-files.cjs"), ...args],
    { cwd: place.root, env: { ...place.env, LOADED: list }, encoding: "utf8" },
  );
  expect([status, stderr], args.join(" ")).toEqual([0, expect.any(String)]);
  const urls = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
  const paths = [...new Set(urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url)))];
  const files = paths.filter((path) => path.startsWith(DIST));
  return {
    files,
    bytes: files.reduce((sum, path) => sum + statSync(path).size, 0),
    text: files.map((path) => readFileSync(path, "utf8")).join("\n"),
    packages: paths.flatMap((path) => path.split("/node_modules/")[1] ?? []),
  };
}

/** After which ends what is kept was written, and how often. */
function ends(kept: string): Readonly<Record<string, number>> {
  const [version = ""] = existsSync(kept) ? readdirSync(kept) : [];
  const engine = version && readdirSync(join(kept, version)).find((name) => /^engine-.{8}\.js$/.test(name));
  if (!engine) return {};
  return JSON.parse(readFileSync(join(kept, version, engine), "latin1").split("\n", 1)[0] ?? "").after;
}

/** By words that stand in the code of each of them, and of nothing else. */
const LIBRARIES = {
  yaml: "Lexer=class",
  zod: "$ZodType",
  commander: "class Command ",
  sqlite: "openSqliteStore",
};

test.each(Object.entries(LIBRARIES))("%s would be noticed", (_, word) => {
  const { text } = loadedBy("ps");
  expect(text.replaceAll("{", " {").includes(word)).toBe(true);
});

test.each([["--help"], ["--version"], ["--version", "--json"]])("%j loads next to nothing", (...args) => {
  const { files, bytes, text, packages } = loadedBy(...args);
  expect(files.length).toBeLessThanOrEqual(4);
  expect(bytes).toBeLessThan(60_000);
  expect(packages).toEqual([]);
  for (const word of Object.values(LIBRARIES)) expect(text.replaceAll("{", " {").includes(word)).toBe(false);
});

test("the help of a command does not load the command", () => {
  const { files, bytes, packages } = loadedBy("proc", "logs", "--help");
  expect(files.length).toBeLessThanOrEqual(5);
  expect(bytes).toBeLessThan(90_000);
  expect(packages).toEqual([]);
});

test("ps loads few files, and of the commands its own", () => {
  const { files, bytes, packages } = loadedBy("ps");
  expect(files.length).toBeLessThanOrEqual(12);
  expect(bytes).toBeLessThan(1_400_000);
  expect(files.filter((file) => /\/(?:run|demo|doctor|serve|replay|remote)-[\w-]+\.js$/.test(file))).toEqual(
    [],
  );
  expect(new Set(packages.map((path) => path.split("/").slice(0, 2).join("/")))).toEqual(
    new Set(["@photostructure/sqlite"]),
  );
});

test("a thread loads no more than it needs", () => {
  const { files, bytes, text } = loadedBy("run", "hello");
  expect(files.length).toBeLessThanOrEqual(14);
  expect(bytes).toBeLessThan(1_400_000);
  // Conditions, patterns and locales are for who has any; those of Node take 15 ms.
  const others = [
    "class CelNamespace",
    "class RE2JS",
    "Ungültige Eingabe",
    "Ung\\u00fcltige",
    "toLocaleString",
  ];
  expect(others.filter((word) => text.includes(word))).toEqual([]);
});

test("the second start takes what the first has compiled", async () => {
  const kept = join(place.folder, "state/selvage/compiled");
  rmSync(kept, { recursive: true, force: true });
  await place.ok("run", "hello");
  expect(ends(kept)).toEqual({ run: 1 });
  // It counts on only where what is there was good enough to be used.
  await place.ok("run", "hello");
  expect(ends(kept)).toEqual({ run: 2 });
});

test("a program compiles nothing of the command line, and no session that it has not", () => {
  const { text } = loadedByProgram(`require(${JSON.stringify(join(DIST, "index.js"))});`);
  expect(text).toContain("openSqliteStore");
  expect(text.length).toBeLessThan(1_250_000);
  const others = ["class Narrator", "class AgentSession", "class Command"];
  expect(others.filter((word) => text.includes(word))).toEqual([]);
});

test("no line of the package is so long that a trace cannot be read", () => {
  const { files } = loadedBy("run", "hello");
  const longest = files.flatMap((file) => readFileSync(file, "utf8").split("\n")).map((line) => line.length);
  expect(Math.max(...longest)).toBeLessThan(15_000);
});
