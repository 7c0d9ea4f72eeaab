// /cancel stops one message, /new begins anew, and a message that waits may be said in other words.
import { describe, expect, test } from "vitest";
import { gate } from "../sdk/stage.ts";
import { MAYA } from "./fake-platform.ts";
import { quiet, talking, until } from "./stage.ts";

const wait = { calls: [{ tool: "gate", input: {} }] };

async function busy(steps: Parameters<typeof talking>[0]) {
  const { tool, release, state } = gate();
  const staged = talking([wait, ...steps], { tools: [tool] });
  const opened = await staged.open();
  await staged.platform.say("room", "@selvage first", { id: "m1" });
  await until(() => state.runs === 1, "work");
  const { store } = opened.world;
  const read = async () => {
    const rows = (await store.find({})).toReversed();
    const journals = await Promise.all(rows.map(({ thread_id }) => store.load(thread_id)));
    return journals.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "cognition_in" && event.request_id ? [event.text] : [])),
    );
  };
  const said = (words: string) => until(() => staged.texts().some((text) => text.includes(words)), words);
  return { ...staged, ...opened, release, state, store, read, said };
}

test("/cancel stops what is under way; the thread stays, and what waits comes next", async () => {
  const t = await busy([{ says: "Second." }, { says: "Third." }]);
  await t.platform.say("room", "and then", { id: "m2" });
  await t.platform.say("room", "/cancel wrong plan");
  await t.said("whisper: ◐ Stopping after gate");
  await until(() => t.shown().includes("Second."), "the next answer");
  expect(t.shown()).toContain("⊘ Stopped. Work is kept.");
  await t.platform.say("room", "more");
  await until(() => t.shown().includes("Third."), "another answer");
  expect(await t.store.find({})).toMatchObject([{ continuation_of: null, status: "running" }]);
  expect(t.shown().filter((text) => text.includes("Stopped"))).toHaveLength(1);
  await t.platform.say("room", "/cancel");
  await t.said("whisper: There is nothing to stop.");
  expect(t.troubles).toEqual([]);
  await t.close();
});

test("/cancel ends a wait for another try at once", async () => {
  const { open, platform, texts, shown, clock } = talking([
    { fails: { status: 429, retry_after_ms: 50_000 } },
    { says: "Here." },
  ]);
  const { close, world } = await open();
  await platform.say("room", "@selvage hi");
  await until(() => texts().some((text) => text.includes("Retrying")), "a retry");
  const before = clock.now();
  await platform.say("room", "/cancel");
  await until(() => shown().some((text) => text.startsWith("⊘ Stopped")), "a stop");
  expect(clock.now() - before).toBeLessThan(20_000);
  await platform.say("room", "and now?");
  await until(() => shown().includes("Here."), "an answer");
  expect(await world.store.find({})).toHaveLength(1);
  await close();
});

test("a cancel from elsewhere ends the thread, and that is said, with what was not read", async () => {
  const t = await busy([{ says: "Again." }]);
  await t.platform.say("room", "and then", { id: "m2" });
  const [row] = await t.store.find({});
  const { thread_id = "", nonce = "" } = row ?? {};
  const request = { request_id: "c", thread_id, nonce, by: "cli", reason: "by hand" };
  await t.store.post([{ kind: "cancel", ...request }]);
  await until(() => t.shown().some((text) => text.startsWith("⊘ Stopped")), "a stop");
  await t.said("Send what still counts again");
  expect(await t.store.find({})).toMatchObject([{ status: "cancelled" }]);
  await t.close();
});

test("/new loses nothing that waits: it is read first in the new conversation, in order", async () => {
  const t = await busy([{ says: "2" }, { says: "3" }, { says: "4" }]);
  await t.platform.say("room", "second", { id: "m2" });
  await t.platform.say("room", "third", { id: "m3" });
  await t.platform.say("room", "/new");
  await t.said("2 messages that waited will be read first");
  await t.said("Nothing is lost");
  await t.platform.say("room", "@selvage fourth", { id: "m4" });
  await until(() => t.state.runs === 2, "work on what waited");
  await t.platform.change("room", "m3", MAYA, "drei");
  t.release();
  await until(() => t.shown().filter((text) => /^\d$/.test(text)).length === 3, "three answers");
  expect(await t.read()).toEqual(["first", "second", "drei", "fourth"].map((text) => `[Maya] ${text}`));
  const rows = await t.store.find({});
  expect(rows.map(({ continuation_of }) => continuation_of)).toEqual([null, null]);
  // Delivered again, they are the same, though they go by other names.
  await t.platform.say("room", "second", { id: "m2" });
  await quiet();
  expect(t.shown().some((text) => text.startsWith("●"))).toBe(false);
  expect(t.troubles).toEqual([]);
  await t.close();
});

test("delivered again after /new, while others wait for the next conversation, a message is the same", async () => {
  const t = await busy([{ says: "1" }, { says: "2" }, { says: "3" }]);
  await t.platform.say("room", "second", { id: "m2" });
  await t.platform.say("room", "/new");
  await until(() => t.shown().some((text) => text.startsWith("⊘ Stopped")), "a stop");
  await t.platform.say("room", "@selvage first", { id: "m1" });
  expect(await t.store.find({})).toHaveLength(1);
  expect(t.troubles).toEqual([]);
  t.release();
  await t.close();
});

test("what is said after a command comes after it, however soon", async () => {
  const { open, platform, shown } = talking([{ says: "1" }, { says: "2" }]);
  const { close, world } = await open();
  await platform.say("room", "@selvage first");
  await until(() => shown().includes("1"), "an answer");
  await platform.say("room", "/cancel");
  await platform.say("room", "second");
  await until(() => shown().includes("2"), "another");
  await platform.say("room", "/new");
  await platform.say("room", "@selvage third");
  await until(() => shown().filter((text) => text === "1").length === 2, "an answer from the beginning");
  expect(await world.store.find({})).toHaveLength(2);
  expect(shown()).toEqual(["1", "2", "1"]);
  await close();
});

describe("a message that is changed", () => {
  test("before it is begun says what it says then, however often that is told", async () => {
    const t = await busy([{ says: "1" }, { says: "2" }, { says: "3" }]);
    await t.platform.say("room", "second", { id: "m2" });
    await t.platform.say("room", "third", { id: "m3" });
    for (const text of ["zwei", "zwei", "second", "zwei", "deux", "deux"])
      await t.platform.change("room", "m2", MAYA, text);
    t.release();
    await until(() => t.shown().includes("3"), "answers");
    expect(await t.read()).toEqual(["[Maya] first", "[Maya] deux", "[Maya] third"]);
    expect(t.texts().filter((text) => text.includes("working on the first"))).toEqual([]);
    await t.close();
  });

  test.each([
    [["zwei", "second"], "second"],
    [["zwei", "second", "zwei"], "zwei"],
  ])("back and forth says what it says last: %j", async (changes, last) => {
    const t = await busy([{ says: "1" }, { says: "2" }]);
    await t.platform.say("room", "second", { id: "m2" });
    for (const text of changes) await t.platform.change("room", "m2", MAYA, text);
    t.release();
    await until(() => t.shown().includes("2"), "answers");
    expect(await t.read()).toEqual(["[Maya] first", `[Maya] ${last}`]);
    await t.close();
  });

  test("after it has begun is told to be too late, and is not read", async () => {
    const t = await busy([{ says: "1" }]);
    await t.platform.change("room", "m1", MAYA, "something else");
    await t.said("whisper: I am already working on the first version");
    t.release();
    await until(() => t.shown().includes("1"), "an answer");
    expect(await t.read()).toEqual(["[Maya] first"]);
    await t.close();
  });

  test("while it is being taken up is told so too: the thread decides", async () => {
    const t = await busy([{ says: "1" }]);
    const [row] = await t.store.find({});
    const { thread_id = "" } = row ?? {};
    const late = { request_id: "fake:room:m1@late", thread_id, by: "fake:maya", text: "late" };
    await t.store.post([{ kind: "message", ...late, after: "end", replaces: "fake:room:m1" }]);
    t.release();
    await until(() => t.shown().some((text) => text.startsWith("I am already working")), "a word");
    await until(() => t.shown().includes("1"), "an answer");
    expect(await t.read()).toEqual(["[Maya] first"]);
    await t.close();
  });
});
