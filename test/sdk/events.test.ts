import { describe, expect, test } from "vitest";
import type { Event, LiveEvent } from "../../src/core/event.ts";
import { StorageFailure } from "../../src/core/failure.ts";
import { eventsOf } from "../../src/surface/sdk/events.ts";
import { Feed } from "../../src/surface/sdk/feed.ts";
import { scripted } from "../../src/surface/sdk/scripted.ts";
import { defineTool } from "../../src/tool/define.ts";
import { all, gate, stage, typesOf, until } from "./stage.ts";

const isStored = (event: Event | LiveEvent): event is Event => "seq" in event;
const seqs = (events: readonly (Event | LiveEvent)[]) => events.filter(isStored).map(({ seq }) => seq);
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

function working() {
  const { tool, release, state } = gate();
  const ask = { prompt: "Hi", tools: [tool], model: scripted([tool({}), "A light jacket."]) };
  return { ask, release, state };
}

describe("the events of a thread", () => {
  test("are all of them, each once and in order, and end with it", async () => {
    const { rt, store } = await stage().open();
    const { ask, release } = working();
    const thread = await rt.start(ask);
    const reading = all(thread.events());
    release();
    const events = await reading;
    const { events: stored } = await store.load(thread.id);
    expect(events.filter(isStored)).toEqual(stored);
    expect(events.some(({ type }) => type === "cognition_out_delta")).toBe(true);
    expect(seqs(await all(thread.events()))).toEqual(upTo(stored.length));
    await rt.close();
  });

  test("begin where one says, also behind the end", async () => {
    const { rt, store } = await stage().open();
    const thread = await rt.start({ prompt: "Hi", model: scripted(["Hello."]) });
    await thread.result();
    const last = (await store.load(thread.id)).events.length;
    expect(seqs(await all(thread.events({ from: 3 })))).toEqual(upTo(last, 3));
    expect(seqs(await all(thread.events({ from: last })))).toEqual([last]);
    expect(await all(thread.events({ from: last + 5 }))).toEqual([]);
    await rt.close();
  });

  test.each([0, -1, 1.5, Number.NaN, "2" as unknown as number])("do not begin at %s", async (from) => {
    const { rt } = await stage().open();
    const thread = await rt.start({ prompt: "Hi", model: scripted(["Hello."]) });
    expect(() => thread.events({ from })).toThrow("events() cannot begin at");
    await rt.close();
  });

  test("of another process come too, and leaving stops nothing", async () => {
    const { open } = stage();
    const host = await open();
    const guest = await open();
    const { ask, release, state } = working();
    const thread = await host.rt.start(ask);
    await until(() => state.runs === 1);
    for await (const event of (await guest.rt.thread(thread.id)).events())
      if (event.type === "tool_call_start") break;
    const reading = all((await guest.rt.thread(thread.id)).events({ from: 2 }));
    release();
    const events = await reading;
    expect(seqs(events)).toEqual(upTo((await host.store.load(thread.id)).events.length, 2));
    expect((await thread.result()).status).toBe("completed");
    await guest.rt.close();
    await host.rt.close();
  });

  test("end when one says so, and when the project is closed", async () => {
    const { rt } = await stage().open();
    const { ask, state } = working();
    const thread = await rt.start(ask);
    const stop = new AbortController();
    const cut = all(thread.events({ signal: stop.signal }));
    const open = all(thread.events());
    const text = all(thread.text());
    await until(() => state.runs === 1);
    stop.abort();
    expect(typesOf(await cut)).toContain("tool_call_start");
    expect(await all(thread.events({ signal: stop.signal }))).toEqual([]);
    await rt.close();
    expect(typesOf(await open)).not.toContain("thread_completed");
    expect(await text).toEqual([]);
  });

  test("a tool tells how far it is, and is not held up by that", async () => {
    const { rt } = await stage().open();
    const tool = defineTool({
      ...{ name: "asks", description: "x", input: { type: "object" }, effect: "pure" },
      run: (_, { progress }) => {
        progress("begins");
        progress(0.1, "the first quarter");
        progress(0.2, "too soon after it");
        progress(0.5, "half way");
        progress(1);
        return "done";
      },
    });
    const thread = await rt.start({ prompt: "Hi", tools: [tool], model: scripted([tool({}), "Done."]) });
    const told = (await all(thread.events())).filter((event) => event.type === "tool_call_progress");
    expect(told.map(({ message, progress }) => [message, progress])).toEqual([
      ["begins", undefined],
      ["the first quarter", 0.1],
      ["half way", 0.5],
      ["100 %", 1],
    ]);
    await rt.close();
  });

  test("text is what it says, once", async () => {
    const { rt } = await stage().open();
    const model = scripted([{ streams: { chunks: ["A ", "light ", "jacket."] } }]);
    const thread = await rt.start({ prompt: "Hi", model });
    expect(await all(thread.text())).toEqual(["A ", "light ", "jacket."]);
    expect((await all(thread.text())).join("")).toBe("A light jacket.");
    await rt.close();
  });
});

/** A journal that a test writes, and a feed that tells of what it is told to tell. */
function journal() {
  const stored = new Map<string, Event[]>();
  const loads: string[] = [];
  const store = {
    load: async (id: string) => {
      loads.push(id);
      return { events: [...(stored.get(id) ?? [])] };
    },
    find: async ({ threadId }: { threadId: string }) => [{ root_id: threadId }],
    feedEnd: async () => 0,
    feed: async () => ({ events: [], cursor: 0 }),
    version: () => 0,
  };
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => new Promise<void>(() => {}) };
  const feed = new Feed({ store, clock } as never);
  const write = (id: string, type: string, more = {}): Event => {
    const events = stored.get(id) ?? [];
    const event = { v: 1, ts: "", thread_id: id, seq: events.length + 1, type, ...more } as Event;
    stored.set(id, [...events, event]);
    return event;
  };
  const tell = (event: Event) => feed.hear({ type: "event", event });
  return { store, feed, write, tell, loads };
}

describe("a reader", () => {
  const read = ({ store, feed }: ReturnType<typeof journal>, id = "t", from = 1) =>
    eventsOf({ store: store as never, feed }, id, { from });

  test("looks up what it was not told of, and tells nothing twice", async () => {
    const paper = journal();
    const { write, tell } = paper;
    const first = write("t", "thread_created");
    const reader = read(paper);
    expect((await reader.next()).value).toEqual(first);
    const rest = all(reader);
    tell(first);
    write("t", "thread_started");
    const third = write("t", "step_start");
    tell(third);
    tell(write("t", "thread_completed"));
    expect(seqs(await rest)).toEqual([2, 3, 4]);
  });

  test("that falls behind looks it up instead of keeping it", async () => {
    const paper = journal();
    const { write, tell, loads } = paper;
    write("t", "thread_created");
    const reader = read(paper);
    await reader.next();
    for (let event = 0; event < 3_000; event += 1) tell(write("t", "step_start"));
    write("t", "thread_completed");
    expect(seqs(await all(reader))).toEqual(upTo(3_002, 2));
    expect(loads).toHaveLength(2);
  });

  test("follows a thread that goes on in another, while it does and afterwards", async () => {
    const paper = journal();
    const { write, tell } = paper;
    const live = all(read(paper));
    await Promise.resolve();
    tell(write("t", "thread_created"));
    tell(write("t", "thread_continued", { to: "u" }));
    tell(write("u", "thread_created"));
    tell(write("u", "thread_completed"));
    const told = (events: readonly (Event | LiveEvent)[]) =>
      events.map((event) => `${event.thread_id} ${event.type}`);
    const whole = ["t thread_created", "t thread_continued", "u thread_created", "u thread_completed"];
    expect(told(await live)).toEqual(whole);
    expect(told(await all(read(paper)))).toEqual(whole);
    expect(told(await all(read(paper, "t", 9)))).toEqual(whole.slice(2));
  });

  test("goes on after an end that was none: a person had more to say", async () => {
    const paper = journal();
    const { write } = paper;
    write("t", "thread_completed");
    write("t", "thread_continued", { to: "u" });
    write("u", "thread_completed");
    expect(typesOf(await all(read(paper)))).toEqual([
      "thread_completed",
      "thread_continued",
      "thread_completed",
    ]);
  });

  test("of a journal with a hole in it does not go round for ever", async () => {
    const paper = journal();
    const { write, store } = paper;
    write("t", "thread_created");
    write("t", "thread_started");
    write("t", "thread_failed");
    const whole = (await store.load("t")).events;
    store.load = async () => ({ events: whole.filter(({ seq }) => seq !== 2) });
    expect(seqs(await all(read(paper)))).toEqual([1, 3]);
  });

  test("is told what ended the feed, if that was a failure", async () => {
    const paper = journal();
    paper.write("t", "thread_created");
    const reader = read(paper);
    await reader.next();
    const next = reader.next();
    paper.feed.close(new Error("the disk is gone"));
    await expect(next).rejects.toThrow("the disk is gone");
  });
});

describe("a feed", () => {
  test("costs the same whether one listens or a thousand do", () => {
    const { feed, write } = journal();
    let told = 0;
    const count = () => {
      told += 1;
    };
    const listener = () => ({ event: count, stir: count, over: () => {} });
    const stops = upTo(1_000).map((index) => feed.listen(listener(), { thread: `t${index}` }));
    for (const index of upTo(1_000)) feed.hear({ type: "event", event: write(`t${index}`, "step_start") });
    expect(told).toBe(1_000);
    for (const stop of stops) stop();
    feed.hear({ type: "event", event: write("t1", "step_start") });
    expect(told).toBe(1_000);
  });

  test("stirs the tree in which somebody came to rest, and no other", async () => {
    const { feed, write } = journal();
    const stirred: string[] = [];
    for (const tree of ["a", "b"])
      feed.listen({ stir: () => void stirred.push(tree), over: () => {} }, { tree });
    await new Promise((resolve) => setImmediate(resolve));
    stirred.length = 0;
    feed.hear({ type: "event", event: write("a", "step_start") });
    feed.hear({ type: "event", event: write("b", "thread_suspended") });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stirred).toEqual(["b"]);
  });

  test("whoever comes when it is closed is told at once", () => {
    const { feed } = journal();
    const ends: unknown[] = [];
    feed.listen({ over: (error) => void ends.push(error) }, "all");
    feed.close();
    feed.close(new Error("later"));
    feed.listen({ over: (error) => void ends.push(error) }, { thread: "t" });
    expect(ends).toEqual([undefined, undefined]);
  });

  test("a disk that fails for a moment is asked again", async () => {
    const { open, universe } = stage();
    const host = await open();
    const guest = await open();
    let failures = 3;
    const { feed } = guest.store;
    Object.assign(guest.store, {
      feed: async (...given: Parameters<typeof feed>) => {
        failures -= 1;
        if (failures >= 0) throw new StorageFailure("EIO", "test disk");
        return feed(...given);
      },
    });
    const thread = await host.rt.start({ prompt: "Hi", model: scripted(["Hello."]) });
    const seen = await guest.rt.thread(thread.id);
    expect(typesOf(await all(seen.events())).at(-1)).toBe("thread_completed");
    expect(universe.clock.monotonic()).toBeGreaterThanOrEqual(0);
    await guest.rt.close();
    await host.rt.close();
  });
});

test("a thousand results are waited for at once", async () => {
  const { rt } = await stage().open();
  const { ask, release, state } = working();
  const threads = await Promise.all(upTo(200).map(() => rt.start(ask)));
  const waiting = Promise.all(threads.flatMap((thread) => upTo(5).map(() => thread.result())));
  await until(() => state.runs >= 20);
  release();
  expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set(["completed"]));
  await rt.close();
});
