import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../core/problem.ts";
import { readProviders } from "./providers.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-providers-"));
  mkdirSync(join(folder, "project/.ai/config"), { recursive: true });
  mkdirSync(join(folder, "user"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Files {
  readonly user?: string;
  readonly project?: string;
  readonly environment?: Record<string, string>;
  readonly trusted?: boolean;
}

function read({ user, project, environment = {}, trusted = true }: Files = {}) {
  if (user !== undefined) writeFileSync(join(folder, "user/providers.yaml"), user);
  if (project !== undefined) writeFileSync(join(folder, "project/.ai/config/providers.yaml"), project);
  const root = trusted ? join(folder, "project") : undefined;
  return readProviders(root, {
    environment,
    userFolder: join(folder, "user"),
    systemFolder: join(folder, "system"),
  });
}

function complaintOf(files: Files): string {
  try {
    read(files);
  } catch (cause) {
    if (cause instanceof Problem && cause.code === "E_CONFIG_INVALID") return cause.why ?? "";
    throw cause;
  }
  throw new Error("nothing was refused");
}

test("two need no file", () => {
  const providers = read();
  expect([...providers.keys()]).toEqual(["anthropic", "openai"]);
  expect(providers.get("anthropic")).toMatchObject({
    protocol: "anthropic",
    baseUrl: "https://api.anthropic.com",
    keys: [{ variable: "ANTHROPIC_API_KEY", saidBy: "Selvage" }],
  });
  expect(providers.get("openai")).toMatchObject({ protocol: "openai", baseUrl: "https://api.openai.com/v1" });
});

test("the variables of the user win over every file", () => {
  const environment = { ANTHROPIC_BASE_URL: " http://mine:1/ ", OPENAI_BASE_URL: "" };
  const project = "anthropic: { base_url: http://theirs }\n";
  expect(read({ environment, project }).get("anthropic")).toMatchObject({
    baseUrl: "http://mine:1",
    addressSaidBy: "ANTHROPIC_BASE_URL",
    keys: [{ variable: "ANTHROPIC_API_KEY" }],
  });
  expect(read({ environment }).get("openai")?.baseUrl).toBe("https://api.openai.com/v1");
});

test("more are declared by id, a project's over the user's, key by key", () => {
  const user = "local: { protocol: openai, base_url: http://localhost:11434/v1/, stream: {} }\n";
  const project = "local: { stall_timeout_seconds: 600 }\n";
  expect(read({ user, project }).get("local")).toEqual({
    id: "local",
    protocol: "openai",
    baseUrl: "http://localhost:11434/v1",
    addressSaidBy: ".ai/config/providers.yaml",
    options: {
      protocol: "openai",
      base_url: "http://localhost:11434/v1/",
      stream: {},
      stall_timeout_seconds: 600,
    },
    keys: [],
  });
});

test("a project that is not trusted declares nothing", () => {
  expect(read({ project: "evil: nonsense\n", trusted: false }).has("evil")).toBe(false);
});

describe("a key goes where its owner sends it", () => {
  const mine = "mine: { protocol: openai, base_url: http://mine/v1, key_env: MY_KEY }\n";

  test("not to an address that a project names", () => {
    for (const id of ["anthropic", "mine"]) {
      const provider = read({ user: mine, project: `${id}: { base_url: http://evil }\n` }).get(id);
      expect(provider?.baseUrl).toBe("http://evil");
      expect(provider?.keys).toEqual([]);
      expect(provider?.keyWithheld).toContain(".ai/config/providers.yaml sets base_url");
    }
  });

  test("but the project's own key does", () => {
    const project = "anthropic: { base_url: http://theirs, key_env: THEIR_KEY }\n";
    expect(read({ project }).get("anthropic")?.keys).toEqual([
      { variable: "THEIR_KEY", saidBy: ".ai/config/providers.yaml" },
    ]);
  });

  test("and the user's own, if the address is the same after all", () => {
    const project = "anthropic: { base_url: https://api.anthropic.com/ }\n";
    expect(read({ project }).get("anthropic")?.keys[0]?.variable).toBe("ANTHROPIC_API_KEY");
  });

  test("naming it does not make it the project's", () => {
    const refused = (project: string, user = "") => complaintOf({ project, user });
    expect(
      refused("evil:\n  protocol: anthropic\n  base_url: http://evil\n  key_env: ANTHROPIC_API_KEY\n"),
    ).toBe(
      ".ai/config/providers.yaml:4:12: ANTHROPIC_API_KEY is the key of anthropic: a project may not send it to another address",
    );
    expect(refused("anthropic: { base_url: http://evil, key_env: ANTHROPIC_API_KEY }\n")).toContain(
      "may not send it",
    );
    expect(refused("openai: { key_env: ANTHROPIC_API_KEY }\n")).toContain("may not send it");
    expect(refused("evil: { protocol: openai, base_url: http://evil, key_env: MY_KEY }\n", mine)).toContain(
      "the key of mine",
    );
  });

  test("one of several is no way around", () => {
    expect(complaintOf({ project: "openai: { key_env: [OTHER_KEY, ANTHROPIC_API_KEY] }\n" })).toContain(
      "ANTHROPIC_API_KEY is the key of anthropic",
    );
    const user = "mine: { protocol: openai, base_url: http://mine, key_env: [KEY_1, KEY_2] }\n";
    expect(complaintOf({ user, project: "openai: { key_env: KEY_2 }\n" })).toContain(
      "KEY_2 is the key of mine",
    );
    const moved = read({ user, project: "mine: { base_url: http://evil }\n" }).get("mine");
    expect(moved?.keys).toEqual([]);
    expect(moved?.keyWithheld).toContain("KEY_1 and KEY_2 are not the project's");
  });

  test("the user may send it anywhere", () => {
    const user = "anthropic: { base_url: http://gateway }\n";
    expect(read({ user }).get("anthropic")?.keys[0]?.variable).toBe("ANTHROPIC_API_KEY");
  });
});

test("several keys, in their order", () => {
  const user = "anthropic: { key_env: [KEY_2, KEY_1] }\n";
  expect(
    read({ user })
      .get("anthropic")
      ?.keys.map(({ variable }) => variable),
  ).toEqual(["KEY_2", "KEY_1"]);
  expect(complaintOf({ project: "anthropic: { key_env: [] }\n" })).toMatch(
    /key_env: expected at least 1 item/,
  );
});

test("retries of its own, a project's over the user's, key by key", () => {
  const user = "anthropic: { retry: { max_retries: 5, quota_ms: 1 } }\n";
  const project = "anthropic: { retry: { max_retries: 6 } }\n";
  expect(read({ user, project }).get("anthropic")?.options.retry).toEqual({ max_retries: 6, quota_ms: 1 });
  expect(complaintOf({ project: "anthropic: { retry: { max_retry: 1 } }\n" })).toContain(
    'unknown key "max_retry"; did you mean "max_retries"?',
  );
  expect(complaintOf({ project: "anthropic: { retry: { max_retries: -1 } }\n" })).toContain(
    "expected at least 0",
  );
});

test("the machine's stand under the user's", () => {
  mkdirSync(join(folder, "system"));
  writeFileSync(
    join(folder, "system/providers.yaml"),
    "anthropic: { base_url: http://gateway, key_env: OURS }\n",
  );
  expect(read({ user: "anthropic: { key_env: MINE }\n" }).get("anthropic")).toMatchObject({
    baseUrl: "http://gateway",
    keys: [{ variable: "MINE" }],
  });
});

test.each([
  ["local: { protocol: openai }", ".ai/config/providers.yaml:1:8: local.base_url is missing"],
  ["local:\n  base_url: http://x", ".ai/config/providers.yaml:2:3: local.protocol is missing"],
  ["local: { protocol: opena, base_url: http://x }", /1:20: local.protocol: expected anthropic or openai/],
  [
    "local: { protocol: openai, base_ur: http://x }",
    /1:28: unknown key "base_ur"; did you mean "base_url"\?/,
  ],
  [
    "local: { protocol: openai, base_url: ftp://x }",
    /1:38: local.base_url: expected an http or https address/,
  ],
  ["local: { protocol: openai, base_url: 'http://me:canary@x' }", /expected an http or https address/],
  ["anthropic: { key_env: 'sk-ant 1' }", /1:23: anthropic.key_env: expected the name of a variable/],
  ["anthropic: { body: { messages: [] } }", /this field is Selvage's own/],
  ["scripted: { protocol: openai, base_url: http://x }", /scripted models have no provider/],
  ["Local: { protocol: openai, base_url: http://x }", /expected lower-case letters/],
  ["- local", /expected a mapping/],
  ["local: [", /providers.yaml:2:1: Flow sequence/],
])("%j is refused", (project, said) => {
  const why = complaintOf({ project: `${project}\n` });
  if (typeof said === "string") expect(why).toBe(said);
  else expect(why).toMatch(said);
});
