// Manifests: those that people wrote by hand, and those that are signed later.
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { signable, signManifest } from "../../src/bundle/sign-bundle.ts";
import { bundleProject, codes, key, MANIFEST, stranger } from "./project.ts";

const { at, write, create, verify, context, root } = bundleProject();

describe("a manifest that somebody wrote", () => {
  const body = (files: string) =>
    `v: 1\nid: kit\nversion: x\ndescription: ''\ncreated: now\npaths: []\nfiles:\n${files}`;
  const hash = "a".repeat(64);
  test.each([
    ["no YAML", "v: 1\nfiles: [\n", /manifest\.yaml:3:1: /],
    ["no mapping", "- a\n", /manifest\.yaml:1:1: expected a mapping/],
    ["an unknown key", `${body("  []\n")}signe: x\n`, /unknown key "signe"; did you mean "signer"\?/],
    [
      "a path out of the project",
      body(`  - { path: ../../etc/passwd, bytes: 1, sha256: ${hash} }\n`),
      /manifest\.yaml:8:13: files\[0\]\.path: "\.\.\/\.\.\/etc\/passwd": it leads out/,
    ],
    ["an absolute path", body(`  - { path: /etc/passwd, bytes: 1, sha256: ${hash} }\n`), /it is absolute/],
    [
      "a path twice",
      body(`  - { path: a, bytes: 1, sha256: ${hash} }\n`.repeat(2)),
      /manifest\.yaml:9:13: .*it stands twice/,
    ],
    [
      "itself",
      body(`  - { path: ${MANIFEST}, bytes: 1, sha256: ${hash} }\n`),
      /a manifest cannot name itself/,
    ],
    ["no hash", body("  - { path: a, bytes: 1, sha256: abc }\n"), /expected a SHA-256/],
    ["no signature", `${body("  []\n")}signer: ${key.signer}\nsignature: abc\n`, /expected a signature/],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00]), /it is not UTF-8 text/],
  ])("%s is told with its place", async (_, text, why) => {
    write(MANIFEST, text);
    await expect(verify()).rejects.toMatchObject({
      code: "E_BUNDLE_INVALID",
      why: expect.stringMatching(why),
    });
  });

  test("that is a link is not read", async () => {
    await create(["b.sh"], { id: "other" });
    mkdirSync(at(".ai/bundles/kit"));
    symlinkSync("../other/manifest.yaml", at(MANIFEST));
    await expect(verify()).rejects.toMatchObject({ why: expect.stringContaining("it is a link") });
  });

  test("by hand, and without a signature, fits and is told as what it is", async () => {
    write(MANIFEST, body("  []\n"));
    expect(codes(await verify())).toEqual(["manifest_rewritten", "signature_missing"]);
  });

  test("too large is not read", async () => {
    write(MANIFEST, "");
    truncateSync(at(MANIFEST), 17 << 20);
    await expect(verify()).rejects.toMatchObject({ why: expect.stringContaining("larger than") });
  });
});

describe("signing a manifest that is there", () => {
  test("one that nobody signed gets a signature", async () => {
    await create(["b.sh"], { key: undefined });
    expect(codes(await verify())).toEqual(["signature_missing"]);
    await signManifest(root(), await signable("kit", context()), key);
    expect((await verify()).ok).toBe(true);
  });

  test("another's is replaced", async () => {
    await create(["b.sh"], { key: stranger });
    await signManifest(root(), await signable("kit", context()), key);
    expect(await verify()).toMatchObject({ ok: true, standing: { type: "you" } });
  });

  test("not when a file is another, nor when the manifest changes meanwhile", async () => {
    await create(["b.sh"], { key: stranger });
    const manifest = await signable("kit", context());
    write("b.sh", "more");
    await expect(signable("kit", context())).rejects.toMatchObject({ code: "E_SIGNATURE" });
    await create(["b.sh"], { key: stranger, force: true });
    await expect(signManifest(root(), manifest, key)).rejects.toMatchObject({ code: "E_SIGNATURE" });
    expect((await verify()).standing).toEqual({ type: "unknown" });
  });
});
