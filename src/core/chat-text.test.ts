import { describe, expect, test } from "vitest";
import { ChatRefusal } from "./chat-failure.ts";
import { refuseTooLong, withoutCalls, withoutMention } from "./chat-text.ts";

describe("what a model wrote calls nobody", () => {
  test.each([
    ["hey @everyone!", "hey @\u200beveryone!"],
    ["@here and @Channel", "@\u200bhere and @\u200bChannel"],
    ["<!channel> <!subteam^S1> <@U1>", "<\u200b!channel> <\u200b!subteam^S1> <\u200b@U1>"],
    ["mail me@hereford.org, a < b, <https://a.b>", "mail me@hereford.org, a < b, <https://a.b>"],
    ["allowed: @allison", "allowed: @allison"],
  ])("%s", (text, shown) => {
    expect(withoutCalls(text)).toBe(shown);
  });
});

describe("our own name is left out", () => {
  const ours = ["selvage", "U0B0T", "a.b*"];
  test.each([
    ["@selvage status", "status"],
    ["  @Selvage: do it", "do it"],
    ["<@U0B0T> do it", "do it"],
    ["<@!U0B0T>, do it @selvage", "do it"],
    ["ask @selvage about it", "ask @selvage about it"],
    ["@selvage-two status", "@selvage-two status"],
    ["@selvages status", "@selvages status"],
    ["@a.b* go", "go"],
    ["@selvage", ""],
    ["nobody", "nobody"],
  ])("%s", (text, left) => {
    expect(withoutMention(text, ours)).toBe(left);
  });

  test("without a name nothing is left out", () => {
    expect(withoutMention(" @selvage go ", ["", ""])).toBe("@selvage go");
  });
});

describe("too long is refused before it is sent", () => {
  const manners = { editEveryMs: 1, longestText: 4, largestFile: 2 };
  const file = (count: number) => ({ name: "a.txt", type: "text/plain", bytes: new Uint8Array(count) });

  test("the last that fits, and one more", () => {
    expect(() => refuseTooLong(manners, { text: "1234" }, file(2))).not.toThrow();
    expect(() => refuseTooLong(manners, undefined)).not.toThrow();
    expect(() => refuseTooLong(manners, { text: "12345" })).toThrow(ChatRefusal);
    expect(() => refuseTooLong(manners, { text: "1" }, file(3))).toThrow(
      "a.txt has 3 bytes, and 2 are the most",
    );
  });
});
