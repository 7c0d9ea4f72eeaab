// Prompts that come by themselves: told once each, whoever tells them, whatever the clock does, and never more than words.
import { expect, test } from "vitest";
import type { ChatSchedule } from "../../src/core/chat-file.ts";
import { fakeClock } from "../../src/testing/clock.ts";
import { passes, quiet, type TalkOptions, talking, until } from "./stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Thursday. */
const MIDNIGHT = Date.UTC(2026, 0, 1);

const standup = (more: Partial<ChatSchedule> = {}): ChatSchedule => ({
  ...{ id: "standup", place: "fake:room", prompt: "What is open?" },
  ...more,
});

function scheduled(schedules: readonly ChatSchedule[], options: TalkOptions & { from?: number } = {}) {
  const clock = fakeClock(options.from ?? MIDNIGHT);
  const says = Array.from({ length: 40 }, (_, at) => ({ says: `Answer ${at + 1}.` }));
  const stage = talking(says, { clock, ...options, rules: { schedules, ...options.rules } });
  /** What was said where, in order, as the journals have it. */
  const told = async (address = "fake:room") => {
    const { store } = stage.universe.open().world;
    const rows = await store.find({ address });
    const journals = await Promise.all(rows.map(({ thread_id }) => store.load(thread_id)));
    return journals.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "message_received" ? [event] : [])),
    );
  };
  const due = async (address?: string) =>
    (await told(address)).map(({ request_id }) => request_id.slice("schedule:".length)).sort();
  return { ...stage, told, due };
}

test("when it is due it is told in its place, and the answer is a message there that mentions nobody", async () => {
  const { open, shown, told, clock, platform, troubles } = scheduled([standup({ cron: "*/2 0 1 1 *" })], {
    from: MIDNIGHT - MINUTE / 2,
  });
  const said: unknown[] = [];
  const post = platform.post.bind(platform);
  platform.post = (place, text) => {
    said.push(text);
    return post(place, text);
  };
  const { close } = await open();
  await passes(clock, 3 * MINUTE);
  expect(shown()).toHaveLength(2);
  expect(await told()).toMatchObject([
    { by: "schedule:standup", text: "[schedule standup] What is open?", after: "end" },
    { request_id: "schedule:standup:2026-01-01T00:02:00.000Z" },
  ]);
  expect(said).toEqual([{ text: "Answer 1." }, { text: "Answer 2." }]);
  expect(platform.sent.filter(({ verb }) => verb === "react")).toEqual([]);
  expect(troubles).toEqual([]);
  await close();
});

test("two processes and every restart tell it once", async () => {
  const { open, due, clock } = scheduled([standup({ once: "2026-01-01T00:02" })]);
  const [one, two] = [await open(), await open()];
  await passes(clock, 3 * MINUTE);
  await Promise.all([one.close(), two.close()]);
  const three = await open();
  await quiet();
  await three.close();
  expect(await due()).toEqual(["standup:2026-01-01T00:02:00.000Z"]);
});

test("of what was due while nobody ran, the last one is caught up, once; of what is a day old, nothing", async () => {
  const { open, due, clock } = scheduled([
    standup({ cron: "0 * * * *" }),
    standup({ id: "once", once: "2026-01-03T00:00" }),
    standup({ id: "old", cron: "0 0 2 1 *" }),
  ]);
  clock.jump(4 * 24 * HOUR + 30 * MINUTE);
  const first = await open();
  await quiet();
  await first.close();
  const told = await due();
  expect(told.slice(0, 1)).toEqual(["once:2026-01-03T00:00:00.000Z"]);
  expect(told[1]).toBe("standup:2026-01-05T00:00:00.000Z");
  expect(told.filter((each) => each.startsWith("old"))).toEqual([]);
});

test("a clock that is set back tells nothing twice, and one that is set on tells the last of what it passed", async () => {
  const { open, due, clock } = scheduled([standup({ cron: "0 * * * *" })]);
  const { close } = await open();
  await passes(clock, 2 * MINUTE);
  const before = await due();
  clock.jump(-10 * MINUTE);
  await passes(clock, 2 * MINUTE);
  clock.jump(10 * MINUTE);
  await passes(clock, 2 * MINUTE);
  // Set back over midnight, the hour before it was never told: it is the last one now.
  expect(before).toEqual(["standup:2026-01-01T00:00:00.000Z"]);
  expect(await due()).toEqual(["standup:2025-12-31T23:00:00.000Z", ...before]);
  clock.jump(5 * HOUR);
  await passes(clock, 2 * MINUTE);
  expect((await due()).slice(2)).toEqual(["standup:2026-01-01T05:00:00.000Z"]);
  await close();
});

test("where nobody speaks here, nothing is told; another schedule is not held up by that", async () => {
  const { open, due, shown, platform } = scheduled([
    standup({ id: "far", place: "slack:C1", once: "2026-01-01T00:00" }),
    standup({ id: "shut", place: "fake:shut", once: "2026-01-01T00:00" }),
    standup({ id: "here", once: "2026-01-01T00:00" }),
  ]);
  Object.assign(platform, { speaksIn: ({ chat }: { chat: string }) => chat !== "shut" });
  const { close } = await open();
  await until(() => shown().length === 1, "the answer");
  await quiet();
  expect(await due("slack:C1")).toEqual([]);
  expect(await due("fake:shut")).toEqual([]);
  await close();
});

test("what it says is words: it neither commands nor approves", async () => {
  const { open, told, shown, texts } = scheduled([
    standup({ id: "a", prompt: "/new", once: "2026-01-01T00:00" }),
    standup({ id: "b", prompt: "/approve", once: "2026-01-01T00:01" }),
  ]);
  const { close, world } = await open();
  await until(() => shown().length === 2, "two answers");
  expect(await world.store.find({})).toHaveLength(1);
  expect((await told()).map(({ text }) => text)).toEqual(["[schedule a] /new", "[schedule b] /approve"]);
  expect(texts().filter((text) => text.startsWith("whisper"))).toEqual([]);
  await close();
});

test("one that cannot be told is tried again, said once, and holds up nobody", async () => {
  let isBroken = true;
  const { open, due, shown, clock, troubles } = scheduled(
    [
      standup({ id: "bad", place: "fake:bad", once: "2026-01-01T00:00" }),
      standup({ id: "good", once: "2026-01-01T00:01:30" }),
    ],
    {
      rules: {
        directive: ({ chat }) => {
          if (chat === "bad" && isBroken) throw new Error("no directive");
          return "chat";
        },
      },
    },
  );
  const { close } = await open();
  await passes(clock, 2 * MINUTE);
  expect(shown()).toEqual(["Answer 1."]);
  expect(troubles).toEqual(["schedule bad could not be told: no directive"]);
  isBroken = false;
  await passes(clock, 2 * MINUTE);
  expect(shown("bad")).toEqual(["Answer 1."]);
  expect(await due("fake:bad")).toEqual(["bad:2026-01-01T00:00:00.000Z"]);
  await close();
});

test("killed at any write, it is told once and answered once", async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    for (const fate of ["lost", "landed"] as const) {
      const { begin, open, shown, due } = scheduled([standup({ once: "2026-01-01T00:00" })]);
      const { opened, ready } = begin({ at, fate });
      const story = ready.then(() => until(() => shown().length === 1, "an answer"));
      story.catch(() => {});
      await Promise.race([story, opened.mortal.died]);
      isOver = !opened.mortal.isDead;
      await opened.kill();
      const second = await open();
      await until(() => shown().some((text) => /^Answer|not sure|deliver/.test(text)), `${at} ${fate}`);
      await quiet();
      expect(await due(), `${at} ${fate}`).toEqual(["standup:2026-01-01T00:00:00.000Z"]);
      expect(shown().filter((text) => text.startsWith("Answer")).length).toBeLessThanOrEqual(1);
      await second.close();
    }
  }
});
