// Where the packages of chat platforms are found: beside Selvage first, then in the project; the SDK is the adapter's own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadNear } from "../../src/surface/chat/platforms/package-places.ts";

const ADAPTER = "@chat-adapter/here";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-packages-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, manifest: object, files: Record<string, string>): void {
  const all = { ...files, "package.json": JSON.stringify({ type: "module", ...manifest }) };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path, file)), { recursive: true });
    writeFileSync(join(folder, path, file), text);
  }
}

const says = (word: string) => ({ "index.js": `export const word = "${word}";\n` });
const load = (name: string) =>
  loadNear(join(folder, "project"), ADAPTER, pathToFileURL(join(folder, "ours/dist/cli.js")).href)(name);

test("in the project, or in a folder above it", async () => {
  put(`project/node_modules/${ADAPTER}`, {}, says("project's"));
  expect(await load(ADAPTER)).toMatchObject({ word: "project's" });
  put("node_modules/chat", {}, says("above"));
  expect(await load("chat")).toMatchObject({ word: "above" });
});

test("what its user has installed beside Selvage comes before what is in the project", async () => {
  put(`project/node_modules/${ADAPTER}`, {}, says("project's"));
  put(`ours/node_modules/${ADAPTER}`, {}, says("ours"));
  expect(await load(ADAPTER)).toMatchObject({ word: "ours" });
});

test("the SDK is the one that the adapter uses, wherever another one is", async () => {
  put(`project/node_modules/${ADAPTER}`, {}, says("adapter"));
  put("project/node_modules/chat", {}, says("the adapter's"));
  put("ours/node_modules/chat", {}, says("ours"));
  expect(await load("chat")).toMatchObject({ word: "the adapter's" });
  put(`project/node_modules/${ADAPTER}/node_modules/chat`, {}, says("its very own"));
  expect(await load("chat")).toMatchObject({ word: "its very own" });
});

test.each([
  [{ exports: { ".": { types: "./x.d.ts", import: "./in/a.js" } } }],
  [{ exports: { types: "./x.d.ts", node: { import: "./in/a.js", require: "./b.cjs" } } }],
  [{ exports: "./in/a.js" }],
  [{ exports: { ".": { require: "./b.cjs", default: "./in/a.js" } } }],
  [{ main: "./b.cjs", module: "in/a.js" }],
  [{ main: "in/a.js" }],
])("as its manifest says: %j", async (manifest) => {
  put(`project/node_modules/${ADAPTER}`, manifest, { "in/a.js": 'export const word = "a";\n' });
  expect(await load(ADAPTER)).toMatchObject({ word: "a" });
});

test("not there, or without a manifest that can be read: as Node would say it", async () => {
  await expect(load("chat")).rejects.toMatchObject({
    code: "ERR_MODULE_NOT_FOUND",
    message: expect.stringContaining("'chat'"),
  });
  mkdirSync(join(folder, "project/node_modules/chat"), { recursive: true });
  writeFileSync(join(folder, "project/node_modules/chat/package.json"), "{");
  await expect(load("chat")).rejects.toMatchObject({ code: "ERR_MODULE_NOT_FOUND" });
});
