// One of a thousand chats hangs, throws, cannot be read, floods or has used up what it may: the others do not wait for it.
// On the real database, where every answer comes at once, so that the bad one is always at work. What counts is the time in which
// this process was at work, for the machine does other things too; by the clock nobody waits for long either.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Crowd, crowd, type Latency, p99 } from "./crowd-stage.ts";

const CHATS = 1_000;
/** SPEC: what one chat may add to the others' latency, at the 99th percentile. */
const MOST_ADDED_MS = 100;
const MOST_ADDED_BY_THE_CLOCK_MS = 1_000;
const ROUNDS = 3;
const chats = Array.from({ length: CHATS - 5 }, (_, at) => `c${at}`);

let stage: Crowd;
let unread: string | undefined;
let usual: Latency;

beforeAll(async () => {
  stage = await crowd({
    limits: { short: { turns: 1 } },
    directive: ({ chat }) => {
      if (chat === "throws") throw new Error("its directive is broken");
      return chat === "limited" ? "short" : "chat";
    },
    dressed: (store) => ({
      ...store,
      load: (threadId) => (threadId === unread ? new Promise(() => {}) : store.load(threadId)),
    }),
  });
  await stage.askAll(chats, 50);
  usual = await best(() => false);
}, 120_000);
afterAll(() => stage.close(), 60_000);

/** Of two hundred others, ten at a time: the best of a few rounds, as noise only adds. */
async function best(isEnough: (found: Latency) => boolean): Promise<Latency> {
  let found: Latency = { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS && !isEnough(found); round += 1) {
    const { wall, cpu } = p99(await stage.askAll(chats.slice(0, 200), 10));
    found = { wall: Math.min(found.wall, wall), cpu: Math.min(found.cpu, cpu) };
  }
  return found;
}

async function othersDoNotWait(): Promise<void> {
  const isFine = ({ wall, cpu }: Latency) =>
    cpu - usual.cpu < MOST_ADDED_MS && wall - usual.wall < MOST_ADDED_BY_THE_CLOCK_MS;
  const found = await best(isFine);
  expect(isFine(found), `${JSON.stringify(found)}, and without it ${JSON.stringify(usual)}`).toBe(true);
}

test("one that hangs: the platform never answers, and the others' p99 rises by less than 100 ms", async () => {
  const { platform } = stage;
  platform.next("hangs", ...Array.from({ length: 100 }, () => ({ hangs: true as const })));
  await platform.say("hangs", "@selvage hi");
  await othersDoNotWait();
  expect(platform.sent.filter(({ chat }) => chat === "hangs")).toEqual([]);
}, 60_000);

test("one that throws, here and at the platform: the others' p99 rises by less than 100 ms", async () => {
  const { platform } = stage;
  const dead = { fails: Object.assign(new Error("no"), { status: 503 }) };
  platform.next("fails", ...Array.from({ length: 10_000 }, () => dead));
  const saying = setInterval(() => {
    platform.say("throws", "@selvage hi").catch(() => {});
    platform.say("fails", "@selvage hi").catch(() => {});
  }, 10);
  await othersDoNotWait();
  clearInterval(saying);
  await expect(platform.say("throws", "@selvage hi")).rejects.toThrow("its directive is broken");
}, 60_000);

test("one whose journal never comes back from the disk: the others' p99 rises by less than 100 ms", async () => {
  const { platform, store } = stage;
  await stage.ask("unread");
  const [row] = await store.find({ address: "fake:unread", limit: 1 });
  unread = row?.thread_id;
  platform.say("unread", "@selvage hi").catch(() => {});
  await othersDoNotWait();
}, 60_000);

test("one that has used up its turns: it asks a person, and the others' p99 rises by less than 100 ms", async () => {
  const { platform } = stage;
  await stage.ask("limited");
  const saying = setInterval(() => void platform.say("limited", "@selvage and now?").catch(() => {}), 10);
  await othersDoNotWait();
  clearInterval(saying);
  expect(platform.sent.some(({ chat, text }) => chat === "limited" && text.startsWith("‖"))).toBe(true);
}, 60_000);

test("one that floods us with 10,000 messages: the others' p99 rises by less than 100 ms", async () => {
  const { platform } = stage;
  let stored = 0;
  for (let n = 0; n < 10_000; n += 1)
    platform.say("floods", `@selvage ${n}`).then(
      () => {
        stored += 1;
      },
      () => {}, // what was not stored before the end is not acknowledged
    );
  await othersDoNotWait();
  // It was going on all the while, and has its share.
  expect(stored).toBeGreaterThan(50);
  expect(stored).toBeLessThan(10_000);
}, 60_000);
