import { describe, expect, test } from "vitest";
import { type ChatAccess, fewer, may, personOf } from "./chat-access.ts";
import { clicked, edited, intake, LONGEST_MESSAGE, messageOf, requestIdOf } from "./chat-intake.ts";
import type { ChatListener, ChatPerson } from "./chat-platform.ts";
import { ALREADY_WORKING } from "./chat-texts.ts";
import { wellFormed } from "./text.ts";

/** As a platform hands it over. */
type ChatMessage = Parameters<ChatListener["message"]>[0];

const PLACE = { platform: "slack", chat: "C1" };
const MAYA: ChatPerson = { id: "U1", name: "Maya", isBot: false, isSelf: false };
const ACCESS: ChatAccess = { talk: "everybody", command: "everybody", approve: ["slack:U1"] };
const OURS = { isOurs: true, access: ACCESS };

const message = (text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ place: PLACE, id: "1700.01", by: MAYA, text, at: 0 },
  ...{ isDirect: false, mentionsUs: false, attachments: [], ...more },
});
const mentioned = (text: string) => message(text, { mentionsUs: true });
const by = (person: Partial<ChatPerson>, text = "hello") => message(text, { by: { ...MAYA, ...person } });

describe("what is not for us", () => {
  test.each([
    ["our own message", by({ isSelf: true }), OURS, "own"],
    ["another bot's", by({ isBot: true }), OURS, "bot"],
    ["a bot's approval", by({ isBot: true }, "/approve"), OURS, "bot"],
    ["nothing", message("  \n "), OURS, "empty"],
    ["nothing but control characters", message("\u0007\u001b[2J\u202e"), OURS, "empty"],
    ["talk among others", message("hello"), { ...OURS, isOurs: false }, "not_for_us"],
    ["a command among others", message("/status"), { ...OURS, isOurs: false }, "not_for_us"],
  ])("%s", (_, said, facts, why) => {
    expect(intake(said, facts)).toEqual({ kind: "ignored", why });
  });

  test.each([
    ["in a direct talk", message("hello", { isDirect: true })],
    ["when we are mentioned", mentioned("hello")],
  ])("but %s it is", (_, said) => {
    expect(intake(said, { ...OURS, isOurs: false })).toMatchObject({ kind: "message", text: "hello" });
  });

  test("a file alone is something to say, and so is our name", () => {
    const file = { name: "a.txt", type: "text/plain", read: async () => new Uint8Array() };
    expect(intake(message("", { attachments: [file] }), OURS)).toMatchObject({ kind: "message", text: "" });
    expect(intake(mentioned(""), OURS)).toMatchObject({ kind: "command", command: { name: "help" } });
  });
});

describe("commands", () => {
  test.each([
    ["/status", { name: "status" }],
    ["/STATUS", { name: "status" }],
    ["/status@selvage_bot", { name: "status" }],
    ["  /help ", { name: "help" }],
    ["/cancel", { name: "cancel" }],
    ["/cancel wrong branch", { name: "cancel", reason: "wrong branch" }],
    ["/approve", { name: "approve" }],
    ["/approve ap_3f", { name: "approve", approval: "ap_3f" }],
    ["/approve ap-3F 1.60", { name: "approve", approval: "ap_3f", amount: "1.60" }],
    ["/approve $1.60", { name: "approve", amount: "1.60" }],
    ["/deny", { name: "deny" }],
    ["/deny ap_3f not on Fridays", { name: "deny", approval: "ap_3f", note: "not on Fridays" }],
    ["/deny not today", { name: "deny", note: "not today" }],
    ["/resume", { name: "resume" }],
    ["/resume with\ntwo lines", { name: "resume", text: "with\ntwo lines" }],
    ["/new", { name: "new" }],
  ])("%j", (text, command) => {
    expect(intake(message(text), OURS)).toEqual({ kind: "command", by: "slack:U1", command });
  });

  test.each([
    ["/statsu", "I know no /statsu. Did you mean /status?"],
    ["/status please", "/status takes nothing more."],
    ["/approve looks fine to me", "Nothing was approved."],
    ["/approve ap_1 ap_2", "Nothing was approved."],
    ["/approve 1 2", "Nothing was approved."],
    ["/approve 0", "Nothing was approved."],
    ["/approve -1", "Nothing was approved."],
    ["/approve all", "Nothing was approved."],
  ])("%j is not carried out on a guess", (text, says) => {
    expect(intake(message(text), OURS)).toMatchObject({
      kind: "unclear",
      says: expect.stringContaining(says),
    });
  });

  test.each([
    "please /cancel that",
    "I would /approve it",
    "approve",
    "yes, approve ap_3f",
    "status",
    "what does /status do?",
    "/etc is full",
    "/ status",
    "> /approve ap_3f",
    "`/approve`",
    "approved ✅",
  ])("%j is only talk", (text) => {
    expect(intake(message(text), OURS)).toMatchObject({ kind: "message", text });
  });

  test.each([
    ["cancel", "cancel"],
    ["Status.", "status"],
    ["help!", "help"],
  ])("with our name, %j alone is a command", (text, name) => {
    expect(intake(mentioned(text), OURS)).toMatchObject({ kind: "command", command: { name } });
    expect(intake(message(text, { isDirect: true }), OURS)).toMatchObject({ kind: "message" });
    expect(intake(mentioned(`${text} it`), OURS)).toMatchObject({ kind: "message" });
  });
});

describe("steering", () => {
  test.each([
    ["!use the other branch", "use the other branch"],
    ["! stop that", "stop that"],
  ])("%j", (text, said) => {
    expect(intake(message(text), OURS)).toEqual({ kind: "steering", by: "slack:U1", text: said });
  });

  test.each(["!", "!!!", "! !"])("%j is a message", (text) => {
    expect(intake(message(text), OURS)).toMatchObject({ kind: "message", text });
  });
});

describe("who may", () => {
  const strict = {
    isOurs: true,
    access: { talk: ["slack:*"], command: ["slack:U1"], approve: ["slack:U9"] },
  };
  test.each([
    ["talk", by({ id: "U2" }), "message"],
    ["a command", by({ id: "U2" }, "/cancel"), "refused"],
    ["help", by({ id: "U2" }, "/help"), "command"],
    ["an approval", by({}, "/approve"), "refused"],
    ["an approval by who is named", by({ id: "U9" }, "/approve"), "command"],
    ["talk from elsewhere", message("hi", { place: { platform: "discord", chat: "C" } }), "refused"],
    ["steering from elsewhere", message("!hi", { place: { platform: "discord", chat: "C" } }), "refused"],
  ])("%s", (_, said, kind) => {
    expect(intake(said, strict).kind).toBe(kind);
  });

  test("who may not decide is told whom to ask, and nobody is called", () => {
    expect(intake(by({ id: "U2" }, "/deny"), OURS)).toEqual({
      ...{ kind: "refused", by: "slack:U2" },
      says: "You may not decide this here. Ask slack:U1.",
    });
    const nobody = { ...OURS, access: { ...ACCESS, approve: [] } };
    expect(intake(by({}, "/deny"), nobody)).toMatchObject({ says: expect.stringContaining("chat.yaml") });
  });

  test("at the terminal, a list that does not speak of it does not shut it", () => {
    expect(may(ACCESS, "approve", "local", MAYA)).toBe(true);
    expect(may({ ...ACCESS, approve: ["local:ops"] }, "approve", "local", MAYA)).toBe(false);
    expect(may(ACCESS, "approve", "local", { ...MAYA, isBot: true })).toBe(false);
    expect(may({ ...ACCESS, talk: "everybody" }, "talk", "local", { ...MAYA, isSelf: true })).toBe(false);
  });

  test.each([
    ["everybody", ["slack:U1"], true],
    [["slack:U1"], "everybody", false],
    [["slack:U1", "slack:U2"], ["slack:U2"], true],
    [["slack:U1"], ["slack:U1", "slack:U2"], false],
    [["slack:*"], ["slack:U2"], true],
    [["slack:U2"], ["slack:*"], false],
    [[], [], true],
    [[], ["slack:U1"], false],
  ])("of %j a project may make %j: %s", (below, above, allowed) => {
    expect(fewer.allows(below, above)).toBe(allowed);
  });

  test("a person is known by the platform that names it", () => {
    expect(personOf("slack", "slack:U1")).toBe("U1");
    expect(personOf("slack", "discord:U1")).toBeUndefined();
  });
});

describe("what comes in is bounded", () => {
  test("200 KB are cut, and it is said how much is missing", () => {
    const result = intake(message("a".repeat(200_000)), OURS);
    const text = result.kind === "message" ? result.text : "";
    expect(text.length).toBeLessThan(LONGEST_MESSAGE + 200);
    expect(text).toMatch(/\[… 150,000 of 200,000 characters were left out here; a file has room for them\]$/);
  });

  test("what is cut is no command, and half a sign is none", () => {
    expect(intake(message(`/cancel ${"x".repeat(100_000)}`), OURS).kind).toBe("message");
    const result = intake(message(`${"a".repeat(LONGEST_MESSAGE - 1)}😀`), OURS);
    const text = result.kind === "message" ? result.text : "";
    expect(text).toBe(wellFormed(text));
  });

  test("a storm of mentions is calmed, a few are left alone", () => {
    const few = "ask <@U1> and <@U2>";
    expect(intake(message(few), OURS)).toMatchObject({ text: few });
    const storm = intake(message(`hey ${"<@U1> @everyone ".repeat(500)} end`), OURS);
    const text = storm.kind === "message" ? storm.text : "";
    expect(text).toContain("[… 980 more mentions were left out here]");
    expect(text.length).toBeLessThan(400);
    expect(text).toContain(" end");
  });

  test("control characters and what turns text around are gone", () => {
    expect(intake(message("a\u0000b\u001b[31mc\u202ed\te\nf"), OURS)).toMatchObject({ text: "abcd\te\nf" });
  });
});

describe("edits", () => {
  const edit = (text: string, person: Partial<ChatPerson> = {}) => ({
    place: PLACE,
    id: "1",
    by: { ...MAYA, ...person },
    text,
  });
  const requestId = requestIdOf(PLACE, "1");
  const known = (isStarted: boolean) => (id: string) =>
    id === requestId ? { text: "old", isStarted } : undefined;

  test.each([
    ["before it is begun", edit("new"), false, { kind: "replaced", by: "slack:U1", requestId, text: "new" }],
    ["after that", edit("new"), true, { kind: "too_late", by: "slack:U1", says: ALREADY_WORKING }],
    ["of nothing but a preview", edit("old"), true, { kind: "ignored", why: "unchanged" }],
    ["to nothing", edit(" "), false, { kind: "ignored", why: "empty" }],
    ["by a bot", edit("new", { isBot: true }), false, { kind: "ignored", why: "bot" }],
    ["by ourselves", edit("new", { isSelf: true }), false, { kind: "ignored", why: "own" }],
  ])("%s", (_, change, isStarted, expected) => {
    expect(edited(change, known(isStarted))).toEqual(expected);
  });

  test("of an old message are none of our business", () => {
    expect(edited({ ...edit("new"), id: "2" }, known(false))).toEqual({ kind: "ignored", why: "not_known" });
  });
});

describe("buttons", () => {
  const click = (action: string, value: string, person: Partial<ChatPerson> = {}) =>
    clicked({ place: PLACE, id: "k", by: { ...MAYA, ...person }, action, value, messageId: "m" }, ACCESS);

  test.each([
    ["approve", "ap_3f", { name: "approve", approval: "ap_3f" }],
    ["deny", "ap_3f", { name: "deny", approval: "ap_3f" }],
    ["ask_amount", "ap_3f", { name: "ask_amount", approval: "ap_3f" }],
    ["retry", "last", { name: "retry" }],
    ["stop_retry", "last", { name: "stop_retry" }],
  ])("%s", (action, value, command) => {
    expect(click(action, value)).toEqual({ kind: "command", by: "slack:U1", command });
  });

  test("by who may not, by bots, and what nobody made", () => {
    expect(click("approve", "ap_3f", { id: "U2" }).kind).toBe("refused");
    expect(click("approve", "ap_3f", { isBot: true })).toEqual({ kind: "ignored", why: "bot" });
    expect(click("approve", "everything")).toEqual({ kind: "ignored", why: "not_known" });
    expect(click("rm", "ap_3f")).toEqual({ kind: "ignored", why: "not_known" });
  });
});

test.each([
  [PLACE, "1700.01"],
  [{ platform: "teams", chat: "19:abc@thread.v2;id=1" }, "a:b%c"],
])("a message is known again by its request", (place, id) => {
  expect(messageOf(requestIdOf(place, id))).toEqual({ place, id });
  expect(requestIdOf(place, id).split(":")).toHaveLength(3);
});

test.each(["schedule:standup", "", "a:b:c:d", "a:%zz:c"])("%j is no message of a platform", (id) => {
  expect(messageOf(id)).toBeUndefined();
});
