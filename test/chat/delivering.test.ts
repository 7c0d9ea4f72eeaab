// What goes out: in order, patiently, and no more than the platform wants (O1 to O4 of delivering.ts).

import { beforeEach, describe, expect, test } from "vitest";
import { Delivering, Undelivered } from "../../src/surface/chat/delivering.ts";
import { type FakeClock, fakeClock } from "../../src/testing/clock.ts";
import { FakePlatform } from "./fake-platform.ts";

const here = { platform: "fake", chat: "here" };
const there = { platform: "fake", chat: "there" };

let clock: FakeClock;
let platform: FakePlatform;
let out: Delivering;
let began: number;

beforeEach(() => {
  clock = fakeClock();
  platform = new FakePlatform(clock);
  out = new Delivering(platform, clock);
  began = clock.now();
});

/** What arrived and when, since the beginning. */
const arrived = (chat = "here") =>
  platform.sent.filter((sent) => sent.chat === chat).map(({ text, at }) => `${text} ${at - began}`);
const fails = (fields: object) => ({ fails: Object.assign(new Error("no"), fields) });
const failure = (promise: Promise<unknown>) => promise.catch((error: Undelivered) => error);

describe("retries", () => {
  test("a platform that fails is asked again after 1, 2 and 4 s", async () => {
    platform.next("here", fails({ status: 500 }), fails({ code: "ECONNRESET" }), fails({ status: 503 }));
    expect(await out.post(here, { text: "a" })).toEqual({ id: expect.any(String) });
    expect(arrived()).toEqual(["a 7000"]);
  });

  test("after the third retry it fails, and what follows is sent", async () => {
    platform.next("here", ...Array.from({ length: 4 }, () => fails({ status: 500 })));
    const lost = failure(out.post(here, { text: "a" }));
    const next = out.post(here, { text: "b" });
    expect(await lost).toMatchObject({ kind: "server", tries: 4, message: "the platform failed, 4 times" });
    await next;
    expect(platform.calls).toBe(5);
    expect(arrived()).toEqual(["b 7000"]);
  });

  test("the platform's own wait is kept", async () => {
    platform.limits("here", 30_000);
    platform.next("here", fails({ code: "RATE_LIMITED", retryAfter: 20 }));
    await out.post(here, { text: "a" });
    expect(arrived()).toEqual(["a 50000"]);
  });

  test("a wait that is too long is not waited for", async () => {
    platform.limits("here", 3_600_000);
    expect(await failure(out.post(here, { text: "a" }))).toMatchObject({
      kind: "rate_limited",
      tries: 1,
      message: "the platform asks to wait 60 min, and 5 min are the most",
    });
    expect(clock.now()).toBe(began);
  });

  test.each([
    ["404", { status: 404 }, "not_found"],
    ["403", { status: 403 }, "forbidden"],
    ["a validation", { code: "VALIDATION_ERROR" }, "refused"],
  ])("%s is not tried again", async (_, fields, kind) => {
    platform.next("here", fails(fields));
    expect(await failure(out.post(here, { text: "a" }))).toMatchObject({ kind, tries: 1 });
    expect(platform.calls).toBe(1);
  });

  test("an answer of 200 with an error in it is a failure", async () => {
    platform.says200("here", "internal_error");
    await out.post(here, { text: "a" });
    expect(arrived()).toEqual(["a 1000"]);
    platform.says200("here", "channel_not_found");
    expect(await failure(out.post(here, { text: "b" }))).toMatchObject({ kind: "not_found" });
  });

  test("what the platform said is for the operator, not in the sentence", async () => {
    const cause = Object.assign(new Error("https://api/bot123:TOKEN/send"), { status: 400 });
    platform.next("here", { fails: cause });
    const error = (await failure(out.post(here, { text: "a" }))) as Undelivered;
    expect(error).toBeInstanceOf(Undelivered);
    expect(error.message).not.toContain("TOKEN");
    expect(error.cause).toBe(cause);
  });

  test("a platform that does not answer holds nothing up for ever, and is not sent it twice", async () => {
    platform.next("here", { hangs: true });
    const lost = failure(out.post(here, { text: "a" }));
    const next = out.post(here, { text: "b" });
    expect(await lost).toMatchObject({ kind: "no_answer", tries: 1 });
    await next;
    expect(arrived()).toEqual(["b 60000"]);
  });
});

describe("a message that failed and may be there all the same", () => {
  const broke = Object.assign(new Error("reset"), { code: "ECONNRESET" });

  test("is not posted twice", async () => {
    platform.next("here", { fails: broke, butArrives: true });
    const posted = await out.post(here, { text: "**the** answer", mentions: ["maya"] });
    expect(arrived()).toEqual(["**the** answer 0"]);
    expect(posted).toEqual({ id: platform.sent[0]?.id });
  });

  test("is posted when it is not there, also if one before it reads the same", async () => {
    const first = await out.post(here, { text: "working" });
    platform.next("here", { fails: broke });
    const second = await out.post(here, { text: "working" });
    expect(second.id).not.toBe(first.id);
    expect(arrived()).toEqual(["working 0", "working 1000"]);
  });

  test("is not looked for after a refusal that says it was not taken", async () => {
    await out.post(there, { text: "x" });
    platform.limits("here", 1_000);
    platform.recent = () => Promise.reject(new Error("not asked"));
    await out.post(here, { text: "a" });
    expect(arrived()).toEqual(["a 1000"]);
  });

  test("a look that fails counts as a try", async () => {
    platform.next("here", { fails: broke });
    platform.recent = () => Promise.reject(broke);
    expect(await failure(out.post(here, { text: "a" }))).toMatchObject({ kind: "unreachable", tries: 4 });
    expect(platform.calls).toBe(1);
  });
});

describe("order", () => {
  test("in one place one after the other, also when the first is slow", async () => {
    platform.next("here", { takesMs: 5_000 });
    await Promise.all(["a", "b", "c"].map((text) => out.post(here, { text })));
    expect(arrived()).toEqual(["a 5000", "b 5000", "c 5000"]);
  });

  test("a place that is limited, slow or silent does not hold up another", async () => {
    platform.limits("here", 60_000);
    const limited = out.post(here, { text: "a" });
    await out.post(there, { text: "b" });
    expect(arrived("there")).toEqual(["b 0"]);
    await limited;
    expect(arrived()).toEqual(["a 60000"]);
  });

  test("two platforms' chats of one name are two places", async () => {
    platform.limits("here", 60_000);
    const limited = out.post(here, { text: "a" });
    await out.post({ platform: "other", chat: "here" }, { text: "b" });
    expect(arrived()).toEqual(["b 0"]);
    await limited;
  });

  test("a look comes after what was asked for before", async () => {
    platform.next("here", { takesMs: 1_000 });
    const posted = out.post(here, { text: "a" });
    const seen = await out.recent(here, began);
    expect(seen).toEqual([{ ...(await posted), text: "a", at: began + 1_000 }]);
  });
});

describe("edits", () => {
  let id: string;
  beforeEach(async () => {
    id = (await out.post(here, { text: "start" })).id;
    await out.edit(here, id, { text: "1" });
  });

  test("no more often than the manners say, and the newest wins", async () => {
    const fates = await Promise.all(["2", "3", "4"].map((text) => out.edit(here, id, { text })));
    expect(fates).toEqual(["overtaken", "overtaken", "sent"]);
    expect(arrived()).toEqual(["start 0", "1 0", "4 1500"]);
  });

  test("the pace is kept over a pause in which nothing was asked for", async () => {
    await clock.sleep(1_000);
    await out.edit(here, id, { text: "2" });
    await clock.sleep(5_000);
    await out.edit(here, id, { text: "3" });
    expect(arrived()).toEqual(["start 0", "1 0", "2 1500", "3 6500"]);
  });

  test("a final one is late, and never left out", async () => {
    const fates = await Promise.all([
      out.edit(here, id, { text: "2" }),
      out.edit(here, id, { text: "done" }, true),
      out.edit(here, id, { text: "3" }),
    ]);
    expect(fates).toEqual(["overtaken", "sent", "overtaken"]);
    expect(arrived()).toEqual(["start 0", "1 0", "done 1500"]);
  });

  test("of two final ones the newer counts", async () => {
    const fates = await Promise.all(["done", "DONE"].map((text) => out.edit(here, id, { text }, true)));
    expect(fates).toEqual(["overtaken", "sent"]);
    expect(arrived()).toEqual(["start 0", "1 0", "DONE 1500"]);
  });

  test("one that failed is not tried again once it was overtaken", async () => {
    await clock.sleep(2_000);
    platform.limits("here", 30_000);
    const first = out.edit(here, id, { text: "2" });
    await clock.sleep(1_000);
    const second = out.edit(here, id, { text: "3" });
    expect(await Promise.all([first, second])).toEqual(["overtaken", "sent"]);
    expect(arrived()).toEqual(["start 0", "1 0", "3 32000"]);
  });

  test("another message's edit is not overtaken; the pace is the place's", async () => {
    const other = (await out.post(here, { text: "card" })).id;
    await Promise.all([out.edit(here, id, { text: "2" }), out.edit(here, other, { text: "decided" })]);
    expect(arrived()).toEqual(["start 0", "1 0", "card 0", "2 1500", "decided 3000"]);
  });

  test("a post waits for an edit before it, and goes at once when that was overtaken", async () => {
    const edits = [out.edit(here, id, { text: "2" })];
    const post = out.post(here, { text: "answer" });
    edits.push(out.edit(here, id, { text: "3" }));
    await post;
    expect(await Promise.all(edits)).toEqual(["overtaken", "sent"]);
    expect(arrived()).toEqual(["start 0", "1 0", "answer 0", "3 1500"]);
  });

  test("a thousand edits stay within the manners", async () => {
    const edits: Promise<unknown>[] = [];
    for (let count = 0; count < 1_000; count += 1) {
      edits.push(out.edit(here, id, { text: `${count}` }));
      await clock.sleep(50);
    }
    await Promise.all(edits);
    const times = platform.sent.filter(({ verb }) => verb === "edit").map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_500);
    expect(platform.sent.at(-1)?.text).toBe("999");
  });
});

describe("what a platform may lack, and the end", () => {
  test("what it cannot do is said, not tried", async () => {
    const { name, manners } = platform;
    const poor = {
      name,
      manners,
      start: async () => {},
      stop: async () => {},
      post: async () => ({ id: "1" }),
      edit: async () => {},
    };
    const plain = new Delivering(poor, clock);
    expect(await plain.react(here, "1", "seen", true)).toBe(false);
    expect(await plain.whisper(here, "maya", { text: "a" })).toBe(false);
    expect(await plain.upload(here, { name: "a", type: "b", bytes: new Uint8Array() })).toBe(false);
    expect(await plain.recent(here, 0)).toBe(false);
    expect(await out.react(here, "in-1", "seen", true)).toBe(true);
    expect(await out.whisper(here, "maya", { text: "psst" })).toBe(true);
    expect(arrived()).toEqual(["+seen 0", "psst 0"]);
  });

  test("when it stops, what is under way ends and the rest fails", async () => {
    platform.next("here", { takesMs: 1_000 });
    platform.limits("there", 60_000);
    const sending = out.post(here, { text: "a" });
    const waiting = [failure(out.post(here, { text: "b" })), failure(out.post(there, { text: "c" }))];
    await clock.sleep(10);
    await out.stop();
    await sending;
    for (const lost of await Promise.all(waiting)) expect(lost).toMatchObject({ kind: "stopped" });
    expect(await failure(out.post(here, { text: "d" }))).toMatchObject({ kind: "stopped" });
    expect(arrived()).toEqual(["a 1000"]);
  });

  test("when it stops, a platform that does not answer is not waited for as long as usual", async () => {
    platform.next("here", { hangs: true });
    const lost = failure(out.post(here, { text: "a" }));
    await clock.sleep(10);
    const from = clock.monotonic();
    await out.stop();
    expect(clock.monotonic() - from).toBe(5_000);
    // Neither there nor given up: whoever comes next looks for it.
    expect(await lost).toMatchObject({ kind: "stopped" });
  });

  test("places where nothing happens are not kept, and their pace is", async () => {
    const { id } = await out.post(here, { text: "start" });
    await out.edit(here, id, { text: "1" });
    for (let count = 0; count < 300; count += 1)
      await out.post({ platform: "fake", chat: `${count}` }, { text: "x" });
    await out.edit(here, id, { text: "2" });
    expect(arrived()).toEqual(["start 0", "1 0", "2 1500"]);
  });
});
