import { describe, expect, test } from "vitest";
import { ChatRefusal } from "./chat-failure.ts";
import { inPieces, isSameText, refuseTooLong, withoutCalls, withoutMention } from "./chat-text.ts";

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
  const ours = ["selvage", "U0B0T", "a.b*", "Selvage, the bot"];
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
    ["@Selvage, the bot status", "status"],
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

describe("pieces", () => {
  test.each([
    ["short", 10, ["short"]],
    ["", 10, [""]],
    ["one\ntwo\nthree", 8, ["one\ntwo", "three"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["ab\u{1f600}c", 3, ["ab", "\u{1f600}c"]],
    ["abc\ndef", 3, ["abc", "def"]],
  ])("%j by %i", (text, most, pieces) => {
    expect(inPieces(text, most)).toEqual(pieces);
  });
});

describe("what we said, as a platform gives it back", () => {
  test.each([
    ["**Done**: `a_b` is *green*.", "Done: a_b is green.", true],
    ["Done", "@Maya Done", true],
    ["Done", "Done!", true],
    ["Done", "Not", false],
    ["Done with all", "with all", false],
    ["\u2713", "\u2713", false],
    ["\u{5b8c}\u{6210}", "\u{5b8c}\u{6210}", true],
  ])("%j and %j", (ours, theirs, isSame) => {
    expect(isSameText(ours, theirs)).toBe(isSame);
  });
});
