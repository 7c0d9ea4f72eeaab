// What a person is shown before a yes, and what asks again.
import { chmodSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";
import { TestTerminal } from "./terminal.ts";

let place: Place;
beforeEach(() => {
  place = new Place({
    ...scripted("mine", "- says: hi\n"),
    ".ai/tools/deploy.yaml": "description: d\ncommand: ./deploy.sh\nenv: [DEPLOY_TOKEN]\n",
    ".ai/tools/mod.ts": 'import "../../src/lib.ts";\n',
    ".ai/config/hooks.yaml": "hooks: [{ id: guard, event: before_tool, command: ./deploy.sh }]\n",
    ".ai/config/providers.yaml":
      "local: { protocol: openai, base_url: 'http://127.0.0.1:9', key_env: MY_KEY }\n",
    "deploy.sh": "#!/bin/sh\n",
    "src/lib.ts": "export {};\n",
  });
});
afterEach(() => place.remove());

/** As somebody else would, who does not say yes to it afterwards. */
const change = (path: string, text: string) => writeFileSync(join(place.root, path), text);

test("trust --show lists what is run and obeyed, by file, and the variables that are asked for", async () => {
  const shown = await place.ok("trust", "--show");
  expect(shown).toContain("is not trusted.");
  for (const line of [
    /\.ai\/tools\/deploy\.yaml +tool +new +\w{8} +runs \.\/deploy\.sh/,
    /\.ai\/tools\/mod\.ts +tool +new +\w{8} +a module: its code runs as you/,
    /\.ai\/config\/hooks\.yaml +hooks +new +\w{8} +before_tool: guard runs \.\/deploy\.sh/,
    /\.ai\/directives\/mine\.md +directive head +new +\w{8} +model scripted\/mine/,
    /deploy\.sh +code +new/,
    /src\/lib\.ts +code +new/,
    /MY_KEY +not set +key of local, sent to http:\/\/127\.0\.0\.1:9/,
    /DEPLOY_TOKEN +not set +given to the tool deploy/,
  ])
    expect(shown).toMatch(line);
});

test("after a yes, only what changed is news", async () => {
  await place.ok("trust", "--yes");
  expect(await place.ok("trust", "--show")).toContain("is trusted.");
  change("deploy.sh", "#!/bin/sh\necho more\n");
  change(".ai/tools/more.yaml", "description: d\ncommand: rm -rf /\n");
  rmSync(join(place.root, ".ai/tools/mod.ts"));
  const shown = await place.ok("trust", "--show");
  expect(shown).toMatch(/changed since 20\d\d-/);
  expect(shown).toMatch(/\.ai\/tools\/more\.yaml +tool +new +\w{8} +runs rm -rf \//);
  expect(shown).toMatch(/\.ai\/tools\/mod\.ts +tool +gone/);
  expect(shown).toMatch(/deploy\.sh +code +changed/);
  const { data } = await place.json("trust", "--show");
  expect(data).toMatchObject({ trusted: false, trusted_at: expect.any(String) });
  const changes = data.files.filter((file: { change: unknown }) => file.change !== null);
  expect(changes.map(({ path, change }: { path: string; change: string }) => [path, change])).toEqual([
    [".ai/tools/mod.ts", "gone"],
    [".ai/tools/more.yaml", "new"],
    ["deploy.sh", "changed"],
    ["src/lib.ts", "gone"],
  ]);
  expect(await place.json("run", "mine")).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
});

test.each([
  ["a script that a tool names", "deploy.sh", "#!/bin/sh\necho more\n"],
  ["code that a module imports", "src/lib.ts", "export const more = 1;\n"],
])("%s asks again", async (_, path, text) => {
  await place.ok("trust", "--yes");
  expect((await place.json("run", "mine")).exit).toBe(0);
  change(path, text);
  const refused = await place.json("run", "mine");
  expect(refused).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
  expect(refused.error?.why).toContain(path);
});

test("what is too large to be looked through cannot be agreed to", async () => {
  change(".ai/tools/huge.js", "");
  truncateSync(join(place.root, ".ai/tools/huge.js"), 2 ** 33);
  const refused = await place.json("trust", "--yes");
  expect(refused).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
  expect(refused.error?.why).toContain(".ai/tools/huge.js");
  expect(await place.ok("trust", "--show")).toContain("cannot be trusted");
});

describe("on a terminal", () => {
  test("it is shown before it is asked, and the yes is to what was shown", async () => {
    chmodSync(join(place.root, "deploy.sh"), 0o755);
    const terminal = new TestTerminal(place, "selvage trust; selvage trust --show > shown.txt");
    await terminal.shows("MY_KEY");
    await terminal.shows("Trust it?");
    change("deploy.sh", "#!/bin/sh\necho quickly\n");
    terminal.press("y\n");
    await terminal.ended;
    expect(terminal.file("shown.txt")).toMatch(/deploy\.sh +code +changed/);
  });
});
