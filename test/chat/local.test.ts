// The embedded platform: what is special about two streams and one person.

import { describe, expect, test } from "vitest";
import type { ChatClick, ChatListener, ChatMessage } from "../../src/core/chat-platform.ts";
import { LocalPlatform } from "../../src/surface/chat/platforms/local.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { localSetting } from "./local-stage.ts";

const place = { platform: "local", chat: "terminal" };

function listening() {
  const messages: ChatMessage[] = [];
  const clicks: ChatClick[] = [];
  const listener: ChatListener = {
    message: async (message) => void messages.push(message),
    edited: async () => {},
    clicked: async (click) => void clicks.push(click),
  };
  return { messages, clicks, listener };
}

async function opened(isTerminal = true) {
  const setting = localSetting(isTerminal);
  const ears = listening();
  await setting.platform.start(ears.listener);
  return { ...setting, ...ears };
}

describe("what is typed", () => {
  test("lines that arrive in pieces, a last one without an end, and nothing that is empty", async () => {
    const { keyboard, platform, messages } = await opened();
    await keyboard.type("hel");
    await keyboard.type("lo\r\n\n   \nw\u00f6rld");
    keyboard.end();
    await platform.ended;
    expect(messages.map(({ text }) => text)).toEqual(["hello", "w\u00f6rld"]);
  });

  test("the end of the input is the end, and a stop is one too", async () => {
    const first = await opened();
    first.keyboard.end();
    await first.platform.ended;
    const second = await opened();
    await second.platform.stop();
    await second.platform.ended;
  });

  test("a line that is too long is told of and skipped", async () => {
    const { keyboard, screen, messages } = await opened();
    await keyboard.type(`${"x".repeat(1024 * 1024 + 1)}\nafter\n`);
    expect(screen.lines).toEqual(["! Not read: a line of 1048577 bytes is too long."]);
    expect(messages.map(({ text }) => text)).toEqual(["after"]);
  });

  test("ids of one run are not those of another", async () => {
    const runs = [1, 2].map(async (byte) => {
      const platform = new LocalPlatform({
        input: (async function* () {
          yield Buffer.from("hello\n");
        })(),
        output: { write: () => {} },
        isTerminal: false,
        clock: fakeClock(),
        random: (bytes) => Buffer.alloc(bytes, byte),
        person: "maya",
      });
      const { messages, listener } = listening();
      await platform.start(listener);
      await platform.ended;
      return messages[0]?.id;
    });
    const [one, other] = await Promise.all(runs);
    expect(one).toMatch(/^(01){6}-1$/);
    expect(other).not.toBe(one);
  });

  test("an input that breaks is an end", async () => {
    const input = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("EIO")) }) };
    const platform = new LocalPlatform({
      input,
      output: { write: () => {} },
      isTerminal: false,
      clock: fakeClock(),
      random: (bytes) => Buffer.alloc(bytes),
      person: "maya",
    });
    await platform.start(listening().listener);
    await platform.ended;
  });
});

describe("what is printed", () => {
  test("on a terminal the last message is written again where it stands, however many rows it has", async () => {
    const { platform, screen } = await opened();
    const { id } = await platform.post(place, { text: `${"x".repeat(50)}\nsecond` });
    await platform.edit(place, id, { text: "turn 2" });
    await platform.edit(place, id, { text: "turn 3" });
    expect(screen.lines).toEqual(["turn 3"]);
    expect(screen.raw).toContain("\u001b[3A\u001b[J");
  });

  test("one that is not the last any more, or taller than the screen, is printed anew", async () => {
    const { platform, screen, keyboard } = await opened();
    const { id } = await platform.post(place, { text: "turn 1" });
    await keyboard.type("how far?\n");
    await platform.edit(place, id, { text: "turn 2" });
    expect(screen.lines).toEqual(["turn 1", "turn 2"]);
    const tall = await platform.post(place, { text: "a\n".repeat(30) });
    await platform.edit(place, tall.id, { text: "b" });
    expect(screen.raw).not.toContain("\u001b");
  });

  test("where it is no terminal, new text is a new line, and the same text none", async () => {
    const { platform, screen } = await opened(false);
    const { id } = await platform.post(place, { text: "turn 1" });
    for (const text of ["turn 1", "turn 2", "turn 2"]) await platform.edit(place, id, { text });
    expect(screen.lines).toEqual(["turn 1", "turn 2"]);
    expect(screen.raw).not.toContain("\u001b");
  });

  test("what a model wrote does not command the terminal", async () => {
    const { platform, screen } = await opened();
    await platform.post(place, { text: "\u001b[2Jgone\u0007 \u001b]0;title\u0007here" });
    await platform.whisper(place, "maya", { text: "\u001b[31mred" });
    expect(screen.raw).toBe("gone here\nred\n");
  });

  test("a message of an earlier run can be edited; another chat is not here", async () => {
    const { platform, screen } = await opened();
    await platform.edit(place, "0123456789ab-4", { text: "! I was restarted" });
    expect(screen.lines).toEqual(["! I was restarted"]);
    await expect(platform.post({ ...place, chat: "other" }, { text: "x" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("numbers", () => {
  const approve = { label: "Approve", action: "approve", value: "ap-1" };
  const deny = { label: "Deny", action: "deny", value: "ap-1", confirm: "Deny it for good?" };

  test("a number that no button has is a message", async () => {
    const { keyboard, platform, messages, clicks } = await opened();
    await keyboard.type("1\n");
    await platform.post(place, { text: "?", buttons: [approve] });
    await keyboard.type("2\n1\n");
    expect(messages.map(({ text }) => text)).toEqual(["1", "2"]);
    expect(clicks.map(({ action }) => action)).toEqual(["approve"]);
  });

  test("a button that stays keeps its number while others come and go", async () => {
    const { platform, screen } = await opened();
    const { id } = await platform.post(place, { text: "?", buttons: [approve, deny] });
    await platform.post(place, { text: "??", buttons: [{ ...approve, value: "ap-2" }] });
    await platform.edit(place, id, {
      text: "!",
      buttons: [deny, { ...approve, label: "More", value: "ap-3" }],
    });
    expect(screen.lines.slice(-3)).toEqual(["!", "  [2] Deny", "  [4] More"]);
  });

  test("where it is asked for, the number is wanted twice in a row", async () => {
    const { keyboard, platform, screen, clicks } = await opened();
    await platform.post(place, { text: "?", buttons: [approve, deny] });
    await keyboard.type("2\n");
    expect(screen.lines.at(-1)).toBe("Deny it for good? Type 2 again to do it.");
    await keyboard.type("wait\n2\n");
    expect(clicks).toEqual([]);
    await keyboard.type("2\n");
    expect(clicks.map(({ action, value }) => [action, value])).toEqual([["deny", "ap-1"]]);
  });
});
