import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkConfig } from "./check-config.ts";
import { InvalidConfig } from "./invalid.ts";
import { showSettings } from "./show-settings.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-check-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const places = () => ({ userFolder: join(root, "user"), systemFolder: join(root, "system") });

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const complaint = (file: string) => ({ file, line: 1, column: 1, message: "no" });

test("nothing there is nothing wrong", async () => {
  expect(await checkConfig(root, {}, places())).toEqual({ checked: [], wrong: [], strays: [] });
});

test("every file in every layer, also where several do not validate", async () => {
  write({
    "system/providers.yaml": "local: 1\n",
    "user/resilience.yaml": "retyr: 1\n",
    "user/settings.json": "{",
    "user/providers.yaml": "Bad: {}\n",
    ".ai/settings.json": '{"recover": "auto"}',
    ".ai/config/coordination.yaml": "concurrency: 1\n",
    ".ai/config/providers.yaml": "half: { protocol: openai }\n",
  });
  const { wrong, checked } = await checkConfig(root, {}, places());
  const user = (name: string) => join(root, "user", name);
  expect(wrong.map(({ file }) => file)).toEqual([
    user("settings.json"),
    user("resilience.yaml"),
    ".ai/settings.json",
    ".ai/config/coordination.yaml",
    join(root, "system/providers.yaml"),
    user("providers.yaml"),
    ".ai/config/providers.yaml",
  ]);
  expect(checked).toHaveLength(7);
});

test("files with a reader of their own, the project's behind the user's too", async () => {
  const read = async (from: string | undefined) => {
    const file = from === undefined ? "user/hooks.yaml" : ".ai/config/hooks.yaml";
    throw new InvalidConfig("hooks", { file, complaints: [complaint(file)] });
  };
  write({ ".ai/config/hooks.yaml": "" });
  const { wrong, checked, strays } = await checkConfig(root, { "hooks.yaml": read }, places());
  expect(wrong.map(({ file }) => file)).toEqual(["user/hooks.yaml", ".ai/config/hooks.yaml"]);
  expect({ checked, strays }).toEqual({ checked: [".ai/config/hooks.yaml"], strays: [] });
  const broken = { "hooks.yaml": () => Promise.reject(new Error("a fault of ours")) };
  await expect(checkConfig(root, broken, places())).rejects.toThrow("a fault of ours");
});

test("a file that nothing reads, with the one that was meant", async () => {
  write({
    ".ai/config/resilence.yaml": "",
    ".ai/config/settings.json": "{}",
    ".ai/config/zzzzzzzz.yml": "",
    ".ai/config/README.md": "",
    ".ai/config/.hidden.yaml": "",
    "user/settings.json": "{}",
  });
  const { strays, wrong } = await checkConfig(root, {}, places());
  expect(wrong).toEqual([]);
  expect(strays.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    ".ai/config/resilence.yaml: nothing reads this file; did you mean resilience.yaml?",
    ".ai/config/settings.json: nothing reads this file; did you mean .ai/settings.json?",
    ".ai/config/zzzzzzzz.yml: nothing reads this file; read are: resilience.yaml, coordination.yaml, providers.yaml, models.yaml",
  ]);
});

test("a provider's retries are shown beside those of all, with what they stand over and under", () => {
  write({
    "user/resilience.yaml": "retry: { max_retries: 7 }\n",
    "user/providers.yaml": "anthropic:\n  retry:\n    max_retries: 8\n    quota_ms: 1\n",
    ".ai/config/resilience.yaml": "retry: { quota_ms: 2 }\n",
  });
  const { values, wrong } = showSettings(root, places());
  expect(wrong).toEqual([]);
  const own = values.filter(({ provider }) => provider === "anthropic");
  expect(own.map(({ key, value, origin }) => [key, value, origin.layer, origin.line])).toEqual([
    ["retry.max_retries", 8, "provider", 3],
    ["retry.quota_ms", 2, "project", 1],
  ]);
  expect(own[0]?.overrides.map(({ layer }) => layer)).toEqual(["user", "built-in"]);
  expect(own[1]?.overrides.map(({ layer }) => layer)).toEqual(["provider", "built-in"]);
});
