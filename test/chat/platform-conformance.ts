// What every chat platform has to keep, whatever stands behind it. What one has no way of doing is not asked of it: its
// traits say what that is, and a platform that offers less or more than they say fails.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readChatFailure } from "../../src/core/chat-failure.ts";
import type {
  ChatClick,
  ChatEdit,
  ChatListener,
  ChatMessage,
  ChatPlace,
  ChatPlatform,
} from "../../src/core/chat-platform.ts";

interface Saying {
  readonly id?: string;
  readonly by?: string;
  readonly text: string;
  readonly file?: { readonly name: string; readonly bytes: number; readonly declared?: number };
}

/**
 * `channels`: people talk there who do not mean us, and programs. `again`: what was not taken is delivered again.
 * `memory`: the platform itself knows what we said.
 */
export type Trait = "channels" | "again" | "files" | "changes" | "whispers" | "signs" | "memory";

/** A platform and the people at its other end. */
export interface Stage {
  readonly platform: ChatPlatform;
  /** Where people talk; `person` is who does if nothing else is said. */
  readonly place: ChatPlace;
  readonly person: string;
  /** Resolves when the platform was told that it was received, or was not. */
  say(saying: Saying): Promise<"taken" | "not taken">;
  /** All our messages as people see them now. */
  shown(): readonly string[];
  /** Clicks the button with this label on the message. */
  click(messageId: string, label: string): Promise<void>;
  close(): Promise<void>;

  // What some have not.
  readonly sayDirect?: (text: string) => Promise<unknown>;
  /** By which people call us. Who has a name that ends with -bot is a program; who has ours is we. */
  readonly ourName?: string;
  readonly change?: (id: string, before: string, text: string) => Promise<unknown>;
  readonly whispered?: () => readonly string[];
  readonly reactions?: () => readonly string[];
}

class Recorder implements ChatListener {
  readonly messages: ChatMessage[] = [];
  readonly edits: ChatEdit[] = [];
  readonly clicks: ChatClick[] = [];
  /** Every message waits for it before it is stored. */
  gate: Promise<void> = Promise.resolve();
  failNext = false;
  begun = 0;

  async message(message: ChatMessage): Promise<void> {
    this.begun += 1;
    if (this.failNext) {
      this.failNext = false;
      throw new Error("the disk is full");
    }
    await this.gate;
    this.messages.push(message);
  }

  async edited(edit: ChatEdit): Promise<void> {
    this.edits.push(edit);
  }

  async clicked(click: ChatClick): Promise<void> {
    this.clicks.push(click);
  }
}

let heard: Recorder;
let stage: Stage;

export function describePlatform(
  name: string,
  makeStage: () => Promise<Stage>,
  traits: readonly Trait[],
): void {
  const where = (trait: Trait, tests: () => void) => (traits.includes(trait) ? tests() : undefined);
  describe(name, () => {
    beforeEach(async () => {
      heard = new Recorder();
      stage = await makeStage();
      await stage.platform.start(heard);
    });
    afterEach(() => stage.close());

    test("it offers what its traits say", () => {
      const { whisper, react, recent } = stage.platform;
      const offers = [whisper && "whispers", react && "signs", recent && "memory"].filter(Boolean);
      expect(offers.sort()).toEqual(traits.filter((trait) => OFFERS.includes(trait)).sort());
    });
    describe("what comes in", () => {
      testIncoming();
      where("channels", testChannels);
      where("again", testAgain);
      where("files", testFiles);
      where("changes", testChanges);
    });
    describe("what goes out", () => {
      testOutgoing();
      where("whispers", testWhispers);
      where("signs", testSigns);
      where("memory", testMemory);
    });
    describe("buttons", testButtons);
  });
}

const OFFERS: readonly Trait[] = ["whispers", "signs", "memory"];

function testIncoming(): void {
  test("a message arrives once, with who said it and where", async () => {
    expect(await stage.say({ text: "hello" })).toBe("taken");
    expect(await stage.say({ text: "and again" })).toBe("taken");
    expect(heard.messages.map(({ text }) => text)).toEqual(["hello", "and again"]);
    const [first, second] = heard.messages;
    expect(first).toMatchObject({ place: stage.place, attachments: [] });
    expect(first?.by).toMatchObject({ id: stage.person, isBot: false, isSelf: false });
    expect(first?.by.name).not.toBe("");
    expect(first?.at).toBeGreaterThan(Date.UTC(2025, 0, 1));
    expect(first?.id).not.toBe(second?.id);
  });

  test("what could not be stored is not taken, and taken when it comes again", async () => {
    heard.failNext = true;
    expect(await stage.say({ id: "M1", text: "once" })).toBe("not taken");
    expect(heard.messages).toEqual([]);
    expect(await stage.say({ id: "M1", text: "once" })).toBe("taken");
    expect(heard.messages.map(({ text }) => text)).toEqual(["once"]);
  });

  test("while one is being stored, the next ones of the same chat are not lost", async () => {
    let open = () => {};
    heard.gate = new Promise((resolve) => {
      open = resolve;
    });
    const said = ["a", "b", "c"].map((text) => stage.say({ text }));
    await until(() => heard.begun > 0);
    expect(heard.messages).toEqual([]);
    open();
    expect(await Promise.all(said)).toEqual(["taken", "taken", "taken"]);
    expect(heard.messages.map(({ text }) => text).sort()).toEqual(["a", "b", "c"]);
  });

  test("after the stop nothing is taken", async () => {
    await stage.platform.stop();
    await stage.say({ text: "late" }).catch(() => {});
    expect(heard.messages).toEqual([]);
  });
}

function testOutgoing(): void {
  test("a post gives an id, and an edit takes it", async () => {
    const { platform, place } = stage;
    const first = await platform.post(place, { text: "one" });
    for (const text of ["ONE", "ONE"]) await platform.edit(place, first.id, { text });
    const second = await platform.post(place, { text: "two" });
    await platform.edit(place, second.id, { text: "TWO" });
    expect(second.id).not.toBe(first.id);
    expect(stage.shown()).toEqual(["ONE", "TWO"]);
    await platform.edit(place, first.id, { text: "1" });
    expect(stage.shown()).toContain("1");
  });

  test("a message that is not there is not edited, and it is told why", async () => {
    const { platform, place } = stage;
    const { id } = await platform.post(place, { text: "one" });
    const error = await platform.edit(place, `${id}9999`, { text: "x" }).catch((cause: unknown) => cause);
    expect(readChatFailure(error)).toEqual({ kind: "not_found" });
  });

  test("as long as the manners say is taken, longer is refused before anything is sent", async () => {
    const { platform, place } = stage;
    const longest = "x".repeat(platform.manners.longestText);
    const { id } = await platform.post(place, { text: longest });
    for (const send of [
      () => platform.post(place, { text: `${longest}x` }),
      () => platform.edit(place, id, { text: `${longest}x` }),
    ]) {
      const error = await send().catch((cause: unknown) => cause);
      expect(readChatFailure(error)).toEqual({ kind: "too_long" });
    }
    expect(stage.shown()).toEqual([longest]);
  });
}

function testButtons(): void {
  const card = {
    text: "Spend $1.60?",
    buttons: [
      { label: "Approve", action: "approve", value: "ap-1", style: "primary" },
      { label: "Deny", action: "deny", value: "ap-1" },
    ],
  } as const;

  test("a click brings back what the button means; said twice, it is the same", async () => {
    const { platform, place } = stage;
    const { id } = await platform.post(place, card);
    for (const label of ["Approve", "Approve", "Deny"]) await stage.click(id, label);
    expect(heard.clicks.map(({ action, value, messageId }) => [action, value, messageId])).toEqual([
      ["approve", "ap-1", id],
      ["approve", "ap-1", id],
      ["deny", "ap-1", id],
    ]);
    const [first, second, third] = heard.clicks;
    expect(first).toMatchObject({ place, by: { id: stage.person, isBot: false, isSelf: false } });
    expect(second?.id).toBe(first?.id);
    expect(third?.id).not.toBe(first?.id);
  });

  test("the same button on another card is another click", async () => {
    const { platform, place } = stage;
    const one = await platform.post(place, card);
    const other = await platform.post(place, card);
    for (const { id } of [one, other]) await stage.click(id, "Approve");
    expect(heard.clicks.map(({ messageId }) => messageId)).toEqual([one.id, other.id]);
    expect(heard.clicks[0]?.id).not.toBe(heard.clicks[1]?.id);
  });

  test("a card loses its buttons when it is edited without them", async () => {
    const { platform, place } = stage;
    const { id } = await platform.post(place, card);
    await platform.edit(place, id, { text: "✓ Approved by Maya" });
    expect(stage.shown()).toEqual(["✓ Approved by Maya"]);
    await expect(stage.click(id, "Approve")).rejects.toThrow();
  });
}

function testChannels(): void {
  test("it is said whether we are called, and our name is left out", async () => {
    await stage.say({ text: `@${stage.ourName} do it` });
    await stage.say({ text: "they did it" });
    expect(heard.messages.map(({ text, mentionsUs }) => [text, mentionsUs])).toEqual([
      ["do it", true],
      ["they did it", false],
    ]);
    expect(heard.messages.map(({ isDirect }) => isDirect)).toEqual([false, false]);
    await stage.sayDirect?.("psst");
    expect(heard.messages.at(-1)).toMatchObject({ isDirect: true, text: "psst" });
  });

  test("what programs say is marked, and what we say is never somebody else's", async () => {
    await stage.say({ text: "build failed", by: "ci-bot" });
    await stage.say({ text: "working on it", by: stage.ourName ?? "" });
    expect(heard.messages[0]?.by).toMatchObject({ id: "ci-bot", isBot: true, isSelf: false });
    for (const { by } of heard.messages.slice(1)) expect(by).toMatchObject({ isBot: true, isSelf: true });
  });
}

function testAgain(): void {
  test("what is delivered again has the same id", async () => {
    await stage.say({ id: "M1", text: "once" });
    await stage.say({ id: "M1", text: "once" });
    expect(heard.messages.map(({ id }) => id)).toEqual(["M1", "M1"]);
  });
}

function testFiles(): void {
  test("a file is read up to a limit, whatever its size is said to be", async () => {
    await stage.say({ text: "see", file: { name: "notes.txt", bytes: 100, declared: 100 } });
    await stage.say({ text: "see", file: { name: "liar.txt", bytes: 100, declared: 10 } });
    await stage.say({ text: "see", file: { name: "mute.txt", bytes: 100 } });
    const files = heard.messages.flatMap(({ attachments }) => attachments);
    expect(files.map(({ name, type, bytes }) => [name, type, bytes])).toEqual([
      ["notes.txt", "text/plain", 100],
      ["liar.txt", "text/plain", 10],
      ["mute.txt", "text/plain", undefined],
    ]);
    for (const file of files) {
      expect((await file.read(100)).length).toBe(100);
      await expect(file.read(99)).rejects.toThrow(/99/);
    }
  });
}

function testChanges(): void {
  test("a message that was changed is told with its new text; one that reads the same is not", async () => {
    await stage.change?.("M1", "two eggs", "three eggs");
    await stage.change?.("M1", "three eggs", "three eggs");
    expect(heard.edits).toEqual([
      { place: stage.place, id: "M1", text: "three eggs", by: expect.objectContaining({ id: stage.person }) },
    ]);
  });
}

function testWhispers(): void {
  test("what one person is told, others do not see", async () => {
    await stage.platform.whisper?.(stage.place, stage.person, { text: "ask @ops" });
    expect(stage.whispered?.()).toEqual(["ask @ops"]);
    expect(stage.shown()).toEqual([]);
  });
}

function testSigns(): void {
  test("signs are put on messages and taken off", async () => {
    const { platform, place, reactions } = stage;
    await platform.react?.(place, "M1", "seen", true);
    await platform.react?.(place, "M1", "seen", false);
    await platform.react?.(place, "M1", "queued", true);
    const signs = reactions?.() ?? [];
    expect(signs.map((sign) => sign[0])).toEqual(["+", "-", "+"]);
    expect(signs[0]?.slice(1)).toBe(signs[1]?.slice(1));
    expect(signs[2]?.slice(1)).not.toBe(signs[0]?.slice(1));
  });
}

function testMemory(): void {
  test("where the platform remembers, our own messages are found, the newest first", async () => {
    const { platform, place } = stage;
    const ids: string[] = [];
    for (const text of ["one", "two", "three", "four", "five"])
      ids.push((await platform.post(place, { text })).id);
    const found = (await platform.recent?.(place, 0)) ?? [];
    expect(found.map(({ text }) => text).sort()).toEqual(["five", "four", "one", "three", "two"]);
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const times = found.map(({ at }) => at);
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(await platform.recent?.(place, Math.max(...times) + 1)).toEqual([]);
  });
}

async function until(isSo: () => boolean): Promise<void> {
  for (let rounds = 0; !isSo(); rounds += 1) {
    if (rounds > 2_000) throw new Error("it did not come about");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
