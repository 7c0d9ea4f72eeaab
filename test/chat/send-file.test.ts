// What an agent makes and hands to the people it talks with: once, as it was then, or with a word about where it stands.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallId } from "../../src/core/id.ts";
import type { World } from "../../src/core/world.ts";
import { chatFilesAt } from "../../src/store/chat-files.ts";
import { sendFileTool } from "../../src/tool/send-file.ts";
import { untilReally as until } from "./in-real-time.ts";
import { passes, quiet, talking } from "./stage.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "selvage-send-"));
  writeFileSync(join(root, "report.csv"), "a,b\n1,2\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const STEPS = [{ calls: [{ tool: "send_file", input: { path: "report.csv" } }] }, { says: "Here it is." }];
const talk = (steps: Parameters<typeof talking>[0] = STEPS) =>
  talking(steps, { tools: [sendFileTool(root)], chatFiles: chatFilesAt(root) });

test("it is uploaded, as it was when the agent sent it, and noted", async () => {
  const { open, platform, shown } = talk();
  const { close, world } = await open();
  await platform.say("room", "the report, please", { isDirect: true });
  await until(() => shown().includes("Here it is."), "the answer");
  await quiet();
  expect(platform.files).toEqual([
    { name: "report.csv", type: "text/csv", bytes: Buffer.from("a,b\n1,2\n") },
  ]);
  const [row] = await world.store.find({});
  const { events } = await world.store.load(row?.thread_id ?? "");
  const call = events.find((event) => event.type === "tool_call_result");
  const notes = events.filter((event) => event.type === "delivery_noted" && event.what === "file");
  expect(notes).toMatchObject([
    { state: "intended", for: call?.type === "tool_call_result" && call.call_id },
    { state: "posted", message_id: expect.any(String) },
  ]);
  await close();
});

test.each([["config.py"], [".env"], ["report.csv"]])(
  "%s: no secret of this machine goes out with it",
  async (name) => {
    writeFileSync(join(root, name), "key = sk-canary-1\n");
    const { open, platform, shown } = talk([
      { calls: [{ tool: "send_file", input: { path: name } }] },
      { says: "Here it is." },
    ]);
    const { close, world } = await open();
    Object.assign(world, {
      redact: (value: unknown) =>
        typeof value === "string" ? value.replaceAll("sk-canary-1", "***") : value,
    });
    await platform.say("room", "send it", { isDirect: true });
    await until(() => shown().includes("Here it is."), "the answer");
    await until(() => platform.files.length === 1, "the file");
    expect(Buffer.from(platform.files[0]?.bytes ?? []).toString()).toBe("key = ***\n");
    await close();
  },
);

test.each([
  ["refuses it", () => Promise.reject(Object.assign(new Error("no"), { status: 403 }))],
  ["takes no files", undefined],
])("where the platform %s, people are told where it stands", async (_, upload) => {
  const { open, platform, shown } = talk();
  const { close } = await open();
  Object.assign(platform, { upload });
  await platform.say("room", "the report, please", { isDirect: true });
  await until(() => shown().includes("Here it is."), "the answer");
  const told = "report.csv could not be sent here. It stands at report.csv in the project.";
  await until(() => shown().includes(told), "a word about it");
  await close();
});

test("a file that is there is not thought of again after a restart, also where nobody can look for it", async () => {
  const { open, platform, shown, clock } = talk();
  const first = await open();
  await platform.say("room", "the report, please", { isDirect: true });
  await until(() => shown().includes("Here it is."), "the answer");
  await isNoted(first.world);
  await first.close();
  Object.assign(platform, { recent: undefined });
  const before = shown();
  const second = await open();
  await second.bot.settled();
  await passes(clock, 120_000);
  expect(shown()).toEqual(before);
  expect(platform.files).toHaveLength(1);
  await second.close();
});

test("killed when it has just arrived, it is looked for, found, and not sent again", async () => {
  const { begin, open, platform, shown } = talk();
  const { opened, ready } = begin();
  await ready;
  const upload = platform.upload.bind(platform);
  const arrivesAndKills: typeof upload = async (...given) => {
    await upload(...given);
    await opened.kill();
    return new Promise(() => {});
  };
  Object.assign(platform, { upload: arrivesAndKills });
  await platform.say("room", "the report, please", { isDirect: true });
  await until(() => opened.mortal.isDead, "its arrival");
  Object.assign(platform, { upload });
  const second = await open();
  await isNoted(second.world);
  await until(() => shown().includes("Here it is."), "the answer");
  expect(platform.files).toHaveLength(1);
  await second.close();
});

test("killed at any write, it is sent once, or people are told where it stands", async () => {
  const [lost, landed] = [await writes("lost"), await writes("landed")];
  expect(Math.min(lost, landed)).toBeGreaterThan(10);
});

/** Until it is in the journal that the file is there, or never will be. */
async function isNoted({ store }: Pick<World, "store">): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const [row] = await store.find({});
    const { events } = await store.load(row?.thread_id ?? "");
    const notes = events.flatMap((event) =>
      event.type === "delivery_noted" && event.what === "file" ? [event.state] : [],
    );
    if (notes.some((state) => state !== "intended")) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error("nobody noted what became of the file");
}

/** Killed at each write in turn; how many there were. */
async function writes(fate: "lost" | "landed"): Promise<number> {
  for (let at = 1, isOver = false; ; at += 1) {
    if (isOver) return at;
    const { begin, open, platform, shown } = talk();
    const { opened, ready } = begin({ at, fate });
    let isStored = false;
    const story = ready.then(async ({ bot, world }) => {
      await platform.say("room", "the report, please", { isDirect: true, id: "m" });
      isStored = true;
      await until(() => shown().includes("Here it is."), "an answer");
      // A disk that is slow brings the file later than the answer.
      await isNoted(world);
      await bot.settled();
      await quiet();
    });
    story.catch(() => {});
    await Promise.race([story, opened.mortal.died]);
    isOver = !opened.mortal.isDead;
    await opened.kill();
    const second = await open();
    if (!isStored) await platform.say("room", "the report, please", { isDirect: true, id: "m" });
    const isTold = () => platform.files.length > 0 || shown().some((text) => text.includes("It stands at"));
    await until(isTold, `${at}: the file`);
    await until(() => shown().some((text) => /Here it is|restarted|deliver/.test(text)), `${at}: an answer`);
    await isNoted(second.world);
    await second.bot.settled();
    expect({ at, sent: platform.files.length }).toEqual({
      at,
      sent: expect.toSatisfy((sent: number) => sent <= 1),
    });
    await second.close();
  }
}

test("only what a file tool may see, only files, and not more than a platform could take", async () => {
  const tool = sendFileTool(root);
  const context = {
    ...{ threadId: "chat-1-x", chainRootId: "chat-1-x", turn: 1, callKey: "call_1" as CallId },
    ...{ signal: new AbortController().signal, progress: () => {} },
  };
  const send = async (path: string) => tool.run({ path }, context);
  symlinkSync("/etc/passwd", join(root, "link"));
  mkdirSync(join(root, ".ai/threads"), { recursive: true });
  writeFileSync(join(root, ".ai/threads/registry.db"), "secret");
  writeFileSync(join(root, "big.bin"), "");
  truncateSync(join(root, "big.bin"), 50_000_001);
  for (const [path, why] of [
    ["/etc/passwd", /leads out/],
    ["link", /leads out/],
    ["../x", /`\.\.`/],
    [".ai/threads/registry.db", /belongs to Selvage/],
    ["big.bin", /50\.0 MB are the most/],
    ["nothing.txt", /no such file/],
    [".ai", /not an ordinary file/],
  ] as const) {
    expect(await send(path)).toMatchObject({ status: "error", output: expect.stringMatching(why) });
  }
  expect(await send("report.csv")).toMatchObject({ status: "ok" });
  const kept = await chatFilesAt(root).outgoing("chat-1-x", "call_1");
  expect(kept?.toString()).toBe("a,b\n1,2\n");
});
