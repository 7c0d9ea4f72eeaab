// The bridge to the Chat SDK: packages that are not there, what must not be lost, and what must not be said.

import * as chat from "chat";
import { describe, expect, test } from "vitest";
import type { ChatListener, ChatMessage } from "../../src/core/chat-platform.ts";
import { Problem } from "../../src/core/problem.ts";
import { openChatSdk } from "../../src/surface/chat/platforms/chat-sdk.ts";
import { ChatSdkState } from "../../src/surface/chat/platforms/chat-sdk-state.ts";
import { postableOf } from "../../src/surface/chat/platforms/chat-sdk-words.ts";
import { keepGateway } from "../../src/surface/chat/platforms/gateway.ts";
import { mannersOf } from "../../src/surface/chat/platforms/manners.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { shownText } from "./offline-adapter.ts";
import { sdkSetting } from "./sdk-stage.ts";

const place = { platform: "offline", chat: "C1:T1" };
const said = (text: string, id = "M1") => ({ id, text, by: "maya" });

function listener(more: Partial<ChatListener> = {}): ChatListener & { messages: ChatMessage[] } {
  const messages: ChatMessage[] = [];
  return {
    messages,
    message: async (message) => void messages.push(message),
    edited: async () => {},
    clicked: async () => {},
    ...more,
  };
}

async function opened(settings: Record<string, unknown> = {}, ears = listener()) {
  const setting = await sdkSetting(settings);
  await setting.platform.start(ears);
  return { ...setting, heard: ears.messages };
}

describe("packages", () => {
  const needs = { botName: "selvage", clock: fakeClock(), trouble: () => {} };
  const problem = (promise: Promise<unknown>) => promise.catch((error: unknown) => error as Problem);

  test("one that is not installed: what, why, and the command that installs it", async () => {
    const error = await problem(openChatSdk({ ...needs, platform: "slack" }));
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({
      code: "E_CHAT_PACKAGE",
      what: "The chat platform slack needs the package @chat-adapter/slack, which is not installed",
      next: [{ cmd: "npm install chat@4 @chat-adapter/slack@4" }],
    });
  });

  test("the SDK itself may be the one that is missing", async () => {
    const missing = Object.assign(new Error("Cannot find package 'chat' imported from here"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    const error = await problem(
      openChatSdk({ ...needs, platform: "slack", load: () => Promise.reject(missing) }),
    );
    expect(error).toMatchObject({ code: "E_CHAT_PACKAGE", cause: missing });
  });

  test("one that is there and lacks something of its own is not called missing", async () => {
    const broken = Object.assign(new Error("Cannot find package 'left-pad' imported from there"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    const error = await problem(
      openChatSdk({ ...needs, platform: "slack", load: () => Promise.reject(broken) }),
    );
    expect(error).toMatchObject({ code: "E_CHAT_PLATFORM", why: broken.message });
  });

  test.each(["../evil", "Slack", "slack/../../x", ""])(
    "%j is no name, and nothing is loaded by it",
    async (platform) => {
      const names: string[] = [];
      const load = async (name: string) => void names.push(name);
      expect(await problem(openChatSdk({ ...needs, platform, load }))).toMatchObject({
        code: "E_CHAT_PLATFORM",
      });
      expect(names.filter((name) => name !== "chat")).toEqual([]);
    },
  );

  test("an adapter that refuses its settings is quoted", async () => {
    const error = await problem(sdkSetting({ refuses: "signingSecret is required" }));
    expect(error).toMatchObject({ code: "E_CHAT_PLATFORM", why: "signingSecret is required" });
  });

  test("a package without an adapter in it", async () => {
    expect(await problem(openChatSdk({ ...needs, platform: "odd", load: async () => ({}) }))).toMatchObject({
      code: "E_CHAT_PLATFORM",
      what: "The package @chat-adapter/odd has no adapter in it",
    });
  });
});

describe("what comes in", () => {
  test("a webhook is answered after the listener, not before", async () => {
    let store = () => {};
    const message = () =>
      new Promise<void>((resolve) => {
        store = resolve;
      });
    const { send } = await opened({}, { ...listener(), message, messages: [] });
    let isAnswered = false;
    const answer = send({ type: "message", thread: "C1:T1", message: said("hello") }).finally(() => {
      isAnswered = true;
    });
    for (let rounds = 0; rounds < 50; rounds += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    store();
    expect((await answer).status).toBe(200);
  });

  test.each(["message", "update", "click"] as const)(
    "a %s that was not stored is to come again",
    async (type) => {
      const full = () => Promise.reject(new Error("the disk is full"));
      const { send, troubles } = await opened(
        {},
        { ...listener(), message: full, edited: full, clicked: full, messages: [] },
      );
      const event =
        type === "click"
          ? ({ type, thread: "C1:T1", messageId: "m1", action: "a", by: "maya" } as const)
          : ({ type, thread: "C1:T1", message: said("hello") } as const);
      expect((await send(event)).status).toBe(503);
      expect(troubles).toHaveLength(1);
    },
  );

  test("before the start and after the stop it is to come again", async () => {
    const { platform, send } = await sdkSetting();
    const event = { type: "message", thread: "C1:T1", message: said("hello") } as const;
    expect((await send(event)).status).toBe(503);
    await platform.start(listener());
    expect((await send(event)).status).toBe(200);
    await platform.stop();
    expect((await send(event)).status).toBe(503);
  });

  test("over a connection nobody delivers again: we ask again ourselves", async () => {
    let failures = 2;
    const ears = listener();
    const message = async (heard: ChatMessage) => {
      failures -= 1;
      if (failures >= 0) throw new Error("the disk is full");
      await ears.message(heard);
    };
    const { adapter, clock } = await opened({}, { ...ears, message });
    await adapter.overheard("C1:T1", said("hello"));
    expect(ears.messages.map(({ text }) => text)).toEqual(["hello"]);
    expect(clock.slept).toEqual([1_000, 2_000]);
  });

  test("a link and code keep what they are; plain text is not escaped", async () => {
    const { send, heard } = await opened();
    const texts = ["see [the page](https://a.b/c) and `x_y`", "run my_tool *now* please", "a_b 2*3 <c>"];
    for (const text of texts) {
      await send({ type: "message", thread: "C1:T1", message: said(text, text) });
    }
    expect(heard.map(({ text }) => text)).toEqual([texts[0], "run my_tool *now* please", "a_b 2*3 <c>"]);
  });

  test("our name is left out however the platform writes it", async () => {
    const { send, heard } = await opened();
    const texts = ["@selvage status", "@Selvage, the bot status", "<@U0B0T> status", "status @U0B0T"];
    for (const text of texts) await send({ type: "message", thread: "C1:T1", message: said(text, text) });
    expect(heard.map(({ text }) => text)).toEqual(texts.map(() => "status"));
  });

  test("a chat in which we were called is followed, where the platform wants to be asked", async () => {
    const { send, adapter } = await opened();
    await send({ type: "message", thread: "C1:T1", message: said("not for you", "M1") });
    expect(adapter.followed).toEqual([]);
    await send({ type: "message", thread: "C1:T1", message: said("@selvage hello", "M2") });
    expect(adapter.followed).toEqual(["offline:C1:T1"]);
  });
});

describe("what goes out", () => {
  test("only those are called who are to be told", async () => {
    const { platform, adapter } = await opened();
    await platform.post(place, { text: "done, @everyone <!channel>", mentions: ["U1", "U2"] });
    expect(shownText(adapter.sent[0]?.message ?? "")).toBe(
      "<@U1> <@U2> done, @\u200beveryone <\u200b!channel>",
    );
  });

  test("a card has the text, the buttons in order and words for who cannot see it", async () => {
    const { platform, adapter } = await opened();
    const buttons = [
      { label: "Yes", action: "approve", value: "ap-1", style: "primary" },
      { label: "No", action: "deny", value: "ap-1", style: "danger", confirm: "Sure?" },
    ] as const;
    await platform.post(place, { text: "**Spend?**", buttons });
    expect(adapter.sent[0]?.message).toMatchObject({
      fallbackText: "**Spend?**",
      card: {
        type: "card",
        children: [
          { type: "text", content: "**Spend?**" },
          {
            type: "actions",
            children: [
              { type: "button", id: "approve", label: "Yes", value: "ap-1", style: "primary" },
              { type: "button", id: "deny", label: "No", value: "ap-1", style: "danger" },
            ],
          },
        ],
      },
    });
  });

  test("all of a long card is there: parts that are too long would be cut off", () => {
    const text = Array.from({ length: 60 }, (_, line) => `${line} ${"x".repeat(98)}`).join("\n");
    const buttons = [{ label: "Yes", action: "a", value: "v" }];
    const message = postableOf(chat, { text, buttons }, (id) => id);
    const parts = typeof message === "object" && "card" in message ? message.card.children : [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.content] : []));
    expect(texts.join("\n")).toBe(text);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(2_500);
    expect(parts.at(-1)?.type).toBe("actions");
  });

  test("a file goes with its words, and one that is too large does not go", async () => {
    const { platform, adapter } = await opened();
    const bytes = Buffer.from("one\ntwo\n");
    const file = { name: "log.txt", type: "text/plain", bytes };
    expect(await platform.upload(place, file, { text: "the log" })).toEqual({ id: "m1" });
    expect(adapter.sent[0]?.message).toEqual({
      markdown: "the log",
      files: [{ data: bytes, filename: "log.txt", mimeType: "text/plain" }],
    });
    const large = { ...file, bytes: new Uint8Array(platform.manners.largestFile + 1) };
    await expect(platform.upload(place, large)).rejects.toMatchObject({ code: "TOO_LONG" });
    expect(adapter.sent).toHaveLength(1);
  });

  test("what is for one person goes to where only that one is, and nothing of it to the place", async () => {
    const { platform, adapter } = await opened();
    const file = { name: "log.md", type: "text/markdown", bytes: Buffer.from("x") };
    await platform.hand?.(place, "maya", file, { text: "the log" });
    expect(adapter.sent).toMatchObject([{ thread: "offline:D1:maya", message: { markdown: "the log" } }]);
    const large = { ...file, bytes: new Uint8Array(platform.manners.largestFile + 1) };
    await expect(platform.hand?.(place, "maya", large)).rejects.toMatchObject({ code: "TOO_LONG" });
  });

  test("a platform that does not remember is not asked what we said", async () => {
    const { platform } = await opened({ forgets: true });
    expect(platform.recent).toBeUndefined();
  });

  test("an answer that names no message is a failure", async () => {
    const { platform, adapter } = await opened();
    adapter.isMute = true;
    await expect(platform.post(place, { text: "a" })).rejects.toThrow("named no message");
  });

  test("manners of a platform nobody has met are careful ones", () => {
    expect(mannersOf("discord").longestText).toBeLessThanOrEqual(2_000);
    expect(mannersOf("constructor")).toEqual(mannersOf("nobody"));
  });
});

describe("a connection that an adapter keeps", () => {
  const clock = fakeClock();

  test("is opened again when it ends or breaks, and closed with us", async () => {
    const troubles: string[] = [];
    let opened = 0;
    let isOpen = false;
    const adapter = {
      startGatewayListener: async (
        options: { waitUntil: (task: Promise<unknown>) => void },
        _ms: number,
        signal: AbortSignal,
      ) => {
        opened += 1;
        if (opened === 1) return new Response(null, { status: 500 });
        if (opened === 2) options.waitUntil(Promise.reject(new Error("reset")));
        if (opened === 3) options.waitUntil(Promise.resolve());
        if (opened > 3) {
          isOpen = true;
          options.waitUntil(new Promise((resolve) => signal.addEventListener("abort", resolve)));
        }
        return new Response("listening");
      },
    };
    const gateway = keepGateway(adapter, { clock, trouble: (what) => troubles.push(what) });
    while (!isOpen) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
    expect(troubles).toHaveLength(2);
    await gateway?.close();
    expect(opened).toBe(4);
  });

  test("is nothing where there is none", () => {
    expect(keepGateway({}, { clock, trouble: () => {} })).toBeUndefined();
  });
});

describe("what the SDK may remember", () => {
  test("values for as long as was said, locks of their holder, queues in order", async () => {
    const clock = fakeClock();
    const state = new ChatSdkState(clock);
    await state.set("a", 1, 1_000);
    expect(await state.get("a")).toBe(1);
    expect(await state.setIfNotExists("a", 2)).toBe(false);
    await clock.sleep(1_000);
    expect(await state.get("a")).toBeNull();
    expect(await state.setIfNotExists("a", 2)).toBe(true);
    const lock = await state.acquireLock("t", 1_000);
    expect(await state.acquireLock("t", 1_000)).toBeNull();
    expect(await state.extendLock({ threadId: "t", token: "other", expiresAt: 0 }, 1)).toBe(false);
    if (lock) await state.releaseLock(lock);
    expect(await state.acquireLock("t", 1_000)).not.toBeNull();
    for (const value of [1, 2, 3]) await state.appendToList("l", value, { maxLength: 2 });
    expect(await state.getList("l")).toEqual([2, 3]);
  });

  test("what was seen is not remembered: it may have failed before it was stored", async () => {
    const state = new ChatSdkState(fakeClock());
    expect(await state.setIfNotExists("dedupe:slack:M1", true)).toBe(true);
    expect(await state.setIfNotExists("dedupe:slack:M1", true)).toBe(true);
  });

  test("it stays small", async () => {
    const state = new ChatSdkState(fakeClock());
    for (let count = 0; count <= 10_000; count += 1) await state.set(`${count}`, count);
    expect([await state.get("0"), await state.get("1")]).toEqual([null, 1]);
  });
});
