import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Compiled } from "./compiled.ts";

const LONG = `/*${"-".repeat(30_000)}*/`;
const DAY_MS = 24 * 3_600_000;

let root: string;
let files: string;
let state: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-test-"));
  files = join(root, "files");
  state = join(root, "state");
  mkdirSync(files);
  mkdirSync(state, { mode: 0o700 });
  write("a.js", `${LONG}"use strict";exports.said=()=>"one"+require("./b.js").word;`);
  write("b.js", 'exports.word=" two";');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(files, name), text);
  utimesSync(join(files, name), 1_000, 1_000);
}

const opened = (version = "1") => new Compiled({ files, kept: join(state, "compiled"), version });

/** What it says, and how many files are worth writing after it. */
function start(command = "run", version?: string): [said: string, written: number] {
  const compiled = opened(version);
  const { said } = compiled.load("a.js") as { said(): string };
  return [said(), compiled.keep(command)];
}

const folder = (version = "1") => join(state, "compiled", `${version}-${process.version}-${process.arch}`);
const kept = () => join(folder(), "a.js");

test("what a start has compiled is there for the next; small files are not worth it", () => {
  expect(start()).toEqual(["one two", 1]);
  expect(readdirSync(folder())).toEqual(["a.js"]);
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
  expect(start()).toEqual(["one two", 1]);
});

test("each command adds to it from its first three ends", () => {
  expect([start(), start(), start(), start()].map(([, written]) => written)).toEqual([1, 1, 1, 0]);
  expect([start("ps"), start("run")].map(([, written]) => written)).toEqual([1, 0]);
});

test("it is really used: what is kept decides, not the text", () => {
  // V8 compares lengths alone. The sum, the size and the time are as they were, so nothing shows the change.
  start();
  write("a.js", `${LONG}"use strict";exports.said=()=>"ONE"+require("./b.js").word;`);
  expect(start()[0]).toBe("one two");
});

test("a file that was changed is compiled again, even at the same length", () => {
  start();
  writeFileSync(join(files, "a.js"), `${LONG}"use strict";exports.said=()=>"ONE"+require("./b.js").word;`);
  expect(start()[0]).toBe("ONE two");
});

test.each([
  ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
  ["damaged", (bytes: Buffer) => bytes.map((byte, at) => (at === bytes.length - 300 ? byte ^ 0x55 : byte))],
  ["emptied", () => Buffer.alloc(0)],
  ["something else", () => Buffer.from("{}\nnothing of V8's")],
])("what is kept and %s is not used, and is written anew", (_, change) => {
  for (let end = 0; end < 3; end += 1) start();
  writeFileSync(kept(), change(readFileSync(kept())));
  expect([start(), start()]).toEqual([
    ["one two", 1],
    ["one two", 1],
  ]);
});

test("another version has a folder of its own; one that nobody starts any more is cleared away", () => {
  start();
  start("run", "2");
  expect(existsSync(folder())).toBe(true);
  const long = (Date.now() - 31 * DAY_MS) / 1_000;
  utimesSync(folder(), long, long);
  start("run", "3");
  expect([existsSync(folder()), existsSync(folder("2"))]).toEqual([false, true]);
});

test("what is kept of a file that is gone goes, too, and so does a draft that was left", () => {
  start();
  for (const name of ["old-hash.js", "a.js.4711"]) writeFileSync(join(folder(), name), "");
  start();
  expect(readdirSync(folder())).toEqual(["a.js"]);
});

test("nothing is kept where there is no folder of the user's yet, or where others may write", () => {
  rmSync(state, { recursive: true });
  expect(start()).toEqual(["one two", 0]);
  expect(existsSync(state)).toBe(false);
  mkdirSync(state);
  chmodSync(state, 0o777);
  expect(start()).toEqual(["one two", 0]);
  expect(readdirSync(state)).toEqual([]);
});

test("what others could have written is not run", () => {
  for (let end = 0; end < 3; end += 1) start();
  chmodSync(kept(), 0o666);
  // Written anew, for it was not used.
  expect(start()).toEqual(["one two", 1]);
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
});

test("a place that takes no writes costs nothing but time", () => {
  writeFileSync(join(state, "compiled"), "in the way");
  expect(start()).toEqual(["one two", 0]);
});

test("a file is run once, and may ask for packages and for modules", async () => {
  write("b.js", "globalThis.counted=(globalThis.counted??0)+1;");
  write(
    "a.js",
    'require("./b.js");require("./b.js");exports.path=require("node:path");exports.url=require.importing("node:url");',
  );
  const { path, url } = opened().load("a.js") as { path: object; url: Promise<object> };
  expect([Object.keys(path).includes("join"), Object.keys(await url).includes("pathToFileURL")]).toEqual([
    true,
    true,
  ]);
  expect(Reflect.get(globalThis, "counted")).toBe(1);
});
