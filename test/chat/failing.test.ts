// A message that fails is told of, and what waits behind it is answered all the same: nobody has to write again.
import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problem.ts";
import { foldThread } from "../../src/core/thread.ts";
import { gate } from "../sdk/stage.ts";
import { passes, quiet, type TalkOptions, talking, until } from "./stage.ts";

type Steps = Parameters<typeof talking>[0];
const refused = { fails: { status: 401 } };
const wrong = expect.stringContaining("Something went wrong: The provider refused the key: 401.");

/** The first message is at work until it is let go; what is said meanwhile waits behind it. */
function waitingBehind(steps: Steps, options: TalkOptions = {}) {
  const { tool, release, state } = gate();
  const stage = talking([{ calls: [{ tool: "gate", input: {} }] }, ...steps], { ...options, tools: [tool] });
  const begin = async () => {
    const opened = await stage.open();
    await stage.platform.say("room", "@selvage one");
    await until(() => state.runs === 1, "work");
    return opened;
  };
  return { ...stage, begin, release };
}

async function journal({ universe }: Pick<ReturnType<typeof talking>, "universe">) {
  const { store } = universe.open().world;
  const [row] = await store.find({ address: "fake:room", limit: 1 });
  const { events } = await store.load(row?.thread_id ?? "");
  const thread = foldThread(row?.thread_id ?? "", events);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const read = toArray(thread.messages).flatMap((each) => (each.role === "user" ? [each.text] : []));
  return { row, events, count, read: read.slice(1) };
}

const AT_REST = { status: "running", owner: null, waits_for: { kind: "message" } };

test("two messages at once, and the first one fails: that is said, and the second is answered", async () => {
  const stage = talking([refused, { says: "Here." }]);
  const { close } = await stage.open();
  const { platform, shown } = stage;
  await Promise.all([platform.say("room", "@selvage one"), platform.say("room", "@selvage two")]);
  await until(() => shown().includes("Here."), "an answer");
  await quiet();
  expect(shown()).toEqual([wrong, "Here."]);
  const { row, count } = await journal(stage);
  expect(row).toMatchObject(AT_REST);
  expect([count("error_classified"), count("cognition_out")]).toEqual([1, 1]);
  expect(stage.troubles).toEqual([]);
  await close();
});

test("what waits behind a message that fails is answered in order, each once, and reads what was said before", async () => {
  const stage = waitingBehind([refused, { says: "Two." }, { says: "Three." }]);
  const { platform, shown, release } = stage;
  const { close } = await stage.begin();
  await platform.say("room", "two", { id: "m2" });
  await platform.say("room", "three", { id: "m3" });
  release();
  await until(() => shown().includes("Three."), "the last answer");
  await quiet();
  expect(shown()).toEqual([wrong, "Two.", "Three."]);
  const { row, events, read, count } = await journal(stage);
  expect(row).toMatchObject(AT_REST);
  expect(read).toEqual(["[Maya] one", "[Maya] two", "[Maya] three"]);
  // One request that failed, and one for each answer: nothing is asked again.
  expect([count("error_classified"), count("cognition_out"), count("thread_resumed")]).toEqual([1, 3, 1]);
  expect(events.flatMap((event) => (event.type === "message_answered" ? [event.for] : []))).toEqual([
    ...["fake:room:m2", "fake:room:m3"],
  ]);
  await close();
});

test("when all of them fail, each is told of once, and it stands still until somebody writes or lets it go on", async () => {
  const stage = waitingBehind(Array.from({ length: 20 }, () => refused));
  const { platform, shown, release } = stage;
  const { close } = await stage.begin();
  await platform.say("room", "two");
  await platform.say("room", "three");
  release();
  await until(() => shown().length === 3, "three failures");
  await quiet();
  expect(shown()).toEqual([wrong, wrong, wrong]);
  const stopped = await journal(stage);
  expect(stopped.row).toMatchObject({ status: "suspended", suspend_reason: "error", owner: null });
  expect(stopped.count("error_classified")).toBe(3);
  await close();
  // Whoever begins again finds nothing to do.
  const again = await stage.open();
  await quiet();
  expect((await journal(stage)).count("error_classified")).toBe(3);
  await platform.say("room", "four");
  await until(() => shown().length === 4, "another failure");
  await platform.say("room", "/retry");
  await until(() => shown().length === 5, "another go");
  await quiet();
  const { count, row } = await journal(stage);
  expect([count("error_classified"), count("thread_resumed")]).toEqual([5, 4]);
  expect(row).toMatchObject({ status: "suspended" });
  await again.close();
});

test("steering that meets a thread which has stopped over a failure is the next message", async () => {
  const stage = talking([refused, { says: "Here." }]);
  const { platform, shown } = stage;
  const { close } = await stage.open();
  await platform.say("room", "@selvage one");
  await until(() => shown().length === 1, "a failure");
  await platform.say("room", "!try it now");
  await until(() => shown().includes("Here."), "an answer");
  expect((await journal(stage)).row).toMatchObject(AT_REST);
  await close();
});

test("whoever stops the tries of a message lets the next one begin", async () => {
  const stage = talking([{ fails: { status: 429, retry_after_ms: 50_000 } }, { says: "Here." }]);
  const { platform, shown, texts, clock } = stage;
  const { close } = await stage.open();
  await platform.say("room", "@selvage one");
  await until(() => texts().some((text) => text.includes("Retrying")), "a retry");
  const progress = platform.sent.find(({ verb }) => verb === "post")?.id ?? "";
  const before = clock.now();
  await platform.say("room", "two", { id: "m2" });
  await until(() => platform.sent.some(({ verb, id }) => verb === "react" && id === "m2"), "a sign");
  await platform.click("room", progress, "Stop retrying");
  await until(() => shown().includes("Here."), "an answer");
  expect(clock.now() - before).toBeLessThan(20_000);
  expect((await journal(stage)).count("message_answered")).toBe(1);
  await close();
});

test("wherever it dies in between: the failure is told once, and the next message answered once", async () => {
  let deaths = 0;
  for (let at = 1; ; at += 1) {
    const stage = talking([refused, { says: "Here." }]);
    const { platform, shown, begin, open, clock } = stage;
    const { opened, ready } = begin({ at, fate: at % 2 === 0 ? "landed" : "lost" });
    const { mortal } = opened;
    const say = (text: string, id: string) => platform.say("room", text, { id }).catch(() => {});
    await Promise.race([
      mortal.died,
      ready.then(async () => {
        await Promise.all([say("@selvage one", "m1"), say("@selvage two", "m2")]);
        await until(() => shown().includes("Here.") || mortal.isDead, "an answer");
        await quiet();
      }),
    ]);
    const isOver = !mortal.isDead;
    await opened.kill();
    const next = await open();
    // A platform that was not told comes again.
    await Promise.all([say("@selvage one", "m1"), say("@selvage two", "m2")]);
    // What a crash cut off may still arrive: until it cannot, it is not posted again.
    await passes(clock, 120_000);
    await until(() => shown().includes("Here."), `an answer after death ${at}`);
    expect(shown(), `death ${at}`).toHaveLength(2);
    expect(shown(), `death ${at}`).toEqual(expect.arrayContaining([wrong, "Here."]));
    const { count, row } = await journal(stage);
    expect(count("message_answered"), `death ${at}`).toBe(1);
    expect(row, `death ${at}`).toMatchObject(AT_REST);
    await next.close();
    if (isOver) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(10);
}, 120_000);

test.each([
  ["used up", { fails: { status: 429, type: "insufficient_quota" } }, "/retry runs it again."],
  ["back in an hour", { fails: { status: 429, retry_after_ms: 3_600_000 } }, "/retry runs it now."],
])("a quota that is %s: what is said waits, and /retry does what the text says", async (_, used, says) => {
  const stage = talking([used, used, used]);
  const { platform, shown, texts } = stage;
  const { close } = await stage.open();
  await platform.say("room", "@selvage one");
  await until(() => shown().some((text) => text.endsWith(says)), "a failure");
  await platform.say("room", "two");
  await quiet();
  const before = await journal(stage);
  expect(before.row).toMatchObject({ status: "suspended", suspend_reason: "quota", owner: null });
  await platform.say("room", "/retry");
  await until(() => texts().includes("whisper: ↻ Trying again now."), "a word");
  await until(() => shown().filter((text) => text.endsWith(says)).length === 2, "another go");
  const { count } = await journal(stage);
  expect(count("error_classified")).toBe(2 * before.count("error_classified"));
  await close();
});

test("a talk that cannot begin before somebody has mended something: that is said once, and the next message begins it", async () => {
  let isBroken = true;
  const directive = () => {
    if (isBroken) throw new Problem("E_DIRECTIVE_INVALID", { what: "chat.md has no body." });
    return "chat";
  };
  const stage = talking([{ says: "Here." }], { rules: { directive } });
  const { platform, shown, texts, troubles } = stage;
  const { close } = await stage.open();
  await platform.say("room", "@selvage one");
  await until(() => texts().length === 1, "a word");
  expect(texts()).toEqual([
    "whisper: Something went wrong: chat.md has no body. Try sending your message again.\nIt was not kept, and whoever runs me knows why.",
  ]);
  expect(troubles).toEqual(["fake:room: a message was not taken: chat.md has no body."]);
  isBroken = false;
  await platform.say("room", "@selvage two");
  await until(() => shown().includes("Here."), "an answer");
  expect((await journal(stage)).read).toEqual(["[Maya] two"]);
  await close();
});
