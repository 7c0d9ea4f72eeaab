import { describe, expect, test } from "vitest";
import { choosePlatforms } from "./chat-choice.ts";
import { Problem } from "./problem.ts";

const PLATFORMS = {
  slack: {
    env: { botToken: "SLACK_BOT_TOKEN", signingSecret: "SLACK_SECRET" },
    options: { userName: "sel" },
  },
  second: { adapter: "slack", env: { appToken: "SECOND" }, options: { mode: "socket" } },
};
const ENVIRONMENT = { SLACK_BOT_TOKEN: " xoxb-1 ", SLACK_SECRET: "s", SECOND: "t" };
const names = (asked: readonly string[]) =>
  choosePlatforms(PLATFORMS, asked, ENVIRONMENT).map(({ name }) => name);

test("without a name all, with names those, each once", () => {
  expect(names([])).toEqual(["slack", "second"]);
  expect(names(["second", "slack", "second"])).toEqual(["second", "slack"]);
});

test("options come from the file and from the variables that it names", () => {
  const [slack, second] = choosePlatforms(PLATFORMS, [], ENVIRONMENT);
  expect(slack).toEqual({
    name: "slack",
    adapter: "slack",
    hasWebhook: true,
    options: { userName: "sel", botToken: "xoxb-1", signingSecret: "s" },
    secrets: [
      { name: "SLACK_BOT_TOKEN", value: "xoxb-1" },
      { name: "SLACK_SECRET", value: "s" },
    ],
  });
  expect(second).toMatchObject({ name: "second", adapter: "slack", hasWebhook: false });
});

describe("refused", () => {
  const refusal = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (error instanceof Problem) return `${error.what} ${error.why} ${error.next[0]?.cmd}`;
    }
    return undefined;
  };

  test.each([
    [["slak"], /no platform slak\. .*names: slack, second\. Did you mean slack\? .*serve --chat slack/],
    [["toString"], /no platform toString/],
    [["x\ny"], /no platform x y/],
  ])("%j is not in the file", (asked, says) => {
    expect(refusal(() => names(asked))).toMatch(says);
  });

  test("a file without platforms", () => {
    expect(refusal(() => choosePlatforms({}, [], {}))).toMatch(/names no chat platform/);
  });

  test("a token that is not there is named by its variable, also one of blanks", () => {
    const asked = (environment: Record<string, string>) =>
      refusal(() => choosePlatforms(PLATFORMS, ["slack"], environment));
    expect(asked({ SLACK_BOT_TOKEN: "x" })).toMatch(/slack needs SLACK_SECRET, which is not set/);
    expect(asked({ SLACK_BOT_TOKEN: " " })).toMatch(/needs SLACK_BOT_TOKEN and SLACK_SECRET, which are not/);
  });
});
