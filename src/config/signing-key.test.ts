import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSignedBy } from "../bundle/ed25519.ts";
import { redactor } from "../core/redact.ts";
import { isSigner } from "../core/signer.ts";
import { knownSecrets } from "./secrets.ts";
import { acquaintance, keyNamed, signers } from "./signers.ts";
import { ownSigner, signingKey } from "./signing-key.ts";

let folder: string;
let home: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-key-"));
  home = join(folder, "selvage");
  path = join(home, "signing-key.pem");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the first signature makes it, for this user alone; looking makes none", () => {
  expect(ownSigner(home)).toBeUndefined();
  const key = signingKey(home);
  expect(isSigner(key.signer)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(readdirSync(home)).toEqual(["signing-key.pem"]);
  expect(signingKey(home).signer).toBe(key.signer);
  expect(ownSigner(home)).toBe(key.signer);
  expect(isSignedBy(key.signer, "hello", key.sign("hello"))).toBe(true);
});

test.each<[string, () => void]>([
  ["others may read it", () => chmodSync(path, 0o644)],
  ["it holds no key", () => writeFileSync(path, "hello\n", { mode: 0o600 })],
  ["it is a link", () => replaceByLink()],
])("a key is not used when %s, and none is made over it", (_, spoil) => {
  signingKey(home);
  const before = readFileSync(path, "utf8");
  spoil();
  const after = readFileSync(path, "utf8");
  expect(() => signingKey(home)).toThrow(expect.objectContaining({ code: "E_CONFIG_INVALID" }));
  expect(ownSigner(home)).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe(after);
  expect(JSON.stringify(problemOf(() => signingKey(home)))).not.toContain(before.split("\n")[1]);
});

function replaceByLink(): void {
  const text = readFileSync(path, "utf8");
  rmSync(path);
  writeFileSync(join(folder, "key"), text, { mode: 0o600 });
  symlinkSync(join(folder, "key"), path);
}

function problemOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (problem) {
    return { ...(problem as object), message: String(problem) };
  }
}

test("it is kept out of what is written and shown, however it is spelled", () => {
  signingKey(home);
  const body = readFileSync(path, "utf8").split("\n")[1] ?? "";
  const seed = Buffer.from(body, "base64").subarray(-32);
  const spellings = [
    body,
    seed.toString("hex"),
    seed.toString("base64"),
    seed.toString("base64url"),
    seed.toString("hex").toUpperCase(),
  ];
  const redact = redactor(knownSecrets(new Map(), {}, home)).value;
  for (const spelling of spellings) {
    const shown = redact(`key ${spelling} end`);
    expect(shown).not.toContain(spelling);
    expect(shown).toMatch(/^key \[secret.*\] end$/);
  }
  // The public half is no secret.
  expect(redact(signingKey(home).signer)).toBe(signingKey(home).signer);
});

describe("whom this user knows", () => {
  const maya = `ed25519:${"A".repeat(43)}`;
  const other = `ed25519:${"E".repeat(43)}`;
  const list = () => signers(() => Date.UTC(2026, 10, 2), home);

  test("nobody, then those who were added, then not any more", () => {
    expect(list().list()).toEqual([]);
    list().add("maya", maya);
    list().add("maya", maya);
    expect(list().list()).toEqual([{ name: "maya", key: maya, addedAt: "2026-11-02T00:00:00.000Z" }]);
    expect(statSync(join(home, "signers.json")).mode & 0o777).toBe(0o600);
    expect(keyNamed(acquaintance(list()), "maya")).toBe(maya);
    expect(keyNamed(acquaintance(list()), other)).toBe(other);
    expect(() => keyNamed(acquaintance(list()), "bob")).toThrow(
      expect.objectContaining({ code: "E_SIGNER_NOT_FOUND" }),
    );
    expect(() => keyNamed(acquaintance(list()), "you")).toThrow(
      expect.objectContaining({ code: "E_SIGNER_NOT_FOUND" }),
    );
    expect(list().remove(maya)).toBe("maya");
    expect(() => list().remove("maya")).toThrow(expect.objectContaining({ code: "E_SIGNER_NOT_FOUND" }));
    const own = signingKey(home).signer;
    expect(keyNamed(acquaintance(list()), "you")).toBe(own);
  });

  test.each([
    ["a name that is no name", "a b", maya],
    ["the name that is yourself", "you", maya],
    ["a name out of JavaScript", "__proto__", maya],
    ["a key that is none", "bob", "ed25519:abc"],
    ["another key for a name", "maya", other],
    ["another name for a key", "bob", maya],
  ])("%s is refused", (_, name, key) => {
    list().add("maya", maya);
    expect(() => list().add(name, key)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
    expect(list().list()).toHaveLength(1);
  });

  test.each([
    ["no JSON", "{"],
    ["of another version", '{"v":2,"signers":{}}'],
    ["with a key that is none", '{"v":1,"signers":{"a":{"key":"x","added_at":""}}}'],
  ])("a list that is %s is not used, and left as it is", (_, text) => {
    list().add("maya", maya);
    writeFileSync(join(home, "signers.json"), text);
    expect(() => list().list()).toThrow(expect.objectContaining({ code: "E_CONFIG_INVALID" }));
    expect(() => list().add("bob", other)).toThrow(expect.objectContaining({ code: "E_CONFIG_INVALID" }));
    expect(readFileSync(join(home, "signers.json"), "utf8")).toBe(text);
  });

  test("a list that others can write is not believed", () => {
    list().add("maya", maya);
    chmodSync(join(home, "signers.json"), 0o666);
    expect(() => list().list()).toThrow(expect.objectContaining({ code: "E_CONFIG_INVALID" }));
  });

  test("fields that a later version adds survive", () => {
    list().add("maya", maya);
    const file = join(home, "signers.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"v": 1', '"v": 1, "more": true'));
    list().add("bob", other);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ more: true });
  });
});
