import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Provider } from "../core/provider.ts";
import { makeOperatorToken, operatorToken } from "./operator.ts";
import { knownSecrets } from "./secrets.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "selvage-secrets-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const provider = (key_env: string | string[]): Provider => ({
  id: "local",
  protocol: "openai",
  baseUrl: "http://127.0.0.1",
  addressSaidBy: "the test",
  options: { key_env },
  keys: [],
});

test("keys by the names their providers give them, even where no key is sent", () => {
  const environment = {
    MINE: "all-small-letters",
    OTHER: "all-small-letters-too",
    THIRD: "all-small-letters-3",
  };
  const named = (keys: string | string[]) =>
    knownSecrets(new Map([["local", provider(keys)]]), environment, home).map(({ name }) => name);
  expect(named("MINE")).toEqual(["MINE"]);
  expect(named(["MINE", "OTHER"])).toEqual(["MINE", "OTHER"]);
});

test("the operator's token, if there is one", () => {
  expect(knownSecrets(new Map(), {}, home)).toEqual([]);
  makeOperatorToken(home);
  expect(knownSecrets(new Map(), {}, home)).toEqual([{ name: "operator", value: operatorToken(home) }]);
});
