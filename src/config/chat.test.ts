import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chatAt, chatLines, DEFAULT_TYPES } from "../core/chat-file.ts";
import { Problem } from "../core/problem.ts";
import { dueAfter } from "../core/schedule.ts";
import { readChat } from "./chat.ts";
import { checkConfig } from "./check-config.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "selvage-chat-"));
  for (const path of ["project/.ai/config", "user", "system"])
    mkdirSync(join(folder, path), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const PATHS = { system: "system", user: "user", project: "project/.ai/config" } as const;
type Files = Readonly<Partial<Record<keyof typeof PATHS, string>>>;

const places = () => ({
  environment: {},
  userFolder: join(folder, "user"),
  systemFolder: join(folder, "system"),
});

function write(files: Files): string {
  for (const [layer, text] of Object.entries(files))
    writeFileSync(join(folder, PATHS[layer as keyof typeof PATHS], "chat.yaml"), text);
  return join(folder, "project");
}

const read = (files: Files = {}) => readChat(write(files), places());

async function complaintOf(files: Files): Promise<string> {
  try {
    await read(files);
  } catch (cause) {
    if (cause instanceof Problem && cause.code === "E_CONFIG_INVALID") return cause.why ?? "";
    throw cause;
  }
  throw new Error("nothing was refused");
}

const DEFAULTS = {
  ...{
    platforms: {},
    channels: {},
    schedules: [],
    directive: "chat",
    talk: "everybody",
    command: "everybody",
    approve: [],
  },
  ...{
    hide_costs: false,
    progress: true,
    idle_minutes: 30,
    late_seconds: 60,
    port: 4780,
    attachments: { max_mb: 25, types: DEFAULT_TYPES },
  },
};

test("nothing needs a file", async () => {
  expect(await read()).toEqual(DEFAULTS);
  expect(await read({ project: "# nothing yet\n", user: "approve:\nplatforms:\n" })).toEqual(DEFAULTS);
});

test("what is declared as default is what holds", () => {
  for (const { key, fallback } of chatLines()) {
    const [first = "", second] = key.split(".");
    const value = (DEFAULTS as Record<string, unknown>)[first];
    expect(second === undefined ? value : (value as Record<string, unknown>)[second]).toEqual(fallback);
  }
});

test("mappings are merged, lists with an id by it, everything else is the highest layer's", async () => {
  const settings = await read({
    system:
      "idle_minutes: 5\nplatforms:\n  slack: { env: { botToken: SLACK_BOT_TOKEN }, options: { a: 1 } }\n",
    user: 'approve: [slack:U1]\nchannels:\n  "slack:C1": { hide_costs: true }\nschedules:\n  - { id: standup, place: "slack:C1", prompt: hi, cron: "0 9 * * 1-5" }\n',
    project:
      'platforms:\n  slack: { env: { signingSecret: SLACK_SECRET } }\nchannels:\n  "slack:C1": { directive: triage }\nschedules:\n  - { id: standup, place: "slack:C1", prompt: hello, once: "2026-11-20T09:00", zone: Europe/Oslo }\n',
  });
  expect(settings.platforms["slack"]).toEqual({
    env: { botToken: "SLACK_BOT_TOKEN", signingSecret: "SLACK_SECRET" },
    options: { a: 1 },
  });
  expect(settings.idle_minutes).toBe(5);
  expect(settings.schedules).toEqual([
    { id: "standup", place: "slack:C1", prompt: "hello", once: "2026-11-20T09:00", zone: "Europe/Oslo" },
  ]);
  expect(chatAt(settings, "slack:C1")).toEqual({ directive: "triage", hide_costs: true, progress: true });
  expect(chatAt(settings, "slack:C2")).toEqual({ directive: "chat", hide_costs: false, progress: true });
});

test("the example of the page is read", async () => {
  const page = readFileSync(new URL("../../docs/chat-settings.md", import.meta.url), "utf8");
  const settings = await read({ user: /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "" });
  expect(settings.approve).toEqual(["slack:U024BE7LH"]);
  const from = Date.parse("2026-11-15T00:00:00Z");
  const due = settings.schedules.map((each) => new Date(dueAfter(each, from) ?? 0).toISOString());
  expect(due).toEqual(["2026-11-16T08:00:00.000Z", "2026-12-18T16:00:00.000Z"]);
});

test("who may command is who may talk, unless it is said", async () => {
  expect((await read({ user: "talk: [slack:U1]\n" })).command).toEqual(["slack:U1"]);
  expect((await read({ user: "talk: [slack:U1]\ncommand: [slack:U2]\n" })).command).toEqual(["slack:U2"]);
});

describe("a project narrows", () => {
  test.each([
    ["approve: [slack:U1]\n", "approve: []\n"],
    ["approve: [slack:U1, slack:U2]\n", "approve: [slack:U2]\n"],
    ["approve: [slack:*]\n", "approve: [slack:U2]\n"],
    ["", "talk: [slack:U1]\n"],
    ["talk: [slack:U1]\n", "command: [slack:U1]\n"],
    ["", "attachments: { max_mb: 5 }\n"],
  ])("over %j it may say %j", async (user, project) => {
    await expect(read({ user, project })).resolves.toBeDefined();
  });

  test.each([
    ["", "approve: [slack:U1]\n", "approve: a project may name fewer people, not more: without it, it is []"],
    ["approve: [slack:U1]\n", "approve: everybody\n", 'without it, it is ["slack:U1"]'],
    ["approve: [slack:U1]\n", "approve: [slack:*]\n", "not more"],
    ["talk: [slack:U1]\n", "talk: everybody\n", "talk: a project may name fewer people"],
    ["talk: [slack:U1]\n", "command: everybody\n", "command: a project may name fewer people"],
    [
      "attachments: { max_mb: 5 }\n",
      "attachments:\n  max_mb: 6\n",
      "chat.yaml:2:11: attachments.max_mb: a project may lower this",
    ],
  ])("over %j it may not say %j", async (user, project, says) => {
    expect(await complaintOf({ user, project })).toContain(says);
  });

  test("a token goes only where its owner sends it", async () => {
    const moved = "platforms:\n  slack:\n    options: { apiUrl: https://evil.example }\n";
    expect(await complaintOf({ project: moved })).toMatch(
      /chat\.yaml:3:\d+: platforms\.slack\.options\.apiUrl: a project may not say where/,
    );
    await expect(read({ user: moved, project: moved })).resolves.toBeDefined();
    const lent = "platforms:\n  slack:\n    env: { botToken: ANTHROPIC_API_KEY }\n";
    expect(await complaintOf({ project: lent })).toContain("ANTHROPIC_API_KEY is the key of a provider");
    await expect(
      read({ project: "platforms:\n  slack:\n    env: { botToken: SLACK_BOT_TOKEN }\n" }),
    ).resolves.toBeDefined();
  });
});

describe("what does not fit is named with its place", () => {
  test.each([
    ["aprove: []\n", 'chat.yaml:1:1: unknown key "aprove"; did you mean "approve"?'],
    ["approve: [maya]\n", "approve[0]: expected PLATFORM:PERSON, such as slack:U024BE7LH, or slack:*"],
    ["approve: nobody\n", "expected everybody, or a list of PLATFORM:PERSON"],
    ["idle_minutes: 0\n", "idle_minutes: expected more than 0"],
    ["platforms:\n  Slack: {}\n", "expected the name of a platform, such as slack"],
    ["platforms:\n  slack: { tokn: X }\n", 'unknown key "tokn"'],
    [
      "platforms:\n  slack:\n    env: { botToken: xoxb-12345678901234567890 }\n",
      "expected the name of an environment variable",
    ],
    [
      "platforms:\n  slack:\n    options: { botToken: xoxb-12345678901234567890 }\n",
      "it looks like a token; put it into an environment variable",
    ],
    ["channels:\n  general: {}\n", "expected PLATFORM:CHAT, such as slack:C024BE91L"],
    ["attachments: { types: [pictures] }\n", "expected a type such as image/*"],
    ['schedules:\n  - { id: a, place: "slack:C", prompt: hi }\n', "expected either cron or once"],
    [
      'schedules:\n  - { id: a, place: "slack:C", prompt: hi, cron: "* *", once: "2026-11-20T09:00" }\n',
      "expected five fields",
    ],
    [
      'schedules:\n  - { id: a, place: "slack:C", prompt: hi, cron: "61 * * * *" }\n',
      "chat.yaml:2:50: schedules[0].cron: minute: expected",
    ],
    [
      'schedules:\n  - { id: a, place: "slack:C", prompt: hi, once: tomorrow }\n',
      "once: expected a time such as",
    ],
    [
      'schedules:\n  - { id: a, place: "slack:C", prompt: hi, cron: "* * * * *", zone: Atlantis }\n',
      "expected a time zone, such as Europe/Oslo",
    ],
    [
      'schedules:\n  - { id: a, place: "slack:C", prompt: hi, cron: "* * * * *" }\n',
      "chat.yaml:2:21: schedules[0].place: there is no platform slack; there is local",
    ],
    [
      'platforms:\n  slack: {}\nschedules:\n  - { id: a, place: "slak:C", prompt: hi, cron: "* * * * *" }\n',
      "chat.yaml:4:21: schedules[0].place: there is no platform slak; there is slack, local",
    ],
    [
      'schedules:\n  - { id: a, place: general, prompt: hi, cron: "* * * * *" }\n',
      "chat.yaml:2:21: schedules[0].place: expected PLATFORM:CHAT, such as slack:C024BE91L",
    ],
    ["platforms:\n  schedule: {}\n", "it is what schedules speak as, and no platform"],
    ["approve: [schedule:standup]\n", "a schedule is nobody who could be allowed something"],
    ["[]\n", "expected a mapping"],
    ["approve: [\n", "chat.yaml:"],
  ])("%j", async (user, says) => {
    expect(await complaintOf({ user })).toContain(says);
  });

  test("config check tells of it, and of no stray", async () => {
    const root = write({ project: "aprove: []\n" });
    const { checked, wrong, strays } = await checkConfig(root, { "chat.yaml": readChat }, places());
    expect([checked, strays]).toEqual([[".ai/config/chat.yaml"], []]);
    expect(wrong.map(({ file }) => file)).toEqual([".ai/config/chat.yaml"]);
  });
});
