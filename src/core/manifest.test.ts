import fc from "fast-check";
import { expect, test } from "vitest";
import { bundleIdProblem, coverProblem, pathProblem } from "./bundle-path.ts";
import { differentLine, type Manifest, manifestBody, manifestText, readManifestText } from "./manifest.ts";

const file = (path: string) => ({ path, bytes: 3, sha256: "ab".repeat(32) });
const manifest: Manifest = {
  id: "kit",
  version: "1.0.0",
  description: 'what "it" is: for',
  created: "2026-11-02T10:00:00.000Z",
  paths: [".ai/tools"],
  files: [file(".ai/tools/a.yaml"), file("é/b c.ts")],
  signer: `ed25519:${"A".repeat(43)}`,
  signature: `${"b".repeat(85)}Q`,
};
const { signer: _, signature: __, ...unsigned } = manifest;

test("it is read back as it was written, signed or not", () => {
  expect(readManifestText(manifestText(manifest))).toEqual(manifest);
  expect(readManifestText(manifestText(unsigned))).toEqual(unsigned);
  expect(readManifestText(manifestText({ ...manifest, files: [] }))).toEqual({ ...manifest, files: [] });
});

test("any other byte makes it another manifest, or none", () => {
  const bytes = Buffer.from(manifestText(manifest));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes);
      changed[at] = ((bytes[at] ?? 0) + by) % 256;
      const read = readManifestText(changed.toString());
      expect(read && manifestText(read)).not.toBe(bytes.toString());
      if (read)
        expect(manifestBody(read) + read.signature).not.toBe(manifestBody(manifest) + manifest.signature);
    }),
    { numRuns: 2_000 },
  );
});

test.each<[string, (text: string) => string]>([
  ["a comment more", (text) => `${text}# more\n`],
  ["line ends of another system", (text) => text.replaceAll("\n", "\r\n")],
  ["no newline at the end", (text) => text.slice(0, -1)],
  ["another order of files", (text) => text.replace(/( {2}- .*\n)( {2}- .*\n)/, "$2$1")],
  ["a file twice", (text) => text.replace(/( {2}- .*\n)/, "$1$1")],
  ["a key twice", (text) => text.replace('id: "kit"\n', 'id: "kit"\nid: "kit"\n')],
  ["a key nobody knows", (text) => text.replace("v: 1\n", 'v: 1\nmore: "x"\n')],
  ["a signature without a signer", (text) => text.replace(/signer: .*\n/, "")],
  ["a signer without a signature", (text) => text.replace(/signature: .*\n/, "")],
  ["escapes that mean the same", (text) => text.replace('"kit"', '"k\\u0069t"')],
  ["a path that leads out", (text) => text.replace(".ai/tools/a.yaml", "../tools/a.yaml")],
  ["more bytes than can be counted", (text) => text.replace("bytes: 3", "bytes: 999999999999999999")],
  ["bytes written in another way", (text) => text.replace("bytes: 3", "bytes: 03")],
  ["an id of another kind", (text) => text.replace('"kit"', '"../kit"')],
  ["paths that are no list", (text) => text.replace('[".ai/tools"]', '{"a": 1}')],
  ["nothing", () => ""],
])("is not taken for one: %s", (_name, change) => {
  const text = change(manifestText(manifest));
  expect(text).not.toBe(manifestText(manifest));
  expect(readManifestText(text)).toBeUndefined();
});

test.each([
  ["", "it is empty"],
  ["/etc/passwd", "it is absolute; paths start at the project's folder"],
  ["../x", "it leads out of the project"],
  ["a/../../x", "it leads out of the project"],
  ["a//x", "it has an empty part or a dot between slashes"],
  ["./x", "it has an empty part or a dot between slashes"],
  ["a/", "it has an empty part or a dot between slashes"],
  ["a\\x", "it has a backslash, which is another path elsewhere"],
  ["a\nx", "it has characters that cannot be shown"],
  ["a\u202ex", "it has characters that cannot be shown"],
  ["a\ufffdx", "it has characters that cannot be shown"],
  ["a".repeat(1_025), "it is longer than 1024 characters"],
  [".ai/threads/registry.db", "it belongs to Selvage itself"],
  [".ai/Threads", "it belongs to Selvage itself"],
])("no bundle covers %j: %s", (path, why) => {
  expect(coverProblem(path)).toBe(why);
});

test("a bundle covers other files of .ai, other manifests, and no manifest of its own", () => {
  for (const path of ["a b/é.md", ".ai/threads.md", "..x/..y", ".ai/bundles/other/manifest.yaml"])
    expect(pathProblem(path, "kit")).toBeUndefined();
  expect(pathProblem(".ai/bundles/kit/manifest.yaml", "kit")).toBe("a manifest cannot name itself");
  expect(pathProblem(".ai/Bundles/kit/manifest.yaml", "kit")).toBe("a manifest cannot name itself");
});

test.each(["", "a/b", "..", ".x", "A", "-x", "a b", "x".repeat(161)])("no id of a bundle: %j", (id) => {
  expect(bundleIdProblem(id)).toBeDefined();
});

test("the first line that differs is told", () => {
  expect(differentLine("a\nb\n", "a\nc\n")).toBe(2);
  expect(differentLine("a\n", "a\nb\n")).toBe(2);
  expect(differentLine("a\nb\nc", "a\nb")).toBe(3);
});
