/** The part of the suite for every store that is about threads that go for good: whole or not at all (`core/removal.ts`). */
import { describe, expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { familyFindings } from "../../src/store/verify-family.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";
import { handing } from "./chain-conformance.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const CHILD = "work-1767225601-child1";
const NEXT = "work-1767225601-next11";
const LATER = "work-1767225602-later1";
const done: NewEvent = { type: "thread_completed", text: "done" };
const big: NewEvent<"message_received"> = {
  type: "message_received",
  request_id: "m",
  by: "t",
  text: "x".repeat(70_000),
};
const asks: NewEvent = {
  ...{ type: "approval_requested", approval_id: "ap-1", reason: "limit", prompt: "more?", on_deny: "cancel" },
  ...{ timeout_seconds: 60, digest: "d" },
};

async function ends(world: World, threadId: string, ...events: NewEvent[]): Promise<void> {
  const lease = await world.claim("a", threadId);
  await world.store.commit(lease, { events: [started, ...events, done] });
}

/** A tree of two that has ended, and a thread that began later. Both have the same large text. */
async function grown(setUp: SetUp): Promise<World> {
  const world = await setUp();
  const child = { ...createdAs(CHILD), root_id: ID, parent_id: ID };
  const step: NewEvent = {
    ...{ type: "step_start", turn: 1 },
    hold: { id: `${ID}/1/1`, amount: 5, input_tokens: 1, output_tokens: 1 },
  };
  const lease = await world.claim("a");
  await world.store.create({ threadId: CHILD, events: [child], requests: [] });
  await world.store.commit(lease, { events: [started, big, asks] });
  await ends(world, CHILD);
  const again = await world.store.commit(lease, { events: [], tail: [step] });
  expect(again).toMatchObject({ tailLanded: true });
  const consumes = (await world.store.openRequests(ID)).map(({ request_id }) => request_id);
  expect(await world.store.commit(lease, { events: [done], consumes })).not.toHaveProperty("refused");
  expect(await world.row()).toMatchObject({ status: "completed" });
  await world.store.create({ threadId: LATER, events: [createdAs(LATER), big], requests: [] });
  return world;
}

const ids = async ({ store }: World) => (await store.find({})).map(({ thread_id }) => thread_id);

export function removalSuite(setUp: SetUp): void {
  describe("removal", () => {
    test("a tree goes with all that is its own, and nothing else does", async () => {
      const world = await grown(setUp);
      const { store } = world;
      const kept = (await store.feed(0, 100)).events.filter(({ event }) => event.thread_id === LATER);
      const end = await store.feedEnd();
      expect(await store.weigh([ID, CHILD])).toBeGreaterThan(70_000);
      expect(await store.remove([ID, CHILD])).toBeUndefined();
      expect(await ids(world)).toEqual([LATER]);
      expect(await store.load(ID)).toEqual({ events: [] });
      expect(await store.inspect(CHILD)).toBeUndefined();
      expect(await store.approvals({})).toEqual([]);
      expect(await store.balance(ID)).toBeUndefined();
      expect(await store.balance(CHILD)).toBeUndefined();
      expect(await store.openRequests(ID)).toEqual([]);
      expect(await store.weigh([ID, CHILD])).toBe(0);
      expect((await store.feed(0, 100)).events).toEqual(kept);
      expect((await store.feed(0, 1)).events).toEqual(kept.slice(0, 1));
      expect(await store.feedEnd()).toBe(end);
      expect((await store.load(LATER)).events).toMatchObject([{ seq: 1 }, { seq: 2, text: big.text }]);
      expect(familyFindings(await store.family(LATER))).toEqual([]);
    });

    test("it is gone for those who open the store later, and its id may come again", async () => {
      const world = await grown(setUp);
      await world.store.remove([ID, CHILD]);
      const again = world.opened.open(world.needs);
      expect((await again.find({})).map(({ thread_id }) => thread_id)).toEqual([LATER]);
      await again.create({ threadId: ID, events: [createdAs(ID)], requests: [] });
      expect((await again.load(ID)).events).toMatchObject([{ type: "thread_created", seq: 1 }]);
      expect((await again.balance(ID))?.account).toMatchObject({ spent: 0, held: 0 });
    });

    test("half of a tree, of a chain, and a thread that is not there do not go", async () => {
      const world = await grown(setUp);
      const { store } = world;
      const before = await ids(world);
      expect(await store.remove([ID])).toEqual({ threadId: CHILD, why: "incomplete" });
      expect(await store.remove([CHILD])).toEqual({ threadId: ID, why: "incomplete" });
      expect(await store.remove([ID, CHILD, "work-1-nobody"])).toEqual({
        threadId: "work-1-nobody",
        why: "unknown",
      });
      const lease = await world.claim("a", LATER);
      await store.commit(lease, { ...handing(LATER, NEXT), events: [started] });
      await ends(world, NEXT);
      expect(await store.remove([LATER])).toEqual({ threadId: NEXT, why: "incomplete" });
      expect(await ids(world)).toEqual([NEXT, ...before]);
    });

    test("who lives, is hosted, or has the last word stays", async () => {
      const world = await grown(setUp);
      const { store } = world;
      expect(await store.remove([LATER])).toEqual({ threadId: LATER, why: "lives" });
      await ends(world, LATER);
      expect(await store.remove([LATER])).toEqual({ threadId: LATER, why: "last" });
      await store.enroll({ host_id: "h", owner: "a", socket: null, scope: ID, beats: 0 }, "join");
      expect(await store.remove([ID, CHILD])).toMatchObject({ why: "hosted" });
      world.dead.add("a");
      expect(await store.remove([ID, CHILD])).toBeUndefined();
    });
  });
}
