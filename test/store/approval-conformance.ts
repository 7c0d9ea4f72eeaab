/** The part of the suite for every store that is about questions to people, their answers, and what waits for them. */
import { describe, expect, test } from "vitest";
import { BY_TIMEOUT, type Lease } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import { suspend } from "../../src/core/question.ts";
import type { Request } from "../../src/core/request.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const OTHER = "work-1767225601-abc999";
const HOUR_MS = 3_600_000;
const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n2" };
const cancelled: NewEvent = { type: "thread_cancelled", reason: "r", by: "t", report: [] };

interface Asking {
  readonly id?: string;
  readonly reason?: "limit" | "approval" | "error";
  readonly onTimeout?: "remind" | "deny";
  readonly resumesAt?: string;
}

function question({ needs }: World, asking: Asking = {}, threadId = ID) {
  const { id = "ap_1", reason = "limit", onTimeout = "remind", resumesAt } = asking;
  return suspend(
    { id: threadId, run: 1 },
    { reason, message: "Turn limit reached.", prompt: "More turns?", what: "more turns", resumesAt },
    { now: needs.now(), newApprovalId: () => id, sha256: needs.sha256, timeoutSeconds: 3_600, onTimeout },
  );
}

const decide = (id: string, more: Partial<Request & { kind: "decide" }> = {}): Request => ({
  kind: "decide",
  request_id: id,
  thread_id: ID,
  by: "p",
  approval_id: "ap_1",
  approved: true,
  via: "cli",
  resume: true,
  ...more,
});
const decided = (more: Partial<NewEvent & { type: "approval_decided" }> = {}): NewEvent => ({
  type: "approval_decided",
  approval_id: "ap_1",
  approved: true,
  by: "p",
  via: "cli",
  ...more,
});

export function approvalSuite(setUp: SetUp): void {
  /** A thread that has asked, and nobody owns. */
  const asked = async (asking?: Asking) => {
    const world = await setUp();
    const lease = await world.claim("a");
    const events = question(world, asking);
    await world.store.commit(lease, { events: [started, ...events] });
    const approvals = () => world.store.approvals({ threadId: ID });
    return { ...world, events, approvals, state: async () => (await approvals()).map((each) => each.state) };
  };
  const timer = async ({ store }: World) => (await store.candidates("*"))[0]?.timerDue;

  describe("a question", () => {
    test("opens with the suspension, in one commit, and drops the lease", async () => {
      const { approvals, row, needs, events } = await asked();
      const { type: _, ...approval } = events[1];
      expect(await row()).toMatchObject({
        ...{ status: "suspended", suspend_reason: "limit", owner: null },
        waits_for: { kind: "person", approval_id: "ap_1" },
      });
      expect(await approvals()).toEqual([
        {
          ...{ approval, thread_id: ID, chain_root_id: ID, state: "open" },
          asked_at: new Date(needs.now()).toISOString(),
        },
      ]);
    });

    test("does not open when the commit is refused", async () => {
      const world = await setUp();
      const old = await world.claim("a");
      await world.claim("b");
      await world.store.commit(old, { events: [started, ...question(world)] });
      expect(await world.store.approvals({})).toEqual([]);
    });

    test("is found by id, prefix, thread and state, the oldest first", async () => {
      const world = await asked();
      const { store } = world;
      await store.create({ threadId: OTHER, events: [createdAs(OTHER)], requests: [] });
      const lease = await world.claim("a", OTHER);
      await store.commit(lease, { events: [started, ...question(world, { id: "ap_0" }, OTHER)] });
      const ids = async (query: Parameters<typeof store.approvals>[0]) =>
        (await store.approvals(query)).map(({ approval }) => approval.approval_id);
      expect(await ids({})).toEqual(["ap_1", "ap_0"]);
      expect(await ids({ approvalId: "ap_0" })).toEqual(["ap_0"]);
      expect(await ids({ prefix: "ap_" })).toEqual(["ap_1", "ap_0"]);
      expect(await ids({ prefix: "%" })).toEqual([]);
      expect(await ids({ threadId: OTHER })).toEqual(["ap_0"]);
      expect(await ids({ states: ["decided", "void"] })).toEqual([]);
      expect(await ids({ states: [] })).toEqual([]);
    });

    test("is there when the store is opened again, with its decision", async () => {
      const { store, opened, needs, approvals } = await asked();
      await store.post([decide("d1")]);
      const before = await approvals();
      await store.close();
      const again = opened.open(needs);
      expect(await again.approvals({ threadId: ID })).toEqual(before);
      await again.close();
    });

    test("takes the place of the one before it: a thread asks one at a time", async () => {
      const world = await asked();
      const lease = await world.claim("a");
      await world.store.commit(lease, { events: question(world, { id: "ap_2" }) });
      expect(await world.state()).toEqual(["void", "open"]);
    });
  });

  describe("an answer", () => {
    test("is the one decision: the first wins, and the second learns who decided", async () => {
      const { store, approvals, state, tick, needs } = await asked();
      const first = decide("d1", { message: "go", limits: { turns: 40 } });
      expect(await store.post([first])).toEqual([{ accepted: true, host: undefined }]);
      const at = new Date(needs.now()).toISOString();
      tick(5);
      const decision = {
        ...{ approval_id: "ap_1", approved: true, by: "p", via: "cli", at },
        ...{ message: "go", limits: { turns: 40 } },
      };
      expect(await store.post([decide("d2", { by: "q", approved: false })])).toEqual([
        { accepted: false, why: "p answered it", decided: decision },
      ]);
      expect(await approvals()).toMatchObject([{ state: "open", decision }]);
      expect(await store.openRequests(ID)).toEqual([first]);
      const lease = await takeUp(store);
      await store.commit(lease, { events: [decided({ message: "go" }), resumed], consumes: ["d1"] });
      expect(await state()).toEqual(["decided"]);
      expect(await approvals()).toMatchObject([{ decision }]);
      expect(await store.post([decide("d3")])).toMatchObject([
        { accepted: false, decided: { by: "p", approved: true } },
      ]);
    });

    test("of many at once, one wins", async () => {
      const { store, approvals } = await asked();
      const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
      const posted = await Promise.all(names.map((by) => store.post([decide(`d-${by}`, { by })])));
      const won = names.filter((_, index) => posted[index]?.[0]?.accepted);
      expect(won).toHaveLength(1);
      expect(await approvals()).toMatchObject([{ decision: { by: won[0] } }]);
      expect(await store.openRequests(ID)).toHaveLength(1);
    });

    test("that is posted twice under one id is one answer, also when the thread is long past it", async () => {
      const { store } = await asked();
      await store.post([decide("d1")]);
      expect(await store.post([decide("d1")])).toMatchObject([{ accepted: true }]);
      const lease = await takeUp(store);
      await store.commit(lease, { events: [decided(), resumed], consumes: ["d1"] });
      expect(await store.post([decide("d1")])).toMatchObject([{ accepted: true }]);
      expect(await store.openRequests(ID)).toEqual([]);
    });

    test("to no question, to another thread's or to one that is void is refused, and nothing is written", async () => {
      const { store, state } = await asked();
      await store.create({ threadId: OTHER, events: [createdAs(OTHER)], requests: [] });
      expect(
        await store.post([decide("d1", { approval_id: "ap_9" }), decide("d2", { thread_id: OTHER })]),
      ).toEqual([
        { accepted: false, why: "there is no such question" },
        { accepted: false, why: "it is the question of another thread" },
      ]);
      const lease = await takeUp(store);
      await store.commit(lease, { events: [resumed] });
      expect(await state()).toEqual(["void"]);
      expect(await store.post([decide("d3")])).toEqual([
        { accepted: false, why: "its thread went on or ended without an answer" },
      ]);
      expect(await store.openRequests(ID)).toEqual([]);
      expect((await store.approvals({}))[0]).not.toHaveProperty("decision");
    });

    test.each([
      ["cancelled", cancelled],
      ["in error", { type: "thread_failed", code: "E_MARKED", message: "m" } satisfies NewEvent],
    ])("is void once the thread is %s: in the same commit, with what was asked of it", async (_, end) => {
      const { store, state, row } = await asked();
      await store.post([decide("d1")]);
      const lease = await takeUp(store);
      await store.commit(lease, { events: [end] });
      expect(await state()).toEqual(["void"]);
      expect(await store.openRequests(ID)).toEqual([]);
      expect(await row()).toMatchObject({ owner: null, waits_for: null });
    });

    test("that ends the thread is a decision, and not void", async () => {
      const { store, approvals } = await asked();
      await store.post([decide("d1", { approved: false })]);
      const lease = await takeUp(store);
      await store.commit(lease, { events: [decided({ approved: false }), cancelled], consumes: ["d1"] });
      expect(await approvals()).toMatchObject([{ state: "decided", decision: { approved: false } }]);
    });

    test("a no by time-out yields to an answer that waits", async () => {
      const { store, approvals, state, tick } = await asked({ onTimeout: "deny" });
      const late = decided({ approved: false, by: "nobody", via: BY_TIMEOUT });
      tick(HOUR_MS);
      await store.post([decide("d1")]);
      const lease = await takeUp(store);
      expect(await store.commit(lease, { events: [late, cancelled] })).toEqual({ refused: "requests_open" });
      expect(await state()).toEqual(["open"]);
      await store.commit(lease, { events: [decided(), resumed], consumes: ["d1"] });
      expect(await approvals()).toMatchObject([{ state: "decided", decision: { by: "p" } }]);
    });

    test("a no by time-out stands when nobody answered, and is told to who comes later", async () => {
      const { store, approvals } = await asked({ onTimeout: "deny" });
      const lease = await takeUp(store);
      const late = decided({ approved: false, by: "nobody", via: BY_TIMEOUT, message: "Nobody answered." });
      expect(await store.commit(lease, { events: [late, cancelled] })).toMatchObject({ parked: true });
      expect(await approvals()).toMatchObject([{ state: "decided", decision: { via: BY_TIMEOUT } }]);
      expect(await store.post([decide("d1")])).toMatchObject([{ decided: { by: "nobody" } }]);
    });
  });

  describe("what a suspended thread waits for", () => {
    test("without a time-out that denies it has no timer", async () => {
      expect(await timer(await asked())).toBeUndefined();
    });

    test.each([
      ["resumed", resumed],
      ["cancelled", cancelled],
      ["failed", { type: "thread_failed", code: "E", message: "m" } satisfies NewEvent],
    ])("its time sets the timer, and %s clears it", async (_, end) => {
      const opened = await asked({ onTimeout: "deny" });
      expect(await timer(opened)).toBe(opened.needs.now() + HOUR_MS);
      await opened.store.commit(await takeUp(opened.store), { events: [end] });
      expect((await opened.store.inspect(ID))?.timerDue).toBeUndefined();
    });

    test("may come to be something else: another time, or none", async () => {
      const opened = await asked({ reason: "error" });
      const { store, events } = opened;
      const until = new Date(opened.needs.now() + 500).toISOString();
      const waits = events[0].waits_for;
      if (waits.kind !== "person") throw new Error("waits for no person");
      const again: NewEvent = { ...events[0], waits_for: { ...waits, until } };
      await store.commit(await takeUp(store), { events: [again] });
      expect(await timer(opened)).toBe(Date.parse(until));
      expect(await opened.state()).toEqual(["open"]);
      expect(await opened.row()).toMatchObject({ suspend_reason: "error", waits_for: { until } });
      await store.commit(await takeUp(store), { events: [events[0]] });
      expect(await timer(opened)).toBeUndefined();
    });

    test("keeps its lease when its time has come meanwhile", async () => {
      const opened = await setUp();
      const lease = await opened.claim("a");
      const resumesAt = new Date(opened.needs.now()).toISOString();
      const events = [started, ...question(opened, { resumesAt })];
      expect(await opened.store.commit(lease, { events })).toMatchObject({ parked: false });
    });

    test("limits change in the registry with the event that changes them", async () => {
      const { store, row } = await asked();
      const raised: NewEvent = { type: "budget_changed", by: "p", limits: { turns: 50 } };
      const more: NewEvent = { type: "budget_changed", by: "p", limits: { spend: "2.00", turns: 60 } };
      await store.commit(await takeUp(store), { events: [raised] });
      expect(await row()).toMatchObject({ limits: { turns: 50 } });
      await store.commit(await takeUp(store), { events: [more, resumed] });
      expect((await row())?.limits).toEqual({ turns: 60, spend: "2.00" });
    });
  });

  describe("requests beside an answer", () => {
    const resume: Request = { kind: "resume", request_id: "r1", thread_id: ID, by: "p", nonce: "n1" };
    const retry: Request = { kind: "retry", request_id: "r2", thread_id: ID, by: "p", action: "now" };

    test("a resume does not go past a question that asks for leave", async () => {
      const { store, events } = await asked({ reason: "approval" });
      expect(await store.post([resume])).toEqual([
        { accepted: false, why: "it waits for an answer to a question" },
      ]);
      const { approval_id: _, ...waits } = events[0].waits_for as { approval_id?: string } & object;
      const answered = { ...events[0], waits_for: waits } as NewEvent;
      await store.commit(await takeUp(store), { events: [decided(), answered] });
      expect(await store.post([resume])).toMatchObject([{ accepted: true }]);
    });

    test("a resume goes past one about a limit or a failure", async () => {
      for (const reason of ["limit", "error"] as const) {
        const { store } = await asked({ reason });
        expect(await store.post([resume])).toMatchObject([{ accepted: true }]);
      }
    });

    test("a retry is for a thread that waits for one", async () => {
      const { store, claim, needs } = await setUp();
      const lease = await claim("a");
      await store.commit(lease, { events: [started] });
      expect(await store.post([retry])).toEqual([{ accepted: false, why: "it is not waiting for a retry" }]);
      const wakeAt = new Date(needs.now() + 5).toISOString();
      const waiting: NewEvent = {
        ...{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 5 },
        ...{ errorMessage: "x", wakeAt },
      };
      await store.commit(lease, { events: [waiting] });
      // Somebody still walks it: its request may be on its way.
      expect(await store.post([retry])).toMatchObject([{ accepted: false }]);
      await store.commit(lease, { events: [], park: true });
      expect(await store.post([retry])).toMatchObject([{ accepted: true }]);
      const { store: suspended } = await asked();
      expect(await suspended.post([retry])).toEqual([{ accepted: false, why: "it is suspended" }]);
    });
  });
}

/** Takes the thread up again. */
async function takeUp(store: World["store"]): Promise<Lease> {
  const [row] = await store.find({ threadId: ID });
  const answer = await store.claim({ threadId: ID, owner: "b", seenEpoch: row?.epoch ?? -1 });
  if ("refused" in answer) throw new Error(answer.refused);
  return answer.lease;
}
