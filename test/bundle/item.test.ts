// Single items on a real disk: found by name or path, signed on their last line, held against it.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSignedBy } from "../../src/bundle/ed25519.ts";
import { checkItem, coverFrom, readToSign, resolveItem, signItem } from "../../src/bundle/item.ts";
import { key, NOW, scratchProject } from "./project.ts";

const { at, folder, read, root, write } = scratchProject({
  ".ai/directives/plan.md": "---\nmodel: x\n---\nPlan.\n",
  ".ai/tools/deploy.yaml": "description: d\ncommand: ./d.sh",
  ".ai/tools/mod.ts": "export default 1;\r\n",
});

const signed = async (path: string) =>
  signItem(root(), await readToSign(root(), { path }), { key, now: NOW });
const check = (path: string, wanted?: string) =>
  checkItem(root(), path, { people: { own: key.signer, known: new Map() }, wanted });
const codes = async (path: string) => (await check(path)).findings.map(({ code }) => code);

test.each([".ai/directives/plan.md", ".ai/tools/deploy.yaml", ".ai/tools/mod.ts"])(
  "%s is signed, and signed again, in one line",
  async (path) => {
    const before = read(path);
    expect(await check(path)).toMatchObject({ ok: false, signature: "none", signer: null });
    await signed(path);
    const once = read(path);
    expect(once.startsWith(before)).toBe(true);
    expect(await check(path)).toMatchObject({
      ...{ ok: true, signature: "valid", signer: key.signer, standing: { type: "you" }, findings: [] },
      signedAt: "2026-11-02T00:00:00.000Z",
    });
    await signed(path);
    expect(read(path)).toBe(once);
  },
);

test("its mode stays", async () => {
  chmodSync(at(".ai/tools/mod.ts"), 0o750);
  await signed(".ai/tools/mod.ts");
  expect(statSync(at(".ai/tools/mod.ts")).mode & 0o777).toBe(0o750);
});

describe("what was done to it is named", () => {
  const path = ".ai/directives/plan.md";
  test.each<[string, () => void, string[], RegExp]>([
    [
      "another word",
      () => write(path, read(path).replace("Plan.", "Plot.")),
      ["file_changed"],
      /changed since 2026-11-02/,
    ],
    [
      "text after it",
      () => appendFileSync(at(path), "More.\n"),
      ["signature_invalid"],
      /line 5 looks like a signature/,
    ],
    [
      "line ends",
      () => write(path, read(path).replaceAll("\n", "\r\n")),
      ["file_changed"],
      /only its line ends did/,
    ],
    [
      "the time",
      () => write(path, read(path).replace("2026-11-02", "2026-11-03")),
      ["signature_invalid"],
      /no valid signature/,
    ],
    ["hash and text together", () => rehash(), ["signature_invalid"], /no valid signature/],
    ["no signature", () => write(path, "Plan.\n"), ["signature_missing"], /nobody signed it/],
  ])("%s", async (_, change, expected, what) => {
    await signed(path);
    change();
    expect(await codes(path)).toEqual(expected);
    expect((await check(path)).findings[0]?.what).toMatch(what);
  });

  function rehash(): void {
    write(path, read(path).replace(/ [0-9a-f]{64} /, ` ${"0".repeat(64)} `));
    // An attacker who fits the hash to the text still has no key.
    const text = read(path).replace("Plan.", "Plot.");
    const content = text.slice(0, text.indexOf("<!--"));
    const hash = createHash("sha256").update(content).digest("hex");
    write(path, text.replace("0".repeat(64), hash));
  }

  test("the same text, signature and all, under another name", async () => {
    await signed(path);
    renameSync(at(path), at(".ai/directives/other.md"));
    expect(await codes(".ai/directives/other.md")).toEqual(["signature_invalid"]);
  });

  test("a signer who is not the one asked for", async () => {
    await signed(path);
    const report = await check(path, `ed25519:${"A".repeat(43)}`);
    expect(report.findings.map(({ code }) => code)).toEqual(["signer_other"]);
  });

  test("a signer nobody knows, whose signature is valid", async () => {
    await signed(path);
    const report = await checkItem(root(), path, { people: { own: undefined, known: new Map() } });
    expect(report).toMatchObject({ ok: false, signature: "valid", standing: { type: "unknown" } });
  });
});

test("any other byte is found", async () => {
  const path = ".ai/tools/mod.ts";
  await signed(path);
  const before = readFileSync(at(path));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(before.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      async (place, by, cut) => {
        const byte = Buffer.from(cut ? [] : [((before[place] ?? 0) + by) % 256]);
        writeFileSync(at(path), Buffer.concat([before.subarray(0, place), byte, before.subarray(place + 1)]));
        const outcome = await check(path).catch(({ code }) => ({ ok: false, code }));
        expect(outcome.ok).toBe(false);
      },
    ),
    { numRuns: 500 },
  );
});

describe("an item is found", () => {
  test.each([
    ["directive:plan", ".ai/directives/plan.md"],
    ["tool:deploy", ".ai/tools/deploy.yaml"],
    ["tool:mod", ".ai/tools/mod.ts"],
    ["directives/plan.md", ".ai/directives/plan.md"],
    ["./directives/../tools/mod.ts", ".ai/tools/mod.ts"],
    ["directive:x.md", undefined],
    ["./directive:x.md", ".ai/directive:x.md"],
  ])("%s", (item, path) => {
    const found = () => resolveItem(root(), at(".ai"), item);
    if (path === undefined) expect(found).toThrow(expect.objectContaining({ code: "E_ITEM_NOT_FOUND" }));
    else expect(found()).toBe(path);
  });

  test("by an absolute path, also through a link to the project", () => {
    expect(resolveItem(root(), "/", at(".ai/tools/mod.ts"))).toBe(".ai/tools/mod.ts");
    symlinkSync(root(), join(folder(), "linked"));
    expect(resolveItem(root(), join(folder(), "linked"), "README.md")).toBe("README.md");
    expect(coverFrom(root(), join(folder(), "linked", ".ai"), "tools")).toBe(".ai/tools");
    expect(coverFrom(root(), root(), ".")).toBe(".");
  });

  test.each([
    ["../x.md", /leads out of the project/],
    ["/etc/passwd.md", /leads out of the project/],
    [".", /the project's own folder/],
    [".ai/threads/x.md", /belongs to Selvage itself/],
    ["directive:../x", /no name of a directive/],
    ["directive:", /no name of a directive/],
    ["bundle:A", /no name of a bundle/],
  ])("%s is none", (item, why) => {
    expect(() => resolveItem(root(), root(), item)).toThrow(
      expect.objectContaining({ code: "E_ITEM_REFUSED", why: expect.stringMatching(why) }),
    );
  });

  test("not when two files could be meant", () => {
    write(".ai/tools/deploy.ts", "");
    expect(() => resolveItem(root(), root(), "tool:deploy")).toThrow(
      expect.objectContaining({ why: expect.stringContaining("deploy.yaml or .ai/tools/deploy.ts") }),
    );
  });
});

describe("is not signed", () => {
  test.each<[string, string, () => void, string]>([
    ["no comment fits in it", "a.json", () => write("a.json", "{}"), "E_ITEM_REFUSED"],
    ["a link", "l.md", () => symlinkSync(".ai/directives/plan.md", at("l.md")), "E_ITEM_REFUSED"],
    ["a folder", "f.md", () => mkdirSync(at("f.md")), "E_ITEM_REFUSED"],
    ["no text", "b.md", () => write("b.md", Buffer.from([0xff])), "E_ITEM_REFUSED"],
    ["too large", "h.md", () => write("h.md", "a".repeat((1 << 20) + 1)), "E_ITEM_REFUSED"],
    ["not there", "n.md", () => {}, "E_ITEM_NOT_FOUND"],
  ])("%s", async (_, path, make, code) => {
    make();
    await expect(signed(path)).rejects.toMatchObject({ code });
  });

  test("what somebody changed meanwhile: it would be lost", async () => {
    const path = ".ai/directives/plan.md";
    const ready = await readToSign(root(), { path });
    write(path, "Another plan.\n");
    await expect(signItem(root(), ready, { key, now: NOW })).rejects.toMatchObject({
      code: "E_ITEM_REFUSED",
    });
    expect(read(path)).toBe("Another plan.\n");
  });
});

test("a signature of something else, or of nobody's key, is none", () => {
  expect(isSignedBy(key.signer, "a", key.sign("a"))).toBe(true);
  expect(isSignedBy(key.signer, "b", key.sign("a"))).toBe(false);
  expect(isSignedBy(`ed25519:${"A".repeat(43)}`, "a", key.sign("a"))).toBe(false);
  expect(isSignedBy("ed25519:x", "a", key.sign("a"))).toBe(false);
  expect(isSignedBy(key.signer, "a", `${key.sign("a")}A`)).toBe(false);
});
