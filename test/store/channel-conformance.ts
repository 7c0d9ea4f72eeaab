/** The part of the suite for every store that is about channels (C9): what lands, and who is told. */
import { describe, expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { createdAs, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const [A, B, C] = ["work-1767225601-aaa111", "work-1767225602-bbb222", "work-1767225603-ccc333"];
const STRANGER = "work-1767225604-ddd444";

const joined = (n: number, members: readonly (readonly [string, number])[] = []): NewEvent => ({
  ...{ type: "channel_joined", call_id: "c", channel: "plan", mode: "round_robin", n },
  members: members.map(([id, last]) => ({ id, directive: "work", last })),
});
const posted = (n: number, text = `p${n}`): NewEvent => ({
  ...{ type: "channel_posted", call_id: "c", channel: "plan", n, text },
});
const left: NewEvent = { type: "channel_left", call_id: "c", channel: "plan" };

/** Three threads of one tree, and one of another. */
async function peopled(setUp: SetUp): Promise<World> {
  const world = await setUp();
  for (const id of [A, B, C, STRANGER]) {
    const born = { ...createdAs(id), root_id: id === STRANGER ? id : A };
    await world.store.create({ threadId: id, events: [born], requests: [] });
    await world.store.commit(await world.claim("a", id), { events: [started], release: true });
  }
  return world;
}

async function says(world: World, id: string, event: NewEvent): Promise<boolean> {
  const lease = await world.claim("a", id);
  const answer = await world.store.commit(lease, { events: [], tail: [event] });
  await world.store.commit(lease, { events: [], release: true });
  if ("refused" in answer) throw new Error(answer.refused);
  return answer.tailLanded;
}

const heard = async ({ store }: World, id: string) =>
  (await store.openRequests(id)).flatMap((each) =>
    each.kind === "outcome" && each.outcome.type === "channel_heard"
      ? [`${each.outcome.what} ${each.outcome.n} ${each.outcome.text ?? ""}`.trim()]
      : [],
  );

export function channelSuite(setUp: SetUp): void {
  describe("channels (C9)", () => {
    test("who comes knows who is there; the others are told, and nobody of another tree", async () => {
      const world = await peopled(setUp);
      expect(await says(world, A, joined(1))).toBe(true);
      expect(await says(world, STRANGER, joined(1))).toBe(true);
      expect(await says(world, B, joined(2))).toBe(false);
      expect(await says(world, B, joined(1, [[A, 1]]))).toBe(false);
      expect(await says(world, B, joined(2, [[A, 1]]))).toBe(true);
      expect(await heard(world, A)).toEqual(["joined 2"]);
      expect(await heard(world, STRANGER)).toEqual([]);
      expect(await heard(world, B)).toEqual([]);
    });

    test("a post lands in its turn, with its number, and reaches everybody else once", async () => {
      const world = await peopled(setUp);
      await says(world, A, joined(1));
      await says(world, B, joined(2, [[A, 1]]));
      await says(
        world,
        C,
        joined(3, [
          [A, 1],
          [B, 2],
        ]),
      );
      expect(await says(world, B, posted(4))).toBe(false);
      expect(await says(world, A, posted(3))).toBe(false);
      expect(await says(world, A, posted(5))).toBe(false);
      expect(await says(world, A, posted(4))).toBe(true);
      expect(await says(world, A, posted(5))).toBe(false);
      expect(await says(world, B, posted(5))).toBe(true);
      expect(await heard(world, A)).toEqual(["joined 2", "joined 3", "posted 5 p5"]);
      expect(await heard(world, B)).toEqual(["joined 3", "posted 4 p4"]);
      expect(await heard(world, C)).toEqual(["posted 4 p4", "posted 5 p5"]);
    });

    test.each<[string, NewEvent, string]>([
      ["leaves", left, "left 2"],
      ["completes", { type: "thread_completed", text: "" }, "ended 2"],
      ["fails", { type: "thread_failed", code: "E", message: "no" }, "ended 2"],
      ["is cancelled", { type: "thread_cancelled", reason: "r", by: "p", report: [] }, "ended 2"],
    ])("who %s is passed over, and the others are told", async (_, event, told) => {
      const world = await peopled(setUp);
      await says(world, A, joined(1));
      await says(world, B, joined(2, [[A, 1]]));
      const lease = await world.claim("a", A);
      const consumes = (await world.store.openRequests(A)).map(({ request_id }) => request_id);
      await world.store.commit(lease, { events: [event], consumes, release: true });
      expect(await heard(world, B)).toEqual([told]);
      // Nobody is left to hear it, but it is B's turn.
      expect(await says(world, B, posted(3))).toBe(true);
      expect(await heard(world, A)).toEqual([]);
      expect(await says(world, C, joined(4, [[B, 3]]))).toBe(true);
    });

    test("a number is not given twice, and the line is what the journal says", async () => {
      const world = await peopled(setUp);
      await says(world, A, joined(1));
      await says(world, A, left);
      expect(await says(world, B, joined(1))).toBe(false);
      expect(await says(world, B, joined(2))).toBe(true);
      const [row] = await world.store.find({ threadId: A });
      expect(row?.channels).toEqual([{ name: "plan", mode: "round_robin", last: 1, left: true }]);
      const again = world.opened.open(world.needs);
      expect((await again.find({ threadId: B }))[0]?.channels).toEqual([
        { name: "plan", mode: "round_robin", last: 2 },
      ]);
      await again.close();
    });

    test("one that does not land takes nothing of its call with it, and leaves the rest", async () => {
      const world = await peopled(setUp);
      const lease = await world.claim("a", A);
      const message: NewEvent = { type: "message_received", request_id: "m", by: "me", text: "hi" };
      const answer = await world.store.commit(lease, { events: [message], tail: [posted(1)] });
      expect(answer).toMatchObject({ tailLanded: false, events: [{ type: "message_received" }] });
    });
  });
}
