// A bundle on a real disk: everything that is done to its files, its manifest and its signature is found.
import { generateKeyPairSync, sign } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BundleReport } from "../core/bundles.ts";
import { createBundle } from "./create.ts";
import type { SigningKey } from "./ed25519.ts";
import { signable, signManifest } from "./sign-bundle.ts";
import { verifyBundle } from "./verify.ts";

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    signer: `ed25519:${publicKey.export({ format: "jwk" }).x}`,
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString("base64url"),
  };
}

const key = newKey();
const stranger = newKey();
const MANIFEST = ".ai/bundles/kit/manifest.yaml";
let root: string;
let home: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "selvage-bundle-")));
  home = join(root, "state", "selvage");
  write(".ai/directives/a.md", "---\nmodel: x\n---\nDo it.\n");
  write(".ai/tools/b.yaml", "description: b\ncommand: ./b.sh\n");
  write("b.sh", "#!/bin/sh\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);
const read = (path: string) => readFileSync(at(path), "utf8");
function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

const create = (paths: string[] = [], options: { key?: SigningKey; force?: boolean; id?: string } = {}) =>
  createBundle(
    { id: options.id ?? "kit", paths, force: options.force ?? false, signed: true },
    { root, home, now: Date.UTC(2026, 10, 2), key: "key" in options ? options.key : key },
  );
const verify = (options: { strict?: boolean; wanted?: string; id?: string } = {}): Promise<BundleReport> =>
  verifyBundle(options.id ?? "kit", {
    ...{ root, home, people: { own: key.signer, known: new Map() } },
    ...{ strict: options.strict ?? false, wanted: options.wanted },
  });
const codes = ({ findings }: BundleReport) =>
  findings.map(({ code, path }) => (path === null ? code : `${code} ${path}`));

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

describe("what was done to it is named", () => {
  const table: [string, () => void, string[]][] = [
    ["one byte of a file", () => write("b.sh", "#!/bin/sH\n"), ["file_changed b.sh"]],
    ["one byte more", () => appendFileSync(at("b.sh"), "\n"), ["file_changed b.sh"]],
    ["line ends", () => write("b.sh", "#!/bin/sh\r\n"), ["file_changed b.sh"]],
    ["an empty file", () => truncateSync(at("b.sh")), ["file_changed b.sh"]],
    ["a file that is gone", () => rmSync(at("b.sh")), ["file_missing b.sh"]],
    [
      "a folder that is gone",
      () => rmSync(at(".ai/tools"), { recursive: true }),
      ["file_missing .ai/tools/b.yaml"],
    ],
    [
      "a link to the very same bytes",
      () => {
        renameSync(at("b.sh"), at("c.sh"));
        symlinkSync("c.sh", at("b.sh"));
      },
      ["file_refused b.sh"],
    ],
    [
      "a folder that is a link",
      () => {
        renameSync(at(".ai/tools"), at("elsewhere"));
        symlinkSync("../elsewhere", at(".ai/tools"));
      },
      ["file_refused .ai/tools/b.yaml"],
    ],
    [
      "a folder in the place of a file",
      () => {
        rmSync(at("b.sh"));
        mkdirSync(at("b.sh"));
      },
      ["file_refused b.sh"],
    ],
    ["a comment in the manifest", () => appendFileSync(at(MANIFEST), "# hi\n"), ["manifest_rewritten"]],
    [
      "line ends of the manifest",
      () => write(MANIFEST, read(MANIFEST).replaceAll("\n", "\r\n")),
      ["manifest_rewritten"],
    ],
    [
      "a hash in the manifest, to fit a changed file",
      () =>
        write(
          MANIFEST,
          read(MANIFEST)
            .replace(/sha256: "./, 'sha256: "0')
            .replace(/sha256: "0(.)/, 'sha256: "0$1'),
        ),
      ["file_changed .ai/directives/a.md", "signature_invalid"],
    ],
    [
      "the version",
      () => write(MANIFEST, read(MANIFEST).replace('"1.0.0"', '"1.0.1"')),
      ["signature_invalid"],
    ],
    [
      "a file taken off the list",
      () => write(MANIFEST, read(MANIFEST).replace(/.*"b\.sh", bytes.*\n/, "")),
      ["signature_invalid"],
    ],
    [
      "the signature taken off",
      () => write(MANIFEST, read(MANIFEST).replace(/sign(er|ature): .*\n/g, "")),
      ["signature_missing"],
    ],
    [
      "another signer's name put in",
      () => write(MANIFEST, read(MANIFEST).replace(key.signer, stranger.signer)),
      ["signature_invalid", "signer_unknown"],
    ],
  ];
  test.each(table)("%s", async (_, change, expected) => {
    await create([".ai", "b.sh"]);
    change();
    const report = await verify();
    expect(codes(report)).toEqual(expected);
    expect(report.ok).toBe(false);
  });

  test("a bundle that somebody else signed again after a change", async () => {
    await create(["b.sh"]);
    appendFileSync(at("b.sh"), "rm -rf /\n");
    await create(["b.sh"], { key: stranger, force: true });
    expect(codes(await verify())).toEqual(["signer_unknown"]);
    expect((await verify({ wanted: stranger.signer })).ok).toBe(true);
    expect(codes(await verify({ wanted: key.signer }))).toEqual(["signer_other"]);
  });

  test("the signature of another bundle", async () => {
    await create(["b.sh"]);
    await create(["b.sh", ".ai"], { id: "other" });
    const pasted = /signature: .*\n/.exec(read(".ai/bundles/other/manifest.yaml"))?.[0] ?? "";
    write(MANIFEST, read(MANIFEST).replace(/signature: .*\n/, pasted));
    expect(codes(await verify())).toEqual(["signature_invalid"]);
  });

  test("a whole bundle under another id", async () => {
    await create(["b.sh"]);
    cpSync(at(".ai/bundles/kit"), at(".ai/bundles/kat"), { recursive: true });
    await expect(verify({ id: "kat" })).rejects.toMatchObject({
      code: "E_BUNDLE_INVALID",
      why: expect.stringContaining("it is the manifest of kit, not of kat"),
    });
  });

  test("what came to lie beside it, if that is asked for", async () => {
    await create([".ai"]);
    write(".ai/tools/evil.yaml", "command: x\n");
    symlinkSync("/etc/passwd", at(".ai/tools/link"));
    expect(await verify()).toMatchObject({ ok: true, extra: [".ai/tools/evil.yaml", ".ai/tools/link"] });
    expect(codes(await verify({ strict: true }))).toEqual([
      "file_extra .ai/tools/evil.yaml",
      "file_extra .ai/tools/link",
    ]);
  });
});

test("any other byte, anywhere in a file or in the manifest, is found", async () => {
  await create([".ai", "b.sh"]);
  const covered = [".ai/directives/a.md", ".ai/tools/b.yaml", "b.sh", MANIFEST];
  const change = fc.record({
    path: fc.constantFrom(...covered),
    where: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    by: fc.integer({ min: 1, max: 255 }),
    kind: fc.constantFrom("replace", "insert", "remove"),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ path, where, by, kind }) => {
      const before = readFileSync(at(path));
      const place = Math.floor(where * before.length);
      const byte = Buffer.from([((before[place] ?? 0) + by) % 256]);
      const rest = before.subarray(kind === "insert" ? place : place + 1);
      const after = Buffer.concat([before.subarray(0, place), kind === "remove" ? Buffer.of() : byte, rest]);
      writeFileSync(at(path), after);
      try {
        const outcome = await verify().catch((problem) => ({ ok: false, problem }));
        expect(outcome.ok).toBe(false);
        if ("problem" in outcome) expect(outcome.problem).toMatchObject({ code: "E_BUNDLE_INVALID" });
      } finally {
        writeFileSync(at(path), before);
      }
    }),
    { numRuns: 400 },
  );
  expect((await verify()).ok).toBe(true);
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

describe("signing a manifest that is there", () => {
  const context = () => ({ root, home, people: { own: key.signer, known: new Map() }, strict: false });

  test("one that nobody signed gets a signature", async () => {
    await create(["b.sh"], { key: undefined as never });
    expect(codes(await verify())).toEqual(["signature_missing"]);
    await signManifest(root, await signable("kit", context()), key);
    expect((await verify()).ok).toBe(true);
  });

  test("another's is replaced", async () => {
    await create(["b.sh"], { key: stranger });
    await signManifest(root, await signable("kit", context()), key);
    expect(await verify()).toMatchObject({ ok: true, standing: { type: "you" } });
  });

  test("not when a file is another, nor when the manifest changes meanwhile", async () => {
    await create(["b.sh"], { key: stranger });
    const manifest = await signable("kit", context());
    write("b.sh", "more");
    await expect(signable("kit", context())).rejects.toMatchObject({ code: "E_SIGNATURE" });
    await create(["b.sh"], { key: stranger, force: true });
    await expect(signManifest(root, manifest, key)).rejects.toMatchObject({ code: "E_SIGNATURE" });
    expect((await verify()).standing).toEqual({ type: "unknown" });
  });
});
