import { describe, expect, test } from "vitest";
import { type BundleSeen, bundleFindings } from "./bundle-report.ts";
import { countsAsKnown, isSignature, isSigner, signerName, standingOf } from "./signer.ts";

const maya = `ed25519:${"A".repeat(43)}`;
const mine = `ed25519:${"E".repeat(43)}`;
const stranger = `ed25519:${"I".repeat(43)}`;
const people = { own: mine, known: new Map([["maya", maya]]) };

const file = (path: string) => ({ path, bytes: 1, sha256: "a".repeat(64) });
const good: BundleSeen = {
  manifest: {
    ...{ id: "kit", version: "1", description: "", created: "2026", paths: ["."] },
    files: [file("a"), file("b")],
    ...{ signer: maya, signature: "x" },
  },
  files: [{ state: "same" }, { state: "same" }],
  extra: ["c"],
  signature: "valid",
  standing: { type: "known", name: "maya" },
};
const codes = (seen: Partial<BundleSeen>, strict = false) =>
  bundleFindings({ ...good, ...seen }, { strict }).map(({ code, path }) => (path ? `${code} ${path}` : code));

describe("each thing that is wrong is named", () => {
  test.each<[string, Partial<BundleSeen>, string[]]>([
    ["nothing", {}, []],
    ["a changed file", { files: [{ state: "changed" }, { state: "same" }] }, ["file_changed a"]],
    ["a missing file", { files: [{ state: "same" }, { state: "missing" }] }, ["file_missing b"]],
    ["a link", { files: [{ state: "refused", why: "it is a link" }, { state: "same" }] }, ["file_refused a"]],
    ["a file nobody looked at", { files: [{ state: "same" }] }, ["file_missing b"]],
    ["a manifest written over", { rewrittenAt: 3 }, ["manifest_rewritten"]],
    ["no signature", { signature: "none", standing: undefined }, ["signature_missing"]],
    ["a signature that does not fit", { signature: "invalid" }, ["signature_invalid"]],
    ["a signer nobody knows", { standing: { type: "unknown" } }, ["signer_unknown"]],
    ["another signer than was asked for", { standing: { type: "other" } }, ["signer_other"]],
    ["a signer who was asked for by key", { standing: { type: "wanted" } }, []],
    [
      "all of it",
      {
        files: [{ state: "changed" }, { state: "missing" }],
        ...{ rewrittenAt: 1, signature: "invalid", standing: { type: "unknown" } },
      },
      ["file_changed a", "file_missing b", "manifest_rewritten", "signature_invalid", "signer_unknown"],
    ],
  ])("%s", (_, seen, expected) => {
    expect(codes(seen)).toEqual(expected);
  });

  test("what is not covered, if that is asked for", () => {
    expect(codes({}, true)).toEqual(["file_extra c"]);
  });
});

test.each([
  [mine, undefined, { type: "you" }],
  [maya, undefined, { type: "known", name: "maya" }],
  [stranger, undefined, { type: "unknown" }],
  [stranger, stranger, { type: "wanted" }],
  [maya, maya, { type: "known", name: "maya" }],
  [maya, stranger, { type: "other" }],
  [mine, maya, { type: "other" }],
])("who is %s when %s is asked for", (signer, wanted, standing) => {
  expect(standingOf(signer, people, wanted)).toEqual(standing);
});

test("whoever has no key is not everybody", () => {
  expect(standingOf(stranger, { own: undefined, known: new Map() })).toEqual({ type: "unknown" });
  expect(countsAsKnown({ type: "unknown" })).toBe(false);
  expect(countsAsKnown({ type: "other" })).toBe(false);
});

test("a signer is called by name where there is one", () => {
  expect(signerName(maya, { type: "known", name: "maya" })).toBe("maya");
  expect(signerName(mine, { type: "you" })).toBe("you");
  expect(signerName(stranger, { type: "wanted" })).toBe(stranger);
});

test("keys and signatures are written one way", () => {
  expect(isSigner(maya)).toBe(true);
  for (const text of [`${maya}A`, maya.slice(0, -1), maya.slice(8), `${maya.slice(0, -1)}B`, `${maya}\n`, ""])
    expect(isSigner(text)).toBe(false);
  expect(isSignature(`${"a".repeat(85)}w`)).toBe(true);
  for (const text of [`${"a".repeat(85)}x`, "a".repeat(84), `${"a".repeat(85)}w\n`, `${"+".repeat(85)}w`])
    expect(isSignature(text)).toBe(false);
});
