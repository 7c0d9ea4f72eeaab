/** The part of the suite for every store that is about chains: one successor, one head, and everything reaches it (X2–X4). */
import { describe, expect, test } from "vitest";
import type { Batch } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import type { Request } from "../../src/core/request.ts";
import type { Birth } from "../../src/core/store.ts";
import { chainFindings } from "../../src/store/verify-chain.ts";
import { familyFindings } from "../../src/store/verify-family.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const SECOND = "work-1767225600-second";
const THIRD = "work-1767225600-third";
const CHILD = "work-1767225601-bbb111";
const CHILD_2 = "work-1767225601-bbb222";
const done: NewEvent = { type: "thread_completed", text: "done" };

const carried = (more: object = {}) => ({
  ...{ turns: 0, usage: { input: 0, cache_read: 0, cache_write: 0, output: 0 }, spent: 0, active_ms: 0 },
  ...{ recoveries: 0, spawns: 0, children: {}, processes: {}, unbilled: [] },
  earlier: { attempts: 0, holds: 0 },
  ...more,
});

/** The chain of `root` goes on from `of` in `to`. */
function successor(of: string, to: string, root = of, more: object = {}): Birth {
  const created = {
    ...{
      ...createdAs(to),
      chain_root_id: root,
      root_id: root,
      continuation_of: of,
      conversation: [],
      carried: carried(),
    },
    ...more,
  };
  return { threadId: to, events: [created, started], requests: [] };
}
export const handing = (of: string, to: string, root = of, more: object = {}): Batch => ({
  events: [],
  tail: [{ type: "thread_continued", to, why: "context", summary_tokens: 0, trailing_messages: 0 }],
  births: [successor(of, to, root, more)],
});
const reopening = (of: string, to: string, seq: number): Birth => ({
  ...successor(of, to),
  continues: { threadId: of, seq, by: "ann" },
});
const message = (request_id: string, thread_id: string): Request => ({
  ...{ kind: "message", request_id, thread_id, by: "t", text: "hi" },
});
const cancel = (request_id: string, thread_id: string, nonce = "n1"): Request => ({
  ...{ kind: "cancel", request_id, thread_id, by: "t", nonce, reason: "enough" },
});

const row = async ({ store }: World, threadId: string) => (await store.find({ threadId }))[0];
const asked = ({ store }: World, threadId: string) => store.openRequests(threadId);
async function commits(world: World, threadId: string, batch: Batch) {
  const isNew = (await row(world, threadId))?.status === "created";
  const lease = await world.claim("a", threadId);
  const events = [...(isNew ? [started] : []), ...batch.events];
  return world.store.commit(lease, { ...batch, events });
}

/** A root that was handed on twice. */
async function chained(setUp: SetUp): Promise<World> {
  const world = await setUp();
  await commits(world, ID, handing(ID, SECOND));
  await commits(world, SECOND, handing(SECOND, THIRD, ID));
  return world;
}

const inTree = { root_id: ID };
/** A root that was handed on while a child of it lives, which was handed on as well. */
async function tree(setUp: SetUp): Promise<World> {
  const world = await setUp();
  const birth: Birth = {
    threadId: CHILD,
    events: [{ ...createdAs(CHILD), root_id: ID, parent_id: ID, nonce: "of the child" }],
    requests: [],
  };
  const bears: NewEvent = {
    ...{ type: "child_thread_started", call_id: "c", child_id: CHILD, directive: "work", start: true },
  };
  await commits(world, ID, { events: [], tail: [bears], births: [birth] });
  const child = { id: CHILD, directive: "work", status: "running", suspensions: 0, told: 0 };
  const children = carried({ children: { [CHILD]: child } });
  await commits(world, ID, handing(ID, SECOND, ID, { carried: children }));
  const below = { ...inTree, parent_id: ID, nonce: "of the child" };
  await commits(world, CHILD, handing(CHILD, CHILD_2, CHILD, below));
  return world;
}

function linkSuite(setUp: SetUp): void {
  test("handed on: both links, the end and the beginning are one commit; the lease is free", async () => {
    const world = await setUp();
    const answer = await commits(world, ID, handing(ID, SECOND));
    expect(answer).toMatchObject({ tailLanded: true, parked: true, wakes: true });
    expect(await row(world, ID)).toMatchObject({
      ...{ status: "continued", continuation_thread_id: SECOND, owner: null },
    });
    expect(await row(world, SECOND)).toMatchObject({
      ...{ status: "running", continuation_of: ID, chain_root_id: ID, owner: null, epoch: 0 },
    });
    expect(await world.store.claim({ threadId: ID, owner: "b", seenEpoch: 1 })).toEqual({ refused: "ended" });
    expect((await world.claim("b", SECOND)).chainRootId).toBe(ID);
    // One account, and it is open.
    expect((await world.store.balance(ID))?.account).toMatchObject({ ended: false });
    expect(await world.store.balance(SECOND)).toBeUndefined();
  });

  test.each(["cancel", "revoke"] as const)(
    "a %s comes before it: nobody is continued over it",
    async (kind) => {
      const world = await setUp();
      const lease = await world.claim("a");
      await world.store.commit(lease, { events: [started] });
      const request: Request =
        kind === "cancel"
          ? cancel("c1", ID)
          : { kind, request_id: "v1", thread_id: ID, by: "t", rights: ["selvage.*"] };
      await world.store.post([request]);
      expect(await world.store.commit(lease, handing(ID, SECOND))).toMatchObject({ tailLanded: false });
      expect(await row(world, ID)).toMatchObject({ status: "running", continuation_thread_id: null });
      expect(await row(world, SECOND)).toBeUndefined();
    },
  );

  test("an owner that was fenced continues nobody", async () => {
    const world = await setUp();
    const old = await world.claim("a");
    await world.claim("b");
    expect(await world.store.commit(old, handing(ID, SECOND))).toEqual({ refused: "stale" });
    expect(await world.store.find({})).toHaveLength(1);
  });

  test("a thread that has ended goes on: linked both ways with its beginning, its account open again", async () => {
    const world = await setUp();
    await commits(world, ID, { events: [done] });
    expect((await world.store.balance(ID))?.account).toMatchObject({ ended: true });
    const { seq = 0 } = (await row(world, ID)) ?? {};
    expect(await world.store.create(reopening(ID, SECOND, seq))).toBeUndefined();
    expect(await row(world, ID)).toMatchObject({ status: "continued", continuation_thread_id: SECOND });
    expect(await row(world, SECOND)).toMatchObject({ continuation_of: ID, chain_root_id: ID });
    expect((await world.store.load(ID)).events.at(-1)).toMatchObject({
      ...{ type: "thread_continued", why: "user", by: "ann", to: SECOND },
    });
    expect((await world.store.balance(ID))?.account).toMatchObject({ ended: false });
    expect(chainFindings(await world.store.find({}))).toEqual([]);
  });

  test("not as it was when that was decided: refused, and nothing is written", async () => {
    const world = await setUp();
    const [living] = [await row(world, ID)];
    expect(await world.store.create(reopening(ID, SECOND, living?.seq ?? 0))).toEqual({ refused: "changed" });
    await commits(world, ID, { events: [done] });
    const before = await world.store.feedEnd();
    const { seq = 0 } = (await row(world, ID)) ?? {};
    for (const wrong of [seq - 1, seq + 1])
      expect(await world.store.create(reopening(ID, SECOND, wrong))).toEqual({ refused: "changed" });
    expect(await world.store.create(reopening("nobody-1-aaaaaa", SECOND, seq))).toEqual({
      refused: "changed",
    });
    expect(await world.store.find({})).toHaveLength(1);
    expect(await world.store.feedEnd()).toBe(before);
  });

  test.each([
    ["by one name", SECOND],
    ["by two", THIRD],
  ])("two at once, %s: one wins", async (_, other) => {
    const world = await setUp();
    await commits(world, ID, { events: [done] });
    const { seq = 0 } = (await row(world, ID)) ?? {};
    const births = [SECOND, other].map((to) => reopening(ID, to, seq));
    const answers = await Promise.all(births.map((birth) => world.store.create(birth)));
    expect(answers).toEqual([undefined, { refused: "changed" }]);
    expect(await world.store.find({})).toHaveLength(2);
    expect(await row(world, ID)).toMatchObject({ continuation_thread_id: SECOND });
  });

  test("nobody is continued twice, whoever asks for it", async () => {
    const world = await chained(setUp);
    const again = successor(ID, "work-1767225600-again");
    await expect(world.store.create(again)).rejects.toThrow();
    expect(await world.store.find({})).toHaveLength(3);
  });
}

function headSuite(setUp: SetUp): void {
  test.each([ID, SECOND, THIRD])("what is asked of %s reaches the one it goes on in", async (id) => {
    const world = await chained(setUp);
    expect(await world.store.post([message("m1", id)])).toMatchObject([{ accepted: true }]);
    // Posted again, it is the same.
    expect(await world.store.post([message("m1", THIRD)])).toMatchObject([{ accepted: true }]);
    const [candidate, ...others] = await world.store.candidates("*");
    expect(others).toEqual([]);
    expect(candidate).toMatchObject({ row: { thread_id: THIRD }, requests: [{ request_id: "m1" }] });
    const claim = await world.store.claim({ threadId: THIRD, owner: "b", seenEpoch: 0 });
    expect(claim).toMatchObject({ open: [{ request_id: "m1" }] });
  });

  test("what was asked before it was handed on is not lost, and keeps it from completing", async () => {
    const world = await setUp();
    await world.store.post([message("m1", ID)]);
    await commits(world, ID, handing(ID, SECOND));
    expect(await asked(world, ID)).toMatchObject([{ request_id: "m1" }]);
    expect(await commits(world, SECOND, { events: [done] })).toEqual({ refused: "requests_open" });
    const said: NewEvent = { type: "message_received", by: "t", text: "hi", request_id: "m1" } as NewEvent;
    expect(await commits(world, SECOND, { events: [said], consumes: ["m1"] })).toMatchObject({ open: [] });
  });

  test("a cancel of any of its ids reaches the head and everyone below, once", async () => {
    const world = await tree(setUp);
    await world.store.post([cancel("c1", ID)]);
    await world.store.post([cancel("c1", ID)]);
    expect((await asked(world, ID)).map(({ request_id }) => request_id)).toEqual(["c1"]);
    expect(await asked(world, CHILD)).toMatchObject([{ request_id: `c1/${CHILD}`, nonce: "of the child" }]);
    expect(await asked(world, SECOND)).toEqual([]);
    expect(await asked(world, CHILD_2)).toEqual([]);
  });

  test("a stop in a commit does too", async () => {
    const world = await tree(setUp);
    await commits(world, SECOND, { events: [], stops: [{ thread_id: CHILD, reason: "r", by: SECOND }] });
    expect(await asked(world, CHILD)).toMatchObject([{ kind: "cancel", nonce: "of the child" }]);
  });

  test("what becomes of a child reaches the head of its parent, told of the chain, once", async () => {
    const world = await tree(setUp);
    expect(await asked(world, ID)).toEqual([]);
    expect(await commits(world, CHILD_2, { events: [done] })).toMatchObject({ wakes: true });
    expect(await asked(world, ID)).toMatchObject([
      {
        kind: "outcome",
        by: CHILD,
        outcome: { type: "child_thread_completed", child_id: CHILD, text: "done" },
      },
    ]);
    const heads = await world.store.candidates(ID);
    expect(heads.map(({ row: { thread_id }, requests }) => [thread_id, requests.length])).toEqual([
      [SECOND, 1],
    ]);
    expect(await row(world, SECOND)).toMatchObject({ living: 1 });
    expect(await commits(world, SECOND, { events: [], tail: [] })).toMatchObject({ open: [{ by: CHILD }] });
  });

  test("nobody ends while a child lives that was born before it was handed on", async () => {
    const world = await tree(setUp);
    const failed: NewEvent = { type: "thread_failed", code: "E", message: "no" };
    expect(await commits(world, SECOND, { events: [failed] })).toEqual({ refused: "children_live" });
  });

  test("a family is its heads, and their accounts add up", async () => {
    const world = await tree(setUp);
    const relatives = await world.store.family(ID);
    expect(relatives.map(({ row: { thread_id } }) => thread_id).sort()).toEqual([SECOND, CHILD_2].sort());
    expect(relatives.every(({ statement }) => statement !== undefined)).toBe(true);
    expect(familyFindings(relatives)).toEqual([]);
    expect(chainFindings(await world.store.find({}))).toEqual([]);
    const heads = await world.store.find({ onlyHeads: true });
    expect(heads).toHaveLength(2);
    expect(await world.store.find({ chainRootId: CHILD })).toHaveLength(2);
  });
}

export function chainSuite(setUp: SetUp): void {
  describe("links of chains (X2, X4)", () => linkSuite(setUp));
  describe("the head of a chain (X3)", () => headSuite(setUp));
}
