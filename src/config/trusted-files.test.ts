import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNHASHED } from "../core/trust-survey.ts";
import { surveyProject, trustProject } from "./trust.ts";
import { changedFiles, trustedFiles } from "./trusted-files.ts";

let folder: string;
let root: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "selvage-files-")));
  root = join(folder, "project");
  mkdirSync(root);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
}

/** What a change of one file asks about. */
function askedAfter(path: string, text: string | Buffer): string[] {
  const before = trustedFiles(root);
  write(path, text);
  return changedFiles(before, trustedFiles(root));
}

describe("what a module tool imports", () => {
  test.each<[string, string, string]>([
    ["beside it", 'import { a } from "./lib/a.js";', ".ai/tools/lib/a.ts"],
    ["elsewhere in the project", 'import a from "../../src/a.ts";', "src/a.ts"],
    ["without an ending", "export * from '../../src/a'", "src/a.ts"],
    ["a folder", "import '../../src'", "src/index.ts"],
    ["late", 'await import( "../../src/a.mjs" )', "src/a.mjs"],
    ["by require", "const a = require('../../src/a.cjs');", "src/a.cjs"],
    ["outside of the project", 'import "../../../outside.js"', "../outside.js"],
  ])("%s", (_, line, path) => {
    write(".ai/tools/mine.ts", line);
    write(path, "one");
    expect(askedAfter(path, "two")).toEqual([path]);
  });

  test("and what that imports, round in circles; packages are not looked into", () => {
    write(".ai/tools/mine.ts", 'import "../../src/a.ts"; import "zod"; import "../../node_modules/x/i.js";');
    write("src/a.ts", 'import "./b.js";');
    write("src/b.ts", 'import "./a.ts"; import "./c.json";');
    write("src/c.json", "1");
    write("node_modules/x/i.js", "1");
    expect(Object.keys(trustedFiles(root))).toEqual([
      ".ai/tools/mine.ts",
      "src/a.ts",
      "src/b.ts",
      "src/c.json",
    ]);
    expect(askedAfter("src/c.json", "2")).toEqual(["src/c.json"]);
    expect(askedAfter("node_modules/x/i.js", "2")).toEqual([]);
  });
});

describe("a script that a file names", () => {
  const SCRIPT = "#!/bin/sh\necho 1\n";
  test.each<[string, string, string]>([
    [".ai/tools/a.yaml", "description: d\ncommand: ./x.sh\n", "x.sh"],
    [".ai/tools/a.yaml", "command: [python3, scripts/x.py, --fast]\n", "scripts/x.py"],
    [".ai/tools/a.yaml", "command: |\n  cd / &&\n  ./bin/x $1\n", "bin/x"],
    [".ai/tools/a.yaml", 'command: sh "my scripts/x y.sh"\n', "my scripts/x y.sh"],
    [".ai/config/hooks.yaml", "hooks: [{ id: a, event: before_step, command: sh check }]\n", "check"],
    [".ai/directives/d.md", "---\nhooks: [{ event: error, command: ./x.sh }]\n---\nGo.\n", "x.sh"],
    [
      ".ai/directives/d.md",
      "```xml\n<directive><hooks><hook><command>./x.sh</command></hook></hooks></directive>\n```\n",
      "x.sh",
    ],
    [".mcp.json", '{"mcpServers":{"a":{"command":"node","args":["server/x.mjs"]}}}', "server/x.mjs"],
  ])("%s: %j", (path, text, script) => {
    write(path, text);
    write(script, SCRIPT);
    expect(askedAfter(script, `${SCRIPT}echo 2\n`)).toEqual([script]);
  });

  test("with what a script in JavaScript imports", () => {
    write(".ai/config/hooks.yaml", "hooks: [{ id: a, event: before_step, command: node scripts/h.mjs }]\n");
    write("scripts/h.mjs", 'import "./lib.mjs";');
    write("scripts/lib.mjs", "1");
    expect(askedAfter("scripts/lib.mjs", "2")).toEqual(["scripts/lib.mjs"]);
  });

  test("a file that a command only reads or writes is none", () => {
    write(".ai/tools/a.yaml", "command: sh -c 'cat notes.md >> out/log.txt'\n");
    write("notes.md", "a");
    write("out/log.txt", "a", 0o755);
    expect(askedAfter("notes.md", "b")).toEqual([]);
    expect(askedAfter("out/log.txt", "b")).toEqual([]);
  });

  test("one outside of the project is not looked at", () => {
    writeFileSync(join(folder, "x.sh"), SCRIPT);
    symlinkSync(join(folder, "x.sh"), join(root, "link.sh"));
    write(".ai/tools/a.yaml", "command: ../x.sh ./link.sh /bin/sh\n");
    expect(Object.keys(trustedFiles(root))).toEqual([".ai/tools/a.yaml"]);
  });
});

describe("the head of a directive", () => {
  test("is all that its reader takes for it, also after a line that only looks like the end of a fence", () => {
    const xml = (model: string) =>
      `Hi\n~~~xml\n<directive>\n~~~not the end\n<model id="${model}"/></directive>\n~~~\nProse\n`;
    write(".ai/directives/a.md", xml("x"));
    expect(askedAfter(".ai/directives/a.md", xml("y"))).toEqual([".ai/directives/a.md"]);
    expect(askedAfter(".ai/directives/a.md", xml("y").replace("Prose", "Other prose"))).toEqual([]);
  });

  test("a hundred thousand fences take no time", () => {
    write(".ai/directives/a.md", "```xml\n".repeat(140_000));
    const startedAt = performance.now();
    trustedFiles(root);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe("files that are none", () => {
  test("bytes count, not the text they might be", () => {
    write(".ai/tools/a.js", Buffer.from([0xff, 0x01]));
    expect(askedAfter(".ai/tools/a.js", Buffer.from([0xfe, 0x01]))).toEqual([".ai/tools/a.js"]);
  });

  test("pipes, devices, links in circles and folders by another name are passed by", () => {
    mkdirSync(join(root, ".ai/tools"), { recursive: true });
    mkdirSync(join(root, ".ai/config"), { recursive: true });
    spawnSync("mkfifo", [join(root, ".ai/tools/pipe.yaml"), join(root, ".mcp.json")]);
    symlinkSync("/dev/zero", join(root, ".ai/tools/zero.ts"));
    symlinkSync("loop.yaml", join(root, ".ai/config/loop.yaml"));
    symlinkSync("..", join(root, ".ai/tools/up"));
    const files = trustedFiles(root);
    expect(Object.keys(files)).toHaveLength(5);
    expect(changedFiles(files, trustedFiles(root))).toEqual([]);
  });

  test("what is too large to be hashed is asked about for ever", () => {
    write(".ai/tools/huge.js", "");
    truncateSync(join(root, ".ai/tools/huge.js"), 10 * 2 ** 30);
    const files = trustedFiles(root);
    expect(files).toEqual({ ".ai/tools/huge.js": UNHASHED });
    expect(changedFiles(files, files)).toEqual([".ai/tools/huge.js"]);
  });
});

describe("the survey", () => {
  const home = () => join(folder, "state");
  const survey = () => surveyProject(root, "store", home());

  test("says what each file would do, and which variables are asked for", () => {
    write(".ai/tools/deploy.yaml", "description: d\ncommand: [./deploy.sh, now]\nenv: [DEPLOY_TOKEN]\n");
    write("deploy.sh", "#!/bin/sh\n");
    write(".ai/tools/mod.ts", "export default 1");
    write(".ai/config/hooks.yaml", "hooks: [{ id: guard, event: before_tool, command: ./deploy.sh }]\n");
    write(
      ".ai/config/providers.yaml",
      "local: { base_url: http://127.0.0.1:9/v1, key_env: [AWS_SECRET, OTHER] }\n",
    );
    write(
      ".mcp.json",
      '{"mcpServers":{"files":{"command":"npx","args":["-y","files"],"env":{"FILES_KEY":"x"}}}}',
    );
    write(
      ".ai/directives/go.md",
      "---\nmodel: { id: local/m }\npermissions: [execute.tool.bash]\n---\nGo.\n",
    );
    const { files, variables, trustedAt } = survey();
    expect(trustedAt).toBeNull();
    expect(files.map(({ path, kind, change, means }) => [path, kind, change, ...means])).toEqual([
      [".ai/config/hooks.yaml", "hooks", "new", "before_tool: guard runs ./deploy.sh"],
      [
        ".ai/config/providers.yaml",
        "providers",
        "new",
        "local: what threads say goes to http://127.0.0.1:9/v1",
      ],
      [".ai/directives/go.md", "directive", "new", "model local/m; rights execute.tool.bash"],
      [".ai/tools/deploy.yaml", "tool", "new", 'runs "./deploy.sh" "now"'],
      [".ai/tools/mod.ts", "tool", "new", "a module: its code runs as you, in a process of its own"],
      [".mcp.json", "mcp", "new", 'files: a server, started with "npx" "-y" "files"'],
      ["deploy.sh", "code", "new", "code that a tool, a hook or a server runs"],
    ]);
    expect(variables.map(({ name, use, path }) => [name, use, path])).toEqual([
      ["AWS_SECRET", "key of local, sent to http://127.0.0.1:9/v1", ".ai/config/providers.yaml"],
      ["OTHER", "key of local, sent to http://127.0.0.1:9/v1", ".ai/config/providers.yaml"],
      ["DEPLOY_TOKEN", "given to the tool deploy", ".ai/tools/deploy.yaml"],
      ["FILES_KEY", "given to the server files", ".mcp.json"],
    ]);
  });

  test("says what came, went and changed since the last yes", () => {
    write(".ai/tools/a.yaml", "command: one\n");
    write(".ai/tools/b.yaml", "command: one\n");
    trustProject(root, "store", Date.parse("2026-01-02T03:04:05Z"), home());
    write(".ai/tools/a.yaml", "command: two\n");
    rmSync(join(root, ".ai/tools/b.yaml"));
    write(".ai/tools/c.yaml", "command: three\n");
    const { files, trustedAt } = survey();
    expect(trustedAt).toBe("2026-01-02T03:04:05.000Z");
    expect(files.map(({ path, change, means }) => [path, change, means[0]])).toEqual([
      [".ai/tools/a.yaml", "changed", "runs two"],
      [".ai/tools/b.yaml", "gone", undefined],
      [".ai/tools/c.yaml", "new", "runs three"],
    ]);
  });

  test("a yes is to what was shown, not to what came meanwhile", () => {
    write(".ai/tools/a.yaml", "command: one\n");
    const seen = survey();
    write(".ai/tools/a.yaml", "command: two\n");
    trustProject(root, "store", Date.now(), home(), seen);
    expect(survey().files).toMatchObject([{ path: ".ai/tools/a.yaml", change: "changed" }]);
  });

  test("whatever a file says, it is told on one line and nothing obeys it", () => {
    write(".ai/tools/a.yaml", 'command: "x\\n\\e[31mred"\nenv: { a: [1] }\n');
    write(".ai/config/hooks.yaml", "hooks: 7\n");
    write(".ai/config/providers.yaml", "a: 1\nb: [2]\nc: { key_env: { d: 1 } }\n");
    write(".mcp.json", '{"mcpServers":{"a":1,"b":{"args":3,"env":[]}}}');
    write(".ai/directives/a.md", "---\n- 1\n---\n");
    for (const { means } of survey().files) for (const line of means) expect(line).not.toMatch(/[\n\u001b]/);
  });
});
