import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
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
import { afterEach, beforeEach, expect, test } from "vitest";
import { isOperator, makeOperatorToken, operatorRefusal, operatorToken } from "./operator.ts";

let folder: string;
let home: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-test-"));
  home = join(folder, "state", "selvage");
  path = join(home, "operator");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("is made once, of 32 random bytes, for this user alone, and leaves nothing else", () => {
  makeOperatorToken(home);
  const token = operatorToken(home);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(readdirSync(home)).toEqual(["operator"]);
  makeOperatorToken(home);
  expect(operatorToken(home)).toBe(token);
});

test("only the token itself counts", () => {
  makeOperatorToken(home);
  const token = operatorToken(home);
  expect(isOperator(token, home)).toBe(true);
  const others = ["", token.slice(1), `${token}0`, token.toUpperCase(), `${token}\n`, "é".repeat(64)];
  for (const other of others) {
    expect(isOperator(other, home)).toBe(false);
    expect(operatorRefusal(other, home)).toBe("its operator_token is not the one of this user");
  }
});

test("where there is none, nobody is the operator", () => {
  expect(isOperator("", home)).toBe(false);
  expect(() => operatorToken(home)).toThrow(expect.objectContaining({ code: "E_CONFIG_INVALID" }));
  expect(existsSync(home)).toBe(false);
});

const spoilt: [string, string, () => void][] = [
  ["others may read", "others than its owner may read or write it", () => chmodSync(path, 0o644)],
  ["the group may write", "others than its owner may read or write it", () => chmodSync(path, 0o620)],
  ["is empty", "it holds no token", () => writeFileSync(path, "")],
  ["is something else", "it holds no token", () => writeFileSync(path, "secret\n")],
  [
    "is a link",
    "it is a link",
    () => {
      writeFileSync(join(folder, "elsewhere"), readFileSync(path), { mode: 0o600 });
      rmSync(path);
      symlinkSync(join(folder, "elsewhere"), path);
    },
  ],
  [
    "is a folder",
    "it is not a file",
    () => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
];

test.each(spoilt)("one that %s is refused, and left as it is", (_, why, spoil) => {
  makeOperatorToken(home);
  const token = operatorToken(home);
  spoil();
  makeOperatorToken(home);
  expect(isOperator(token, home)).toBe(false);
  expect(isOperator("", home)).toBe(false);
  // Whoever holds the true token is not told that it is another one.
  expect(operatorRefusal(token, home)).toBe(`the operator token of this user cannot be used: ${why}`);
  expect(() => operatorToken(home)).toThrow(/cannot be used/);
});

test("of several processes at once one makes it, and all read the same", async () => {
  const code = `import { makeOperatorToken, operatorToken } from ${JSON.stringify(import.meta.resolve("./operator.ts"))};
    makeOperatorToken(process.argv[1]);
    process.stdout.write(operatorToken(process.argv[1]));`;
  const read = async () => {
    const args = ["--import", "tsx", "--input-type=module", "-e", code, home];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    await once(child, "close");
    return output;
  };
  const tokens = await Promise.all(Array.from({ length: 6 }, read));
  expect(new Set(tokens)).toEqual(new Set([operatorToken(home)]));
  expect(readdirSync(home)).toEqual(["operator"]);
});
