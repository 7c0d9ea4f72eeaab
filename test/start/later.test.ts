// What the build leaves for later must be the same program.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";
import { partOf, whenUsed } from "../../scripts/later.ts";
import { Place, scripted } from "../cli/cli.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What the code says of itself, with files that note when they are loaded. */
function ran(code: string): unknown[] {
  const said: unknown[] = [];
  const ask = (name: string) => {
    said.push(`loads ${name}`);
    return { word: "w", Made: class Made {}, twice: (word: string) => word + word };
  };
  new Function("require", "say", whenUsed(code, parseAst(code)))(ask, (word: unknown) => said.push(word));
  return said;
}

test.each([
  [
    "is loaded when it is used, and once",
    "say(1);say(x.word);say(x.word)",
    [1, "loads ./a-later-1.js", "w", "w"],
  ],
  ["and not at all where nobody uses it", "say(1);if(false)say(x.word)", [1]],
  ["may be made new", "say(new x.Made().constructor.name)", ["loads ./a-later-1.js", "Made"]],
  ["may be called without itself", "say((0,x.twice)(`a`))", ["loads ./a-later-1.js", "aa"]],
  [
    "may be what a class comes from",
    "say(new(class extends x.Made{}) instanceof x.Made)",
    ["loads ./a-later-1.js", true],
  ],
  ["may be handed on", "say({x}.x.word)", ["loads ./a-later-1.js", "w"]],
])("what is left for later %s", (_, rest, said) => {
  expect(ran(`const x=require(\`./a-later-1.js\`);${rest}`)).toEqual(said);
});

test("what is not late is loaded at once, and so is what somebody writes to", () => {
  expect(ran("const x=require(`./a-1.js`);say(1)")).toEqual(["loads ./a-1.js", 1]);
  expect(ran("let x=require(`node:net`);x=say(x.word);")).toEqual(["loads node:net", "w"]);
});

test("what is to be loaded first is there", () => {
  const { first, turn } = JSON.parse(readFileSync(at("scripts/first-modules.json"), "utf8"));
  expect([...first, ...turn].filter((name: string) => !existsSync(at(name)))).toEqual([]);
  expect([first.length > 100, turn.length > 10]).toEqual([true, true]);
});

test("packages that lie elsewhere, behind a link, are in the same files", () => {
  const { first } = JSON.parse(readFileSync(at("scripts/first-modules.json"), "utf8"));
  const [name = ""] = first.filter((each: string) => each.startsWith("node_modules/"));
  expect(["/here/", "/elsewhere/"].map((place) => partOf("/here/", `${place}${name}`))).toEqual(["", ""]);
  expect(partOf("/here/", "/elsewhere/src/main.ts")).toBe("-later");
});

test("each part of the package may be the first that is loaded", () => {
  const text = `const { join } = require("node:path");
    for (const name of require("node:fs").readdirSync(${JSON.stringify(at("dist"))})) {
      if (!/^(?:engine|commands|library)-.*js$/.test(name)) continue;
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const part = require(join(${JSON.stringify(at("dist"))}, name));
      if (Object.keys(part).filter((key) => part[key] !== undefined).length === 0) throw new Error(name);
    }`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", text], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test("until its first request a thread loads nothing that is left for later", async () => {
  const directive =
    "---\ndescription: Asks\nmodel: { id: anthropic/claude-sonnet-4-5 }\npermissions: [execute.tool.write]\n---\nHello.\n";
  const place = new Place(scripted("hello", "- says: hello\n"));
  const server = createServer();
  try {
    writeFileSync(join(place.root, ".ai/directives/asks.md"), directive);
    await place.ok("trust", "--yes");
    const list = join(place.folder, "loaded");
    rmSync(list, { force: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const preload = ["loaded-files.cjs", "until-request.cjs"].flatMap((name) => [
      "--require",
      at(`test/start/${name}`),
    ]);
    const child = spawn(process.execPath, [...preload, at("dist/cli.js"), "run", "asks"], {
      cwd: place.root,
      env: {
        ...place.env,
        LOADED: list,
        ANTHROPIC_API_KEY: "any",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      },
      stdio: "ignore",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const files = readFileSync(list, "utf8");
    expect(files).toContain("/engine-");
    // Files for people are made a moment after a change: on a slow machine that is before the request.
    const late = files
      .split("\n")
      .filter((name) => name.includes("-later-") && !name.includes("-turn-later-"));
    expect(late).toEqual([]);
  } finally {
    server.close();
    place.remove();
  }
});
