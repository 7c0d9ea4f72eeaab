/** The part of the suite for every store that is about trees: births, ends, outcomes, and what goes down (C2, C6, C7). */
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../src/core/claim.ts";
import type { Batch } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import type { Request } from "../../src/core/request.ts";
import type { Birth } from "../../src/core/store.ts";
import { familyFindings } from "../../src/store/verify-family.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const CHILD = "work-1767225601-bbb111";
const GRAND = "work-1767225602-ccc222";
const OTHER = "work-1767225603-ddd333";
const NANO = 1_000_000_000;

const birth = (id: string, parent: string, spend?: string): Birth => ({
  threadId: id,
  events: [
    {
      ...createdAs(id),
      ...{ root_id: ID, parent_id: parent, nonce: `nonce of ${id}` },
      limits: spend === undefined ? {} : { spend },
    },
    { type: "cognition_in", source: "directive", text: "Go." },
  ],
  requests: [{ kind: "start", request_id: `start_${id}`, thread_id: id, by: parent }],
});
const bears = (id: string): NewEvent => ({
  ...{ type: "child_thread_started", call_id: `call ${id}`, child_id: id, directive: "work", start: true },
});
const bearing = (id: string, parent: string, spend?: string): Batch => ({
  ...{ events: [], tail: [bears(id)], births: [birth(id, parent, spend)] },
});
const done: NewEvent = { type: "thread_completed", text: "done" };
const failed: NewEvent = { type: "thread_failed", code: "E", message: "no" };
const ended = (child_id: string): NewEvent => ({
  ...{ type: "child_thread_completed", child_id, directive: "work", text: "done" },
  cost: { turns: 0, tokens: 0, spent: 0 },
});
const cancel = (request_id: string, thread_id: string, nonce: string): Request => ({
  ...{ kind: "cancel", request_id, thread_id, by: "t", nonce, reason: "enough" },
});

async function row(world: World, threadId: string) {
  const [found] = await world.store.find({ threadId });
  return found;
}

/** Claims a thread, lets it begin, and commits. */
async function commits(world: World, threadId: string, batch: Batch) {
  const isNew = (await row(world, threadId))?.status === "created";
  const lease = await world.claim("a", threadId);
  const consumes = [...(batch.consumes ?? []), ...(isNew ? [`start_${threadId}`] : [])];
  const events = [...(isNew ? [started] : []), ...batch.events];
  return { lease, answer: await world.store.commit(lease, { ...batch, events, consumes }) };
}

/** A root, a child of it, and a child of that one; and one more child that has ended. */
async function grown(setUp: SetUp): Promise<World> {
  const world = await setUp();
  await commits(world, ID, bearing(OTHER, ID));
  await commits(world, OTHER, { events: [done] });
  await commits(world, ID, {
    ...bearing(CHILD, ID),
    ...{ events: [ended(OTHER)], consumes: (await asked(world, ID)).map(({ request_id }) => request_id) },
  });
  await commits(world, CHILD, bearing(GRAND, CHILD));
  await commits(world, GRAND, { events: [] });
  return world;
}

const asked = ({ store }: World, threadId: string) => store.openRequests(threadId);
const cancels = async (world: World) =>
  Promise.all(
    [ID, CHILD, GRAND, OTHER].map(async (id) =>
      (await asked(world, id)).filter(({ kind }) => kind === "cancel" || kind === "revoke"),
    ),
  );

function birthSuite(setUp: SetUp): void {
  test("a child is there in the commit that says so: row, events, start, account and money", async () => {
    const world = await setUp();
    const { store } = world;
    const capped = { type: "budget_changed" as const, by: "p", limits: { spend: "1.00" } };
    const batch = bearing(CHILD, ID, "0.40");
    const { answer } = await commits(world, ID, { ...batch, events: [capped] });
    expect(answer).toMatchObject({ tailLanded: true, wakes: true });
    expect(await row(world, CHILD)).toMatchObject({ status: "created", parent_id: ID, root_id: ID, seq: 2 });
    expect(await row(world, ID)).toMatchObject({ living: 1 });
    expect((await store.load(CHILD)).events.map(({ type }) => type)).toEqual([
      "thread_created",
      "cognition_in",
    ]);
    expect(await asked(world, CHILD)).toMatchObject([{ kind: "start" }]);
    expect((await store.balance(ID))?.account).toMatchObject({ held: 0.4 * NANO });
    expect((await store.balance(CHILD))?.account).toMatchObject({ cap: 0.4 * NANO });
    const roots = await store.find({ onlyRoots: true });
    expect(roots.every(({ parent_id }) => parent_id === null)).toBe(true);
    expect(roots.length).toBeLessThan((await store.find({})).length);
  });

  test("where its money is not there, nothing of it is; nor anything that was to come with it", async () => {
    const world = await setUp();
    const { store } = world;
    const capped = { type: "budget_changed" as const, by: "p", limits: { spend: "1.00" } };
    const both: Batch = {
      ...{ events: [capped], tail: [bears(CHILD), bears(OTHER)] },
      births: [birth(CHILD, ID, "0.70"), birth(OTHER, ID, "0.40")],
    };
    const { answer } = await commits(world, ID, both);
    expect(answer).toMatchObject({
      ...{ tailLanded: false, shortage: { at: ID, asked: 0.4 * NANO, free: 0.3 * NANO } },
    });
    expect(await store.find({})).toHaveLength(1);
    expect(await row(world, ID)).toMatchObject({ living: 0, limits: { spend: "1.00" } });
    expect(await asked(world, CHILD)).toEqual([]);
    expect(await store.balance(CHILD)).toBeUndefined();
    expect((await store.balance(ID))?.account).toMatchObject({ held: 0 });
  });

  test("whom an end wakes is handed over with all that is asked of it; taken up, nobody else need look", async () => {
    for (const isTaken of [true, false]) {
      const world = await setUp();
      await commits(world, ID, { ...bearing(CHILD, ID), release: true });
      const message = { kind: "message", request_id: "m1", thread_id: ID, by: "t", text: "hi" } as const;
      await world.store.post([message]);
      const lease = await world.claim("a", CHILD);
      const woken: Candidate[] = [];
      const answer = await world.store.commit(
        lease,
        { events: [started, done], consumes: [`start_${CHILD}`] },
        (found) => {
          woken.push(...found);
          return isTaken;
        },
      );
      expect(woken).toMatchObject([
        { row: { thread_id: ID, owner: null }, requests: [{ kind: "message" }, { kind: "outcome" }] },
      ]);
      expect("wakes" in answer && answer.wakes === true).toBe(!isTaken);
    }
  });

  test("who is at work hears of it by itself, and a child that is born is looked for", async () => {
    const world = await setUp();
    const { lease } = await commits(world, ID, bearing(CHILD, ID));
    const noted: Candidate[] = [];
    const note = (found: readonly Candidate[]) => noted.push(...found) > 0;
    expect(await world.store.commit(lease, bearing(OTHER, ID), note)).toMatchObject({ wakes: true });
    const child = await world.claim("b", CHILD);
    const end = { events: [started, done], consumes: [`start_${CHILD}`] };
    expect(await world.store.commit(child, end, note)).toMatchObject({ wakes: true });
    expect(noted).toEqual([]);
  });

  test.each(["cancel", "revoke"] as const)("nobody is born while a %s is open", async (kind) => {
    const world = await setUp();
    const lease = await world.claim("a");
    await world.store.commit(lease, { events: [started] });
    const request: Request =
      kind === "cancel"
        ? cancel("c1", ID, "n1")
        : { kind, request_id: "v1", thread_id: ID, by: "t", rights: ["selvage.*"] };
    await world.store.post([request]);
    expect(await world.store.commit(lease, bearing(CHILD, ID))).toMatchObject({ tailLanded: false });
    expect(await world.store.find({})).toHaveLength(1);
    expect(await row(world, ID)).toMatchObject({ living: 0 });
  });

  test("an owner that was fenced brings nobody into the world", async () => {
    const world = await setUp();
    const old = await world.claim("a");
    await world.claim("b");
    expect(await world.store.commit(old, bearing(CHILD, ID))).toEqual({ refused: "stale" });
    expect(await world.store.find({})).toHaveLength(1);
  });
}

function endSuite(setUp: SetUp): void {
  test.each([done, failed])("nobody ends over a living child ($type); nothing of it lands", async (end) => {
    const world = await grown(setUp);
    const before = await row(world, CHILD);
    const { answer } = await commits(world, CHILD, { events: [end] });
    expect(answer).toEqual({ refused: "children_live" });
    expect(await row(world, CHILD)).toMatchObject({ status: "running", seq: before?.seq, living: 1 });
    expect(await asked(world, ID)).toEqual([]);
  });

  test("the last child may be told of in the commit of the end", async () => {
    const world = await grown(setUp);
    await commits(world, GRAND, { events: [done] });
    const [told] = await asked(world, CHILD);
    const consumes = [told?.request_id ?? ""];
    const { answer } = await commits(world, CHILD, { events: [ended(GRAND), done], consumes });
    expect(answer).toMatchObject({ parked: true });
    expect(await row(world, CHILD)).toMatchObject({ status: "completed", living: 0 });
  });

  test("what becomes of a child is told with it, once", async () => {
    const world = await grown(setUp);
    const waits_for = { kind: "person" as const, what: "w", who: "p", how: "h" };
    const rests: NewEvent = { type: "thread_suspended", reason: "error", message: "m", waits_for };
    const goes: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n2" };
    await commits(world, GRAND, { events: [rests] });
    const { answer, lease } = await commits(world, GRAND, { events: [goes, done] });
    expect(answer).toMatchObject({ wakes: true });
    const told = await asked(world, CHILD);
    expect(told.map((each) => each.kind === "outcome" && each.outcome.type)).toEqual([
      ...["child_thread_suspended", "child_thread_resumed", "child_thread_completed"],
    ]);
    expect(await world.store.commit(lease, { events: [done] })).toEqual({ refused: "stale" });
    // Posted again by hand, under its name, it is the same.
    await world.store.post(told);
    expect(await asked(world, CHILD)).toHaveLength(3);
    await commits(world, CHILD, { events: [ended(GRAND)], consumes: told.map((each) => each.request_id) });
    await world.store.post(told);
    expect(await asked(world, CHILD)).toEqual([]);
    expect(await row(world, CHILD)).toMatchObject({ living: 0 });
  });

  test("time that is up does not end a wait over an outcome that waits to be taken", async () => {
    const world = await grown(setUp);
    const lease = await world.claim("b", CHILD);
    await commits(world, GRAND, { events: [done] });
    const over = (why: "timeout" | "met"): NewEvent => ({ type: "wait_finished", call_id: "c", why });
    const before = await row(world, CHILD);
    expect(await world.store.commit(lease, { events: [over("timeout")] })).toEqual({
      refused: "requests_open",
    });
    expect((await row(world, CHILD))?.seq).toBe(before?.seq);
    expect(await world.store.commit(lease, { events: [over("met")] })).toMatchObject({ tailLanded: true });
  });

  test("a refused commit tells nobody", async () => {
    const world = await grown(setUp);
    const old = await world.claim("a", GRAND);
    await world.claim("b", GRAND);
    expect(await world.store.commit(old, { events: [done] })).toEqual({ refused: "stale" });
    expect(await asked(world, CHILD)).toEqual([]);
  });

  test("the money of a whole tree comes back to its root", async () => {
    const world = await grown(setUp);
    for (const [child, parent] of [
      [GRAND, CHILD],
      [CHILD, ID],
    ] as const) {
      await commits(world, child, { events: [done] });
      const consumes = (await asked(world, parent)).map(({ request_id }) => request_id);
      await commits(world, parent, { events: [ended(child)], consumes });
    }
    expect(familyFindings(await world.store.family(ID))).toEqual([]);
    expect((await world.store.balance(ID))?.account).toMatchObject({ held: 0 });
  });
}

function cascadeSuite(setUp: SetUp): void {
  test("a cancel goes to everyone alive below, each for its own run, and to nobody who ended", async () => {
    const world = await grown(setUp);
    expect(await world.store.post([cancel("c1", ID, "n1")])).toMatchObject([{ accepted: true }]);
    expect(await cancels(world)).toMatchObject([
      [{ request_id: "c1", nonce: "n1" }],
      [{ request_id: `c1/${CHILD}`, nonce: `nonce of ${CHILD}`, reason: "enough", by: "t" }],
      [{ request_id: `c1/${GRAND}`, nonce: `nonce of ${GRAND}` }],
      [],
    ]);
    // Asked for again, it is one.
    await world.store.post([cancel("c1", ID, "n1")]);
    expect((await cancels(world)).map((each) => each.length)).toEqual([1, 1, 1, 0]);
  });

  test("it goes down from where it is asked, not up", async () => {
    const world = await grown(setUp);
    await world.store.post([cancel("c1", CHILD, `nonce of ${CHILD}`)]);
    expect((await cancels(world)).map((each) => each.length)).toEqual([0, 1, 1, 0]);
  });

  test("one that was meant for another run stays where it is; one for who ended is refused", async () => {
    const world = await grown(setUp);
    await world.store.post([cancel("c1", ID, "of another run")]);
    expect((await cancels(world)).map((each) => each.length)).toEqual([1, 0, 0, 0]);
    expect(await world.store.post([cancel("c2", OTHER, `nonce of ${OTHER}`)])).toMatchObject([
      { accepted: false, why: "it is completed" },
    ]);
  });

  test("a revocation goes the same way, and says from whom it was taken", async () => {
    const world = await grown(setUp);
    const rights = ["selvage.execute.tool.bash"];
    await world.store.post([{ kind: "revoke", request_id: "v1", thread_id: ID, by: "t", rights }]);
    const [root, child, grand, other] = await cancels(world);
    expect([root?.length, other?.length]).toEqual([1, 0]);
    expect(child).toMatchObject([{ request_id: `v1/${CHILD}`, rights, from: ID }]);
    expect(grand).toMatchObject([{ request_id: `v1/${GRAND}`, rights, from: ID }]);
  });

  test.each([
    [{}, [0, 1, 1, 0]],
    [{ onlyBelow: true as const }, [0, 0, 1, 0]],
  ])("a stop in a commit reaches whom it names and everyone below (%j)", async (more, counts) => {
    const world = await grown(setUp);
    const stops = [CHILD, OTHER].map((thread_id) => ({
      thread_id,
      reason: "parent_failed",
      by: ID,
      ...more,
    }));
    const { answer } = await commits(world, ID, { events: [], stops });
    expect(answer).toMatchObject({ wakes: true });
    const found = await cancels(world);
    expect(found.map((each) => each.length)).toEqual(counts);
    expect(found[2]).toMatchObject([{ nonce: `nonce of ${GRAND}`, reason: "parent_failed", by: ID }]);
  });

  test("a stop in a refused commit reaches nobody", async () => {
    const world = await grown(setUp);
    const old = await world.claim("a");
    await world.claim("b");
    const stops = [{ thread_id: CHILD, reason: "r", by: ID }];
    expect(await world.store.commit(old, { events: [], stops })).toEqual({ refused: "stale" });
    expect((await cancels(world)).flat()).toEqual([]);
  });
}

const names = (...ids: readonly string[]): NewEvent => ({
  ...{ type: "wait_started", call_id: "c", thread_ids: [...ids], require: ids.length, fail_fast: false },
  ...{ cancel_siblings_on_failure: false, include_suspended: false },
  further: ids.map((id) => ({ id, directive: "work", above: [CHILD] })),
});
const reports = async (world: World, threadId: string) =>
  (await asked(world, threadId)).flatMap((each) =>
    each.kind === "outcome" && each.outcome.type === "descendant_reported" ? [each.outcome.status] : [],
  );

/** A wait that names threads further down (O2): told of each of them once, whenever it ends. */
function furtherSuite(setUp: SetUp): void {
  test("one that lives is told of when it ends, to its parent as ever, and to who waits", async () => {
    const world = await grown(setUp);
    const { answer } = await commits(world, ID, { events: [names(GRAND)], park: true });
    // How it is now waits to be taken: the thread is not parked over it.
    expect(answer).toMatchObject({ parked: false, open: [{ kind: "outcome", by: GRAND }] });
    expect(await row(world, ID)).toMatchObject({ watches: [GRAND] });
    await commits(world, GRAND, { events: [done] });
    expect(await reports(world, ID)).toEqual(["running", "completed"]);
    expect(await asked(world, CHILD)).toMatchObject([{ outcome: { type: "child_thread_completed" } }]);
    expect((await asked(world, ID)).at(-1)).toMatchObject({
      outcome: { text: "done", descendant_id: GRAND },
    });
  });

  test("one that had ended, its parent too, is told of as what it was", async () => {
    const world = await grown(setUp);
    await commits(world, GRAND, { events: [{ ...done, text: "x".repeat(100_000) } as NewEvent] });
    const consumes = (await asked(world, CHILD)).map(({ request_id }) => request_id);
    await commits(world, CHILD, { events: [ended(GRAND), done], consumes });
    await commits(world, ID, { events: [names(GRAND)] });
    const told = (await asked(world, ID)).at(-1);
    expect(told).toMatchObject({ outcome: { status: "completed", text: "x".repeat(100_000) } });
  });

  test("what ended is watched no longer; nobody else is told", async () => {
    const world = await grown(setUp);
    await commits(world, ID, { events: [names(GRAND)] });
    await commits(world, GRAND, { events: [done] });
    expect(await reports(world, CHILD)).toEqual([]);
    const told = await asked(world, ID);
    const events = told.flatMap((each) => (each.kind === "outcome" ? [each.outcome] : []));
    await commits(world, ID, { events, consumes: told.map(({ request_id }) => request_id) });
    expect(await row(world, ID)).toMatchObject({ watches: [], living: 1, below: 0 });
    expect(await asked(world, ID)).toEqual([]);
  });

  test("damage is told too", async () => {
    const world = await grown(setUp);
    await commits(world, ID, { events: [names(GRAND)] });
    await world.store.markCorrupt(await world.claim("a", GRAND), { last_good: 1, why: "w" });
    expect(await reports(world, ID)).toEqual(["running", "suspended"]);
  });

  test("a wait that is refused names nobody", async () => {
    const world = await grown(setUp);
    const old = await world.claim("a");
    await world.claim("b");
    expect(await world.store.commit(old, { events: [names(GRAND)] })).toEqual({ refused: "stale" });
    await commits(world, GRAND, { events: [done] });
    expect(await reports(world, ID)).toEqual([]);
  });
}

export function familySuite(setUp: SetUp): void {
  describe("waits for those further down (C7)", () => furtherSuite(setUp));
  describe("births (C7)", () => birthSuite(setUp));
  describe("ends and outcomes (C6, C7)", () => endSuite(setUp));
  describe("what goes down (C2)", () => cascadeSuite(setUp));
}
