/** One suite for every store: whatever stands behind the port behaves the same. */
import { describe, expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import type { Request } from "../../src/core/request.ts";
import type { Store } from "../../src/core/store.ts";
import { approvalSuite } from "./approval-conformance.ts";
import { type Bench, created, ID, openBench, started } from "./bench.ts";
import { chainSuite } from "./chain-conformance.ts";
import { channelSuite } from "./channel-conformance.ts";
import { familySuite } from "./family-conformance.ts";
import { moneySuite } from "./money-conformance.ts";
import { registrySuite } from "./registry-conformance.ts";
import { removalSuite } from "./removal-conformance.ts";
import { searchSuite } from "./search-conformance.ts";

const stepped: NewEvent = { type: "step_start", turn: 1 };
const completed: NewEvent = { type: "thread_completed", text: "done" };
const suspended: NewEvent = {
  type: "thread_suspended",
  reason: "error",
  message: "no",
  waits_for: { kind: "person", what: "w", who: "p", how: "h" },
};
const retrying = (wakeAt: number): NewEvent => ({
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 3,
  delayMs: 5,
  errorMessage: "x",
  wakeAt: new Date(wakeAt).toISOString(),
});
const cancel = (id: string): Request => ({
  kind: "cancel",
  request_id: id,
  thread_id: ID,
  by: "t",
  nonce: "n1",
  reason: "r",
});
const message = (id: string): Request => ({
  kind: "message",
  request_id: id,
  thread_id: ID,
  by: "t",
  text: "hi",
});
const hostRow = (id: string, owner: string, scope: string) => ({
  host_id: id,
  owner,
  socket: null,
  scope,
  beats: 0,
});

export function storeSuite(name: string, bench: () => Bench): void {
  const setUp = () => openBench(bench());

  describe(name, () => {
    test("a new thread has its first event, a row and no owner", async () => {
      const { store, row } = await setUp();
      expect(await row()).toMatchObject({
        status: "created",
        seq: 1,
        owner: null,
        epoch: 0,
        run: 1,
        nonce: "n1",
      });
      expect((await store.load(ID)).events).toMatchObject([
        { seq: 1, type: "thread_created", v: 1, thread_id: ID },
      ]);
      await expect(store.create({ threadId: ID, events: [created], requests: [] })).rejects.toThrow();
    });

    test("a commit lands whole: events, row and numbers", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      const answer = await store.commit(lease, { events: [started], tail: [stepped] });
      expect(answer).toMatchObject({
        tailLanded: true,
        parked: false,
        open: [],
        events: [{ seq: 2 }, { seq: 3 }],
      });
      expect(await row()).toMatchObject({ status: "running", seq: 3, owner: "a", epoch: 1 });
    });

    test("of two claims at one epoch one wins, and the other writes nothing", async () => {
      const { store, row } = await setUp();
      const answers = await Promise.all(
        ["a", "b"].map((owner) => store.claim({ threadId: ID, owner, seenEpoch: 0 })),
      );
      expect(answers.filter((answer) => "refused" in answer)).toEqual([{ refused: "changed" }]);
      expect(await row()).toMatchObject({ epoch: 1, owner: "a" });
    });

    test("an owner that was fenced cannot commit", async () => {
      const { store, claim, row } = await setUp();
      const old = await claim("a");
      await claim("b");
      expect(await store.commit(old, { events: [started] })).toEqual({ refused: "stale" });
      expect(await row()).toMatchObject({ seq: 1, owner: "b", epoch: 2 });
    });

    test("a claim tells from whom it took, and counts deaths until there is progress", async () => {
      const { store, claim, row, dead } = await setUp();
      for (const owner of ["a", "b"]) dead.add(owner);
      await claim("a");
      const taken = await store.claim({ threadId: ID, owner: "b", seenEpoch: 1 });
      expect(taken).toMatchObject({ tookFrom: { owner: "a", epoch: 1 } });
      expect((await row())?.strikes).toHaveLength(1);
      const lease = await claim("c");
      await store.commit(lease, {
        events: [{ type: "crash_detected", owner: "b", epoch: 2, in_flight: [] }],
      });
      expect((await row())?.strikes).toHaveLength(2);
      await store.commit(lease, { events: [started] });
      expect((await row())?.strikes).toEqual([]);
    });

    test("while a cancel is open no step and no intent lands, and what stands beside it does", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      await store.post([cancel("c1")]);
      const answer = await store.commit(lease, { events: [started], tail: [stepped] });
      expect(answer).toMatchObject({ tailLanded: false, open: [{ request_id: "c1" }] });
      expect(await row()).toMatchObject({ seq: 2, status: "running" });
    });

    test("a thread does not complete over an open request", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      await store.commit(lease, { events: [started] });
      await store.post([message("m1")]);
      expect(await store.commit(lease, { events: [completed] })).toEqual({ refused: "requests_open" });
      expect(await row()).toMatchObject({ status: "running", seq: 2 });
      expect(await store.commit(lease, { events: [completed], consumes: ["m1"] })).toMatchObject({
        parked: true,
      });
    });

    test("parking drops the lease, unless something waits", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      await store.post([message("m1")]);
      expect(await store.commit(lease, { events: [started], park: true })).toMatchObject({ parked: false });
      expect((await row())?.owner).toBe("a");
      expect(await store.commit(lease, { events: [], consumes: ["m1"], park: true })).toMatchObject({
        parked: true,
      });
      expect((await row())?.owner).toBeNull();
      expect(await store.commit(lease, { events: [stepped] })).toEqual({ refused: "stale" });
    });

    test("a timer is set, keeps the lease when it is due, and is cleared with its chain", async () => {
      const { store, claim, needs, tick } = await setUp();
      const lease = await claim("a");
      const due = needs.now() + 5;
      await store.commit(lease, { events: [started, retrying(due)] });
      expect(await store.candidates("*")).toMatchObject([{ timerDue: due }]);
      tick(10);
      expect(await store.commit(lease, { events: [], park: true })).toMatchObject({ parked: false });
      await store.commit(lease, { events: [{ type: "auto_retry_end", success: true, attempt: 1 }] });
      expect(await store.candidates("*")).toMatchObject([{ timerDue: undefined }]);
    });

    test("ending a thread drops its lease, its timer and what was asked of it", async () => {
      const { store, claim, row, needs } = await setUp();
      const lease = await claim("a");
      await store.commit(lease, { events: [started, retrying(needs.now() + 99)] });
      await store.post([cancel("c1"), message("m1")]);
      const end: NewEvent = { type: "thread_cancelled", reason: "r", by: "t", report: [] };
      await store.commit(lease, { events: [end], consumes: ["c1"] });
      expect(await row()).toMatchObject({ status: "cancelled", owner: null });
      expect(await store.openRequests(ID)).toEqual([]);
      expect(await store.candidates("*")).toEqual([]);
      expect(await store.claim({ threadId: ID, owner: "b", seenEpoch: 1 })).toEqual({ refused: "ended" });
    });

    test("a suspension is written with its reason and what it waits for", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      await store.commit(lease, { events: [started, suspended] });
      expect(await row()).toMatchObject({
        status: "suspended",
        suspend_reason: "error",
        waits_for: { kind: "person" },
        owner: null,
      });
    });

    test("requests are refused where they make no sense, and nothing is written", async () => {
      const { store, claim } = await setUp();
      const resume: Request = { kind: "resume", request_id: "r1", thread_id: ID, by: "t", nonce: "n1" };
      expect(await store.post([resume])).toEqual([{ accepted: false, why: "it is created" }]);
      const lease = await claim("a");
      await store.commit(lease, { events: [started, completed] });
      expect(await store.post([cancel("c1")])).toEqual([{ accepted: false, why: "it is completed" }]);
      expect(await store.post([{ ...cancel("c2"), thread_id: "none-1-aaaaaa" }])).toMatchObject([
        { accepted: false },
      ]);
      expect(await store.openRequests(ID)).toEqual([]);
    });

    test("a request posted twice is one request", async () => {
      const { store } = await setUp();
      await store.post([message("m1"), message("m2")]);
      await store.post([message("m1")]);
      expect((await store.openRequests(ID)).map((request) => request.request_id)).toEqual(["m1", "m2"]);
    });

    test("a root has one live host; dead ones make room; the post tells who it is", async () => {
      const { store, dead } = await setUp();
      expect(await store.enroll(hostRow("h1", "a", ID), "join")).toEqual({ enrolled: true });
      expect(await store.enroll(hostRow("h2", "b", ID), "join")).toMatchObject({
        enrolled: false,
        by: { host_id: "h1" },
      });
      expect(await store.post([message("m1")])).toMatchObject([{ accepted: true, host: { host_id: "h1" } }]);
      dead.add("a");
      expect(await store.post([message("m2")])).toEqual([{ accepted: true, host: undefined }]);
      expect(await store.enroll(hostRow("h2", "b", ID), "join")).toEqual({ enrolled: true });
      expect(await store.enroll(hostRow("h3", "c", ID), "replace")).toEqual({ enrolled: true });
      expect((await store.hosts()).map((host) => host.host_id)).toEqual(["h3"]);
    });

    test("what is asked is told to who hosts the root, and otherwise to who hosts everything", async () => {
      const { store, dead } = await setUp();
      await store.enroll(hostRow("h2", "b", ID), "join");
      // Whichever of the two is found first.
      await store.enroll(hostRow("h1", "a", "*"), "join");
      expect(await store.enroll(hostRow("h3", "c", "*"), "join")).toMatchObject({ by: { host_id: "h1" } });
      expect(await store.post([message("m1")])).toMatchObject([{ host: { host_id: "h2" } }]);
      dead.add("b");
      expect(await store.post([message("m2")])).toMatchObject([{ host: { host_id: "h1" } }]);
    });

    test("a host leaves only when its scope is idle", async () => {
      const { store } = await setUp();
      await store.enroll(hostRow("h1", "a", ID), "join");
      expect(await store.leave("h1", (candidates) => candidates.length === 0)).toEqual({ left: false });
      expect(await store.leave("h1", () => true)).toEqual({ left: true });
      expect(await store.hosts()).toEqual([]);
    });

    test("the feed goes on from its cursor", async () => {
      const { store, claim } = await setUp();
      const first = await store.feed(0, 10);
      expect(first.events.map(({ event }) => event.type)).toEqual(["thread_created"]);
      const lease = await claim("a");
      await store.commit(lease, { events: [started], tail: [stepped] });
      const second = await store.feed(first.cursor, 1);
      expect(second.events.map(({ event }) => event.type)).toEqual(["thread_started"]);
      const third = await store.feed(second.cursor, 10);
      expect(third.events.map(({ event }) => event.type)).toEqual(["step_start"]);
      expect(await store.feed(third.cursor, 10)).toEqual({ events: [], cursor: third.cursor });
      expect(await store.feedEnd()).toBe(third.cursor);
    });

    test("large bodies come back as they were", async () => {
      const { store, claim } = await setUp();
      const lease = await claim("a");
      const text = `${"é\u0000\u2028\ud83d\ude00\n".repeat(60_000)}end`;
      const big: NewEvent = { type: "message_received", request_id: "m", by: "t", text };
      await store.commit(lease, { events: [big, big] });
      const { events, damage } = await store.load(ID);
      expect(damage).toBeUndefined();
      expect(
        events.slice(1).map((event) => event.type === "message_received" && event.text === text),
      ).toEqual([true, true]);
    });

    test("what was acknowledged is there when it is opened again", async () => {
      const { store, claim, opened, needs } = await setUp();
      const lease = await claim("a");
      await store.commit(lease, { events: [started], tail: [stepped] });
      await store.post([message("m1")]);
      await store.close();
      const again = opened.open(needs);
      expect((await again.load(ID)).events).toHaveLength(3);
      expect(await again.openRequests(ID)).toHaveLength(1);
      expect(again.storeId).toBe(store.storeId);
    });

    test("a damaged thread is set aside with its last good event", async () => {
      const { store, claim, row } = await setUp();
      const lease = await claim("a");
      const damage = { last_good: 1, why: "test" };
      expect(await store.markCorrupt({ ...lease, epoch: 0 }, damage)).toBe(false);
      expect((await row())?.corrupt).toBeNull();
      expect(await store.markCorrupt(lease, damage)).toBe(true);
      expect(await row()).toMatchObject({ owner: null, corrupt: { last_good: 1, why: "test" } });
      expect(await store.post([message("m1")])).toEqual([{ accepted: false, why: "its journal is damaged" }]);
      expect(await store.post([cancel("c1")])).toMatchObject([{ accepted: true }]);
    });

    test("queries: by id, prefix, status, root, limit", async () => {
      const { store } = await setUp();
      const other = "work-1767225601-abc999";
      const second = { ...created, chain_root_id: other, root_id: other };
      await store.create({ threadId: other, events: [second], requests: [] });
      const ids = async (query: Parameters<Store["find"]>[0]) =>
        (await store.find(query)).map((row) => row.thread_id);
      expect(await ids({})).toEqual([other, ID]);
      expect(await ids({ prefix: "work-1767225600" })).toEqual([ID]);
      expect(await ids({ prefix: "work-17672256" })).toEqual([other, ID]);
      expect(await ids({ prefix: "%" })).toEqual([]);
      expect(await ids({ rootId: other })).toEqual([other]);
      expect(await ids({ statuses: ["running"] })).toEqual([]);
      expect(await ids({ limit: 1 })).toEqual([other]);
    });

    approvalSuite(setUp);
    moneySuite(setUp);
    familySuite(setUp);
    chainSuite(setUp);
    channelSuite(setUp);
    registrySuite(setUp);
    removalSuite(setUp);
    searchSuite(setUp);
  });
}
