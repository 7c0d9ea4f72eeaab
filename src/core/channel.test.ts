import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Channel, type Post, reduceChannels, type Seat } from "./channel.ts";
import type { ChannelInput } from "./channel-input.ts";
import { MOST_CHANNELS, MOST_MEMBERS, MOST_WORDS, planChannel } from "./channel-plan.ts";
import { readEnd, reading } from "./channel-read.ts";
import { channelFits, channelState, heardRequests, type Membership } from "./channel-registry.ts";
import type { Event, NewEvent } from "./event.ts";
import type { Request } from "./request.ts";
import { newRow, type RowFold, reduceRow, type ThreadRow } from "./row.ts";
import type { Status } from "./status.ts";
import { newThread, reduce, type Thread } from "./thread.ts";

const NAME = "plan";
const seat = (id: string, last: number): Seat => ({ id, directive: "work", last });
const post = (n: number, text = `p${n}`): Post => ({ n, from: "b", directive: "work", text });
const channel = (more: Partial<Channel> = {}): Channel => ({
  ...{ mode: "round_robin", since: 0, last: 2, others: [seat("b", 1)], unread: [], met: true },
  ...more,
});

describe("when a read comes back", () => {
  const alone = { others: [] };
  test.each<[string, Channel, string | undefined, string]>([
    ["not its turn", channel(), undefined, "timeout"],
    ["its turn", channel({ others: [seat("b", 3), seat("c", 4)] }), "turn", "turn"],
    ["its turn but for one", channel({ others: [seat("b", 3), seat("c", 1)] }), undefined, "timeout"],
    ["not its turn, with posts", channel({ unread: [post(1)] }), undefined, "timeout"],
    ["alone, and nobody has come yet", channel({ ...alone, met: false }), undefined, "timeout"],
    ["left alone", channel(alone), "alone", "alone"],
    ["on demand, nothing new", channel({ mode: "on_demand" }), undefined, "timeout"],
    ["on demand, something new", channel({ mode: "on_demand", unread: [post(1)] }), "news", "news"],
    ["on demand, left alone", channel({ ...alone, mode: "on_demand" }), "alone", "alone"],
  ])("%s", (_, known, before, due) => {
    expect([readEnd(known, false), readEnd(known, true)]).toEqual([before, due]);
  });
});

describe("what a read hands over", () => {
  const how = { callId: "c", name: NAME, why: "turn" as const, elapsedSeconds: 0 };

  test("all that is unread, and only that is read", () => {
    const { result, facts } = reading(channel({ unread: [post(3), post(5)] }), how);
    expect(result.posts.map(({ n }) => n)).toEqual([3, 5]);
    expect(facts).toEqual([{ type: "channel_read", call_id: "c", channel: NAME, upto: 5 }]);
    expect(reading(channel(), how).facts).toEqual([]);
  });

  test("what is too long comes with the next; one always fits", () => {
    const long = [post(1, "x".repeat(20_000)), post(2, "y".repeat(8_000)), post(3)];
    expect(reading(channel({ unread: long }), how).result).toMatchObject({ posts: [{ n: 1 }], more: 2 });
    const longest = [post(1, "x".repeat(30_000)), post(2)];
    expect(reading(channel({ unread: longest }), how).result).toMatchObject({ posts: [{ n: 1 }], more: 1 });
  });
});

describe("what is refused", () => {
  const row = (id: string, channels: readonly Membership[], status: Status = "running"): ThreadRow => ({
    ...newRow(id),
    ...{ epoch: 1, owner: null, strikes: [], corrupt: null, hash: "", channels, status, root_id: "r" },
  });
  const inIt = (id: string, last: number, more: Partial<Membership> = {}) =>
    row(id, [{ name: NAME, mode: "round_robin", last, ...more }]);
  const me = (more: Partial<Thread> = {}): Thread => ({ ...newThread("a"), ...more });
  const ask = (input: Partial<ChannelInput>, thread: Thread, rows: readonly ThreadRow[]) => {
    const asked = { callId: "c", ask: { channel: NAME, ...input } as ChannelInput, now: 0 };
    return planChannel(thread, asked, channelState(rows, NAME)).outcome;
  };
  const member = me({ channels: { [NAME]: channel() } });

  test.each<[string, ReturnType<typeof ask>, string]>([
    ["post without joining", ask({ action: "post", text: "x" }, me(), [inIt("b", 1)]), "not in the channel"],
    ["read without joining", ask({ action: "read" }, me(), []), "Join it first"],
    ["leave without joining", ask({ action: "leave" }, me(), []), "Join it first"],
    ["post alone", ask({ action: "post", text: "x" }, member, [inIt("a", 1)]), "nobody would hear it"],
    [
      "post when the others have gone",
      ask({ action: "post", text: "x" }, member, [inIt("a", 1), inIt("b", 2, { left: true })]),
      "nobody would hear it",
    ],
    [
      "post out of turn",
      ask({ action: "post", text: "x" }, member, [inIt("a", 2), inIt("b", 1)]),
      "the turn of b",
    ],
    [
      "one word too many",
      ask({ action: "post", text: "x" }, member, [inIt("a", 1), inIt("b", MOST_WORDS)]),
      "is full",
    ],
    ["join when it is full", ask({ action: "join" }, me(), [inIt("b", MOST_WORDS)]), "is full"],
    ["join another mode", ask({ action: "join", mode: "on_demand" }, me(), [inIt("b", 1)]), "is round_robin"],
    [
      "one member too many",
      ask(
        { action: "join" },
        me(),
        Array.from({ length: MOST_MEMBERS }, (_, n) => inIt(`t${n}`, n + 1)),
      ),
      "50 members already",
    ],
    [
      "one channel too many",
      ask(
        { action: "join" },
        me({
          channels: Object.fromEntries(Array.from({ length: MOST_CHANNELS }, (_, n) => [`c${n}`, channel()])),
        }),
        [],
      ),
      "20 channels already",
    ],
  ])("%s", (_, outcome, why) => {
    expect(outcome).toMatchObject({ status: "error", output: expect.stringContaining(why) });
  });

  test("a number is not used again when its last one has left; a mode is, when nobody is there", () => {
    const rows = [
      inIt("a", 3, { left: true }),
      row("b", [{ name: NAME, mode: "round_robin", last: 7 }], "completed"),
    ];
    expect(channelState(rows, NAME)).toEqual({ mode: undefined, seats: [], next: 8 });
    expect(ask({ action: "join", mode: "on_demand" }, me(), rows)).toMatchObject({ status: "ok" });
  });
});

/** A tree whose threads do things at random, and hear of each other late. */
class Tree {
  readonly rows = new Map<string, RowFold>();
  readonly threads = new Map<string, Thread>();
  readonly told = new Map<string, Request[]>();
  readonly heard = new Map<string, number[]>();

  constructor(readonly mode: ChannelInput["mode"]) {
    for (const id of ["a", "b", "c", "d"]) {
      this.rows.set(id, { ...newRow(id), root_id: "r", status: "running" });
      this.threads.set(id, { ...newThread(id), status: "running" });
      this.told.set(id, []);
      this.heard.set(id, []);
    }
  }

  get lines(): ThreadRow[] {
    return [...this.rows.values()].filter(({ channels }) => channels.length > 0) as ThreadRow[];
  }

  act(id: string, action: "join" | "post" | "leave" | "end"): void {
    const [row, thread] = [this.rows.get(id), this.threads.get(id)];
    if (row?.status !== "running" || !thread) return;
    if (action === "end") return this.land(id, { type: "thread_completed", text: "" });
    const ask = { action, channel: NAME, ...(action === "join" ? { mode: this.mode } : { text: "x" }) };
    const plan = planChannel(
      thread,
      { callId: "c", ask: ask as ChannelInput, now: 0 },
      channelState(this.lines, NAME),
    );
    for (const event of plan.events) {
      expect(channelFits(row, event, this.lines)).toBe(true);
      // Planned on an older state of the channel, it does not land.
      if ("n" in event)
        expect(channelFits(row, { ...event, n: event.n + 1 } as NewEvent, this.lines)).toBe(false);
      this.land(id, event);
    }
  }

  land(id: string, made: NewEvent): void {
    const row = this.rows.get(id) as RowFold;
    const event = { v: 1, seq: row.seq + 1, ts: "2026-01-01T00:00:00.000Z", thread_id: id, ...made } as Event;
    const after = reduceRow(row, event);
    const requests = heardRequests(after, event, () => this.lines);
    this.rows.set(id, after);
    this.threads.set(id, reduce(this.threads.get(id) as Thread, event));
    if (event.type === "channel_joined") this.heard.set(id, [event.n]);
    if (event.type === "channel_posted") this.heard.get(id)?.push(event.n);
    for (const request of requests) this.told.get(request.thread_id)?.push(request);
  }

  hear(id: string): void {
    const request = this.told.get(id)?.shift();
    if (request?.kind !== "outcome" || this.rows.get(id)?.status !== "running") return;
    const { outcome } = request;
    const since = this.threads.get(id)?.channels[NAME]?.since ?? Number.POSITIVE_INFINITY;
    this.land(id, outcome);
    if (outcome.type !== "channel_heard" || outcome.n < since) return;
    if (outcome.what === "joined" || outcome.what === "posted") this.heard.get(id)?.push(outcome.n);
  }
}

const someAct = fc.record({
  id: fc.constantFrom("a", "b", "c", "d"),
  what: fc.constantFrom("join", "join", "post", "post", "post", "leave", "end", "hear", "hear", "hear"),
} as const);

describe.each(["round_robin", "on_demand"] as const)(
  "%s: four threads do as they like, and hear late",
  (mode) => {
    test("each hears every word once; who takes itself to have the turn has it; in the end all know the same", () => {
      fc.assert(
        fc.property(fc.array(someAct, { maxLength: 80 }), (acts) => {
          const tree = new Tree(mode);
          for (const { id, what } of acts) {
            if (what === "hear") tree.hear(id);
            else tree.act(id, what);
            const { seats } = channelState(tree.lines, NAME);
            for (const [member, { channels }] of tree.threads) {
              const known = channels[NAME];
              const isLive = seats.some((each) => each.id === member);
              if (mode === "round_robin" && isLive && known && readEnd(known, false) === "turn")
                expect(seats[0]?.id).toBe(member);
            }
          }
          for (const id of tree.told.keys()) while ((tree.told.get(id)?.length ?? 0) > 0) tree.hear(id);
          const { seats, next } = channelState(tree.lines, NAME);
          for (const { id } of seats) {
            const known = tree.threads.get(id)?.channels[NAME];
            expect(known?.others.toSorted((x, y) => x.last - y.last)).toEqual(
              seats.filter((each) => each.id !== id),
            );
            const words = (tree.heard.get(id) ?? []).toSorted((x, y) => x - y);
            const from = words[0] ?? 0;
            expect(words).toEqual(Array.from({ length: next - from }, (_, at) => from + at));
          }
        }),
        { numRuns: 1_000 },
      );
    });
  },
);

const heardOf = (what: "joined" | "posted" | "left" | "ended", n: number): Event =>
  ({
    ...{ v: 1, seq: 1, ts: "", thread_id: "a", type: "channel_heard", channel: NAME },
    ...{ from: "b", directive: "work", what, n, ...(what === "posted" ? { text: "x" } : {}) },
  }) as Event;

describe("what a thread is told late", () => {
  test.each(["joined", "posted", "left", "ended"] as const)(
    "%s, from before it came back: that is past",
    (what) => {
      const back = { [NAME]: channel({ since: 5, last: 5, others: [seat("b", 4)] }) };
      expect(reduceChannels(back, heardOf(what, 4))).toEqual(back);
      expect(reduceChannels(back, heardOf(what, what === "left" || what === "ended" ? 5 : 6))).not.toEqual(
        back,
      );
    },
  );

  test("of a channel that it is not in it takes no note", () => {
    expect(reduceChannels({}, heardOf("posted", 1))).toEqual({});
  });
});
