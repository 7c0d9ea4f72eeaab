// A bundle on a real disk: what it is made of, and what it is not made of.
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bundleProject, codes, MANIFEST } from "./project.ts";

const { at, read, write, create, verify } = bundleProject();

test("what was made is as it was made", async () => {
  const { manifest } = await create([".ai", "b.sh"]);
  expect(manifest.files.map(({ path }) => path)).toEqual([".ai/directives/a.md", ".ai/tools/b.yaml", "b.sh"]);
  const report = await verify({ strict: true });
  expect(report).toMatchObject({ ok: true, signature: "valid", standing: { type: "you" }, extra: [] });
});

test("without paths it covers what makes a project, and neither threads nor other bundles", async () => {
  write(".ai/threads/registry.db", "x");
  write(".ai/bundles/other/manifest.yaml", "x");
  write(".ai/settings.json", "{}");
  const { manifest } = await create();
  expect(manifest.paths).toEqual([".ai/directives", ".ai/tools", ".ai/settings.json"]);
  expect(manifest.files).toHaveLength(3);
});

describe("is not made of", () => {
  test.each<[string, () => string[], string]>([
    ["a link", () => link("l", "b.sh"), "l: it is a link"],
    ["a link that leads nowhere", () => link("l", "nowhere"), "l: it is a link"],
    [
      "a folder with a link in it",
      () => made(() => link(".ai/l", "/etc/passwd"), ".ai"),
      ".ai/l: it is a link",
    ],
    [
      "what is behind a link",
      () => made(() => link("l", "/etc"), "l/passwd"),
      "l/passwd: a folder of its path is a link",
    ],
    ["what is not there", () => ["nothing"], "nothing: there is no such file"],
    [
      "an empty folder",
      () => made(() => mkdirSync(at("empty")), "empty"),
      "empty: there is no file to put into a bundle",
    ],
    ["what leads out", () => ["../x"], "../x: it leads out of the project"],
    ["an absolute path", () => ["/etc/passwd"], "/etc/passwd: it is absolute"],
    ["threads", () => [".ai/threads"], ".ai/threads: it belongs to Selvage itself"],
    ["itself", () => [MANIFEST], `${MANIFEST}: a manifest cannot name itself`],
    [
      "our own keys",
      () => made(() => write("state/selvage/signing-key.pem", "k"), "state/selvage/signing-key.pem"),
      "it belongs to Selvage itself",
    ],
  ])("%s", async (_, paths, why) => {
    await expect(create(paths())).rejects.toMatchObject({
      code: "E_BUNDLE_INVALID",
      why: expect.stringContaining(why),
    });
    expect(() => read(MANIFEST)).toThrow();
  });

  function made(make: () => void, path: string): string[] {
    make();
    return [path];
  }

  function link(path: string, target: string): string[] {
    symlinkSync(target, at(path));
    return [path];
  }

  test("keys of ours that lie on the way", async () => {
    write("state/selvage/signing-key.pem", "k");
    write(".git/config", "x");
    const { manifest } = await create(["."]);
    expect(manifest.files.map(({ path }) => path)).toEqual([
      ".ai/directives/a.md",
      ".ai/tools/b.yaml",
      "b.sh",
    ]);
  });

  test("a bundle that is there, unless that is asked for", async () => {
    await create(["b.sh"]);
    await expect(create(["b.sh"])).rejects.toMatchObject({ code: "E_EXISTS" });
    await create(["b.sh", ".ai"], { force: true });
    expect((await verify()).manifest.files).toHaveLength(3);
  });

  test.each(["../x", "a/b", "", "A"])("the id %j", async (id) => {
    await expect(create(["b.sh"], { id })).rejects.toMatchObject({ code: "E_BAD_ID" });
  });
});

test("ten thousand files are made and checked, and the one that changed is named", async () => {
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(at(`many/${folder}`), { recursive: true });
    for (let file = 0; file < 100; file += 1)
      writeFileSync(at(`many/${folder}/${file}.md`), `${folder} ${file}`);
  }
  await create(["many"]);
  write("many/42/7.md", "42 8");
  const report = await verify();
  expect(report.manifest.files).toHaveLength(10_000);
  expect(codes(report)).toEqual(["file_changed many/42/7.md"]);
});

test("a huge file is hashed in pieces, and not at all when its size tells already", async () => {
  write("huge.bin", "");
  truncateSync(at("huge.bin"), 64 << 20);
  await create(["huge.bin"]);
  expect((await verify()).ok).toBe(true);
  truncateSync(at("huge.bin"), 2 ** 40);
  expect(codes(await verify())).toEqual(["file_changed huge.bin"]);
});
