// log.jsonl: every message in and out, once, whatever happens to the process and to the file.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ChatLogLine } from "../../src/core/chat-log.ts";
import { chatFilesAt } from "../../src/store/chat-files.ts";
import { chatLogIn } from "../../src/store/chat-log.ts";
import { untilReally } from "./in-real-time.ts";
import { quiet, talking, until } from "./stage.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-log-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const STEPS = Array.from({ length: 9 }, (_, n) => ({ says: `Answer ${n + 1}.` }));
const talk = () => talking(STEPS, { chatLog: chatLogIn(root), chatFiles: chatFilesAt(root) });
type Opened = Awaited<ReturnType<ReturnType<typeof talk>["open"]>>;

async function fileOf({ world }: Opened, at = 0): Promise<string> {
  const rows = await world.store.find({ onlyHeads: true });
  return join(root, rows[at]?.chain_root_id ?? "", "log.jsonl");
}
async function lines(process: Opened): Promise<ChatLogLine[]> {
  const text = readFileSync(await fileOf(process), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}
const said = (log: readonly ChatLogLine[]) => log.map(({ way, text }) => `${way} ${text}`);
/** Its note that the answer was posted is in the journal too. */
async function settled({ bot }: Opened): Promise<void> {
  await bot.settled();
  await quiet();
}

test("a line for each message, with who, when, what and its names", async () => {
  const { open, platform, shown } = talk();
  const process = await open();
  const attachments = [{ name: "a.txt", type: "text/plain", bytes: 1, read: async () => Buffer.from("x") }];
  await platform.say("room", "hi", { isDirect: true, id: "m1", attachments });
  await until(() => shown().includes("Answer 1."));
  await settled(process);
  const [row] = await process.world.store.find({});
  const path = expect.stringMatching(/^\.ai\/attachments\/.*\/a\.txt$/);
  expect(await lines(process)).toEqual([
    {
      ...{
        ts: expect.any(String),
        thread_id: row?.thread_id,
        seq: expect.any(Number),
        way: "in",
        by: "fake:maya",
      },
      ...{ text: "hi", message_id: "m1", attachments: [path] },
    },
    {
      ...{ ts: expect.any(String), thread_id: row?.thread_id, seq: expect.any(Number), way: "out" },
      ...{ text: "Answer 1.", message_id: expect.any(String), for: "fake:room:m1" },
    },
  ]);
  await process.close();
});

test("a last line that a crash cut off does no harm: the next one is written after the last whole one, and it is made again", async () => {
  const { open, platform, shown } = talk();
  const first = await open();
  await platform.say("room", "one", { isDirect: true });
  await until(() => shown().includes("Answer 1."));
  await settled(first);
  const file = await fileOf(first);
  await first.close();
  truncateSync(file, readFileSync(file).length - 5);
  const second = await open();
  await platform.say("room", "two", { isDirect: true });
  await until(() => shown().includes("Answer 2."));
  await settled(second);
  expect(said(await lines(second))).toEqual(["in one", "out Answer 1.", "in two", "out Answer 2."]);
  await second.close();
});

test("what was said while nobody logged is made up for from the journal; a log that is deleted comes back", async () => {
  const { open, platform, shown } = talk();
  const first = await open();
  for (const text of ["one", "two"]) await platform.say("room", text, { isDirect: true });
  await until(() => shown().includes("Answer 2."));
  await settled(first);
  const file = await fileOf(first);
  const whole = readFileSync(file, "utf8");
  await first.close();
  for (const left of ["", whole.split("\n").slice(0, 2).join("\n"), "nothing of ours\n"]) {
    writeFileSync(file, left);
    const again = await open();
    await settled(again);
    expect(readFileSync(file, "utf8").replace("nothing of ours\n", "")).toBe(whole);
    await again.close();
  }
});

/** From elsewhere: in a chat nothing but that ends a thread whose chain goes on. */
async function end({ world: { store } }: Opened): Promise<void> {
  const [head] = await store.find({ onlyHeads: true, limit: 1 });
  const { thread_id = "", nonce = "" } = head ?? {};
  const asked = { request_id: `end ${thread_id}`, thread_id, nonce, by: "cli", reason: "enough" };
  await store.post([{ kind: "cancel", ...asked }]);
  await untilReally(async () => (await store.find({ threadId: thread_id }))[0]?.status === "cancelled");
}

test("over the threads of a chain, also those that an actor does not look at any more", async () => {
  const { open, platform, shown } = talk();
  const first = await open();
  for (const n of [1, 2, 3, 4]) {
    await platform.say("room", `say ${n}`, { isDirect: true });
    await until(() => shown().includes(`Answer ${n}.`), `answer ${n}`);
    await settled(first);
    if (n < 4) await end(first);
  }
  await settled(first);
  expect(await first.world.store.find({})).toHaveLength(4);
  const file = await fileOf(first);
  const whole = readFileSync(file, "utf8");
  const answers = [1, 2, 3, 4].flatMap((n) => [`in say ${n}`, `out Answer ${n}.`]);
  expect(said(await lines(first)).filter((line) => !line.includes("topped"))).toEqual(answers);
  await first.close();
  const unchanged = await open();
  await settled(unchanged);
  expect(readFileSync(file, "utf8")).toBe(whole);
  await unchanged.close();
  writeFileSync(file, whole.split("\n").slice(0, 1).join("\n"));
  appendFileSync(file, "\n");
  const second = await open();
  await settled(second);
  expect(readFileSync(file, "utf8")).toBe(whole);
  await second.close();
});

test("begun anew, it is another log", async () => {
  const { open, platform, shown } = talk();
  const process = await open();
  const answers = () => shown().filter((text) => text === "Answer 1.").length;
  for (const text of ["one", "two"]) {
    const before = answers();
    await platform.say("room", text, { isDirect: true });
    await until(() => answers() > before, `an answer to ${text}`);
    await settled(process);
    expect(said(await lines(process))).toEqual([`in ${text}`, "out Answer 1."]);
    await platform.say("room", "/new", { isDirect: true });
    await settled(process);
  }
  await process.close();
});

test("killed at any write, no line is lost and none is there twice", async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    rmSync(root, { recursive: true, force: true });
    const { begin, open, platform, shown } = talk();
    const { opened, ready } = begin({ at, fate: "landed" });
    let isStored = false;
    const story = ready.then(async (process) => {
      await platform.say("room", "hi", { isDirect: true, id: "m" });
      isStored = true;
      await until(() => shown().includes("Answer 1."), "an answer");
      await settled(process);
    });
    story.catch(() => {});
    await Promise.race([story, opened.mortal.died]);
    isOver = !opened.mortal.isDead;
    await opened.kill();
    const second = await open();
    if (!isStored) await platform.say("room", "hi", { isDirect: true, id: "m" });
    await until(() => shown().some((text) => /Answer|restarted|deliver/.test(text)), `${at}`);
    await settled(second);
    const told = said(await lines(second));
    expect({ at, told: told.filter((line) => line === "in hi") }).toEqual({ at, told: ["in hi"] });
    expect(new Set(told).size, `${at}: ${told}`).toBe(told.length);
    await second.close();
  }
});

test("a folder that cannot be written is told of, and people are answered all the same", async () => {
  const blocked = join(root, "file");
  writeFileSync(blocked, "");
  const { open, platform, shown, troubles } = talking(STEPS, { chatLog: chatLogIn(blocked) });
  const process = await open();
  await platform.say("room", "hi", { isDirect: true });
  await until(() => shown().includes("Answer 1."));
  await process.close();
  expect(troubles.filter((message) => message.includes("log.jsonl"))).toHaveLength(1);
});
