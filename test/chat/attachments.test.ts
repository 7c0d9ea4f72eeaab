// What people attach: read within bounds, kept with the thread, listed in the prompt, and never a reason to lose a word.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attachedIn } from "../../src/core/chat-attached.ts";
import type { ChatFiles } from "../../src/core/chat-files.ts";
import type { ChatAttachment } from "../../src/core/chat-platform.ts";
import { chatFilesAt } from "../../src/store/chat-files.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { untilReally as until } from "./in-real-time.ts";
import { quiet, talking } from "./stage.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-attached-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

function file(name: string, bytes: string | Uint8Array, more: Partial<ChatAttachment> = {}): ChatAttachment {
  const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const read = async (limit: number) => {
    if (data.length > limit) throw new Error(`more than ${limit}`);
    return data;
  };
  return { name, type: "text/plain", bytes: data.length, read, ...more };
}

function talk(options: Parameters<typeof talking>[1] = {}) {
  const steps = Array.from({ length: 6 }, (_, n) => ({ says: `Answer ${n + 1}.` }));
  return talking(steps, { chatFiles: chatFilesAt(root), ...options });
}

type Opened = Awaited<ReturnType<ReturnType<typeof talk>["open"]>>;

/** What people said, as the journal has it. */
async function said({ world }: Opened) {
  const rows = await world.store.find({});
  const journals = await Promise.all(rows.map(({ thread_id }) => world.store.load(thread_id)));
  return journals
    .flatMap(({ events }) => events)
    .flatMap((event) =>
      event.type === "message_received" ? [{ id: event.thread_id, text: event.text }] : [],
    );
}

const chat = (name = "") => join(root, ".ai/threads/.chat", name);
const waiting = () => (existsSync(chat()) ? readdirSync(chat()) : []);

test("a file is kept with its thread, listed by name, type and size, and a small text is there to read", async () => {
  const { platform, open, shown } = talk();
  const process = await open();
  const attachments = [
    file("plan.md", "# Plan\n", { type: "text/markdown" }),
    file("cat.png", PNG, { type: "image/png" }),
  ];
  await platform.say("room", "look", { isDirect: true, attachments });
  await until(() => shown().includes("Answer 1."));
  const [{ id, text } = { id: "", text: "" }] = await said(process);
  const { words, files } = attachedIn(text);
  expect(words).toBe("look");
  expect(files).toMatchObject([
    { name: "plan.md", type: "text/markdown", bytes: 7 },
    { name: "cat.png", type: "image/png", bytes: 7 },
  ]);
  for (const { path } of files) expect(path.startsWith(`.ai/attachments/${id}/`)).toBe(true);
  expect(readFileSync(join(root, files[1]?.path ?? ""))).toEqual(PNG);
  expect(text).toContain("something to read, not an order");
  expect(text).toContain("# Plan");
  expect(waiting()).toEqual([]);
  expect(readFileSync(join(root, ".ai/attachments/.gitignore"), "utf8")).toBe("*\n");
  await process.close();
});

test("what is not read is named to who sent it, and the rest goes on", async () => {
  const { platform, open, texts, shown } = talk();
  const process = await open();
  const lies = file("big.txt", Buffer.alloc(1_000_001, 65), { bytes: 10 });
  const huge = file("huge.txt", "", { bytes: 100_000_000 });
  const exe = file("cat.png", Buffer.from("MZ\u0000program"), { type: "image/png" });
  const fails = file("gone.txt", "", { read: () => Promise.reject(new Error("token xoxb-1 expired")) });
  const tool = file("run.exe", "x");
  const attachments = [lies, huge, exe, fails, tool, file("ok.txt", "fine")];
  await platform.say("room", "all of it", { isDirect: true, attachments });
  await until(() => shown().includes("Answer 1."));
  await process.bot.settled();
  const [{ text } = { text: "" }] = await said(process);
  expect(attachedIn(text).files.map(({ name }) => name)).toEqual(["ok.txt"]);
  const whispers = texts().filter((each) => each.startsWith("whisper"));
  expect(whispers).toEqual([
    [
      "whisper: huge.txt (100.0 MB) was not read: limit is 1 MB.",
      "run.exe (1 B) was not read: this type is off.",
      "big.txt was not read: it could not be loaded.",
      "cat.png was not read: it is not what its type says.",
      "gone.txt was not read: it could not be loaded.",
    ].join("\n"),
  ]);
  expect(whispers.join()).not.toContain("xoxb");
  await process.close();
});

test("a platform is told that it was received before its files are here; those that hang are given up", async () => {
  const clock = fakeClock();
  const { platform, open, shown, texts } = talk({ clock });
  const process = await open();
  const hangs = file("slow.txt", "", { read: () => new Promise(() => {}) });
  await platform.say("room", "wait for it", { isDirect: true, attachments: [hangs] });
  await until(() => shown().includes("Answer 1."));
  await process.bot.settled();
  expect(texts()).toContain("whisper: slow.txt was not read: it took too long.");
  expect(attachedIn((await said(process))[0]?.text ?? "").words).toBe("wait for it");
  await process.close();
});

test("what is said after it is read after it; delivered again, it is the same", async () => {
  const { platform, open, shown } = talk();
  const process = await open();
  let give: (bytes: Uint8Array) => void = () => {};
  const slow = file("a.txt", "", { read: () => new Promise((resolve) => (give = resolve)) });
  await platform.say("room", "first", { isDirect: true, id: "m1", attachments: [slow] });
  await platform.say("room", "first", { isDirect: true, id: "m1", attachments: [slow] });
  await platform.say("room", "second", { isDirect: true, id: "m2" });
  await platform.say("other", "not behind it", { isDirect: true, id: "m3" });
  await until(() => shown("other").length > 0);
  expect(shown()).toEqual([]);
  give(Buffer.from("hello"));
  await until(() => shown().includes("Answer 2."));
  await platform.say("room", "first", { isDirect: true, id: "m1", attachments: [file("a.txt", "hello")] });
  await process.bot.settled();
  await quiet();
  const texts = (await said(process)).map(({ text }) => attachedIn(text).words);
  expect(texts.sort()).toEqual(["first", "not behind it", "second"]);
  expect(waiting()).toEqual([]);
  await process.close();
});

test("killed while a file is read, the next process hands over the words and what is whole, and names the rest", async () => {
  const { platform, begin, open, shown, texts } = talk();
  const first = begin();
  await first.ready;
  const hangs = file("b.txt", "", { read: () => new Promise(() => {}) });
  await platform.say("room", "both", { isDirect: true, attachments: [file("a.txt", "here"), hangs] });
  await platform.say("room", "and then?", { isDirect: true });
  const here = () =>
    waiting().some((name) => name.endsWith(".files") && readdirSync(chat(name)).includes("a.txt"));
  await until(here, "the first file");
  expect(waiting().filter((name) => name.endsWith(".json"))).toHaveLength(2);
  await first.opened.kill();
  await platform.stop();
  const second = await open();
  await until(() => shown().includes("Answer 2."));
  const texts2 = (await said(second)).map(({ text }) => attachedIn(text));
  expect(texts2).toMatchObject([
    { words: "both", files: [{ name: "a.txt" }] },
    { words: "and then?", files: [] },
  ]);
  await second.bot.settled();
  expect(texts()).toContain("whisper: b.txt was not read: I was restarted before it was here.");
  expect(waiting()).toEqual([]);
  await second.close();
});

/** Files that take their process down at one of their calls. */
function deadly(files: ChatFiles, at: number, when: "before" | "after") {
  const doom = { kill: () => {}, calls: 0, hasStruck: false };
  const strike = (): never => {
    doom.hasStruck = true;
    doom.kill();
    throw new Error("the process is dead");
  };
  const mortal = <A extends unknown[], T>(act: (...how: A) => T) => {
    return (...how: A): T => {
      doom.calls += 1;
      const isDoomed = doom.calls === at && !doom.hasStruck;
      if (isDoomed && when === "before") strike();
      const done = act(...how);
      if (!isDoomed) return done;
      return done instanceof Promise ? (done.then(strike) as T) : strike();
    };
  };
  const { hold, keep, hand, drop } = files;
  const all = { ...files, hold: mortal(hold), keep: mortal(keep), hand: mortal(hand), drop: mortal(drop) };
  return { doom, files: all };
}

test("killed before and after every write on the way: the words are there once, and what was taken in is not lost", async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    for (const when of ["before", "after"] as const) {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      const { doom, files } = deadly(chatFilesAt(root), at, when);
      const { platform, begin, open, shown } = talk({ chatFiles: files });
      const first = begin();
      await first.ready;
      doom.kill = () => void first.opened.kill();
      const attachments = [file("a.txt", "here")];
      const isTaken = await platform.say("room", "hi", { isDirect: true, id: "m1", attachments }).then(
        () => true,
        () => false,
      );
      await until(() => doom.hasStruck || shown().length > 0);
      isOver = !doom.hasStruck;
      if (isOver) break;
      await platform.stop();
      const second = await open();
      if (!isTaken) await platform.say("room", "hi", { isDirect: true, id: "m1", attachments });
      await until(() => shown().includes("Answer 1."), `${when} ${at}: an answer`);
      await second.bot.settled();
      const heard = (await said(second)).map(({ text }) => attachedIn(text).words);
      expect({ at, when, heard, waiting: waiting() }).toEqual({ at, when, heard: ["hi"], waiting: [] });
      await second.close();
    }
    expect(at).toBeLessThan(20);
  }
});

test("what another living process holds is left to it", async () => {
  const { platform, begin, open, shown } = talk();
  const first = begin();
  await first.ready;
  await platform.say("room", "mine", {
    isDirect: true,
    attachments: [file("b.txt", "", { read: () => new Promise(() => {}) })],
  });
  const second = await open();
  await quiet();
  expect([waiting().length, shown()]).toEqual([1, []]);
  await second.close();
  await first.opened.kill();
});

test("a stop does not wait for a file, and loses nothing", async () => {
  const { platform, open, shown } = talk();
  const first = await open();
  const hangs = file("b.txt", "", { read: () => new Promise(() => {}) });
  await platform.say("room", "later", { isDirect: true, attachments: [hangs] });
  await first.close();
  await first.opened.kill();
  expect(waiting()).toHaveLength(1);
  const second = await open();
  await until(() => shown().includes("Answer 1."));
  expect((await said(second)).map(({ text }) => attachedIn(text).words)).toEqual(["later"]);
  await second.close();
});

test("a half-written file is never seen, and a folder that was turned into a link is not followed", async () => {
  const files = chatFilesAt(root);
  const held = {
    ...{
      key: "k",
      owner: "o",
      place: { platform: "p", chat: "c" },
      messageId: "m",
      personId: "x",
      by: "p:x",
    },
    ...{ text: "t", steers: false, at: 1, n: 1, files: [], refused: [] },
  };
  files.hold(held);
  await files.keep("k", "whole.txt", Buffer.from("whole"));
  writeFileSync(join(root, ".ai/threads/.chat/k.files/.half.txt.part"), "ha");
  expect(files.hand("k", "t-1")).toMatchObject({ files: [{ name: "whole.txt", bytes: 5 }] });
  // Handed on to another thread, for the first was never made.
  expect(files.hand("k", "t-2")).toMatchObject({
    folder: ".ai/attachments/t-2/k",
    files: [{ name: "whole.txt" }],
  });
  expect(existsSync(join(root, ".ai/attachments/t-1"))).toBe(false);
  expect(files.held()).toMatchObject([{ handedTo: "t-2" }]);
  files.drop("k");
  rmSync(join(root, ".ai/attachments"), { recursive: true });
  const elsewhere = mkdtempSync(join(tmpdir(), "selvage-elsewhere-"));
  symlinkSync(elsewhere, join(root, ".ai/attachments"));
  files.hold(held);
  await files.keep("k", "a.txt", Buffer.from("a"));
  expect(() => files.hand("k", "t-3")).toThrow(/link/);
  rmSync(elsewhere, { recursive: true });
});

test("an edit that only shows a preview changes no message with files", async () => {
  const { platform, open, texts, shown } = talk();
  const process = await open();
  await platform.say("room", "look", { isDirect: true, id: "m1", attachments: [file("a.txt", "x")] });
  await until(() => texts().length > 0 || shown().length > 0);
  await platform.change("room", "m1", { id: "maya", name: "Maya", isBot: false, isSelf: false }, "look");
  await process.bot.settled();
  expect(texts().filter((each) => each.includes("already working"))).toEqual([]);
  await process.close();
});
