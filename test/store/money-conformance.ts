/** The part of the suite for every store that is about money: what is asked, what is refused, what is corrected. */
import { describe, expect, test } from "vitest";
import type { Lease } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import type { Request } from "../../src/core/request.ts";
import { ledgerFindings } from "../../src/store/verify-ledger.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;
type World = Awaited<ReturnType<SetUp>>;

const PARENT = "work-1767225601-bbb111";
const CHILD = "work-1767225602-ccc222";

const opened = (account: string, n: number, amount: number): NewEvent => ({
  type: "step_start",
  turn: n,
  hold: { id: `${account}/${n}/1`, amount, input_tokens: 1, output_tokens: 1 },
});
const cutOff = (account: string, n: number, amount: number): NewEvent => ({
  type: "crash_recovered",
  decisions: [],
  model_call_again: true,
  bill: { hold: `${account}/${n}/1`, amount, estimated: true },
});
const capped = (spend: string): NewEvent => ({ type: "budget_changed", by: "p", limits: { spend } });
const correction = (account: string, n: number, was: number, amount: number): NewEvent => ({
  ...{ type: "charge_corrected", request_id: "s1", by: "p", hold: `${account}/${n}/1`, was, amount },
});

/** A thread with a cap, and one that it started. */
async function family({ store, claim }: World) {
  const parent = { ...createdAs(PARENT), limits: { spend: "1.00" } };
  await store.create({ threadId: PARENT, events: [parent], requests: [] });
  const child = { ...createdAs(CHILD), root_id: PARENT, parent_id: PARENT, limits: { spend: "0.40" } };
  await store.create({ threadId: CHILD, events: [child], requests: [] });
  const account = async (id: string) => (await store.balance(id))?.account;
  const row = async (id: string) => (await store.find({ threadId: id }))[0];
  const begin = async (id: string): Promise<Lease> => {
    const lease = await claim(`owner of ${id}`, id);
    await store.commit(lease, { events: [started] });
    return lease;
  };
  return { account, row, begin };
}

export function moneySuite(setUp: SetUp): void {
  describe("money", () => {
    test("who wants other limits, or knows what a request cost, is stored while the thread lives", async () => {
      const { store, claim } = await setUp();
      const asked = { thread_id: ID, by: "p" };
      const wanted: Request[] = [
        { ...asked, kind: "budget", request_id: "b1", set: { turns: 9 }, add: { spend: "0.50" } },
        { ...asked, kind: "settle", request_id: "s1", hold: `${ID}/1/1`, amount: 7 },
      ];
      expect(await store.post(wanted)).toMatchObject([{ accepted: true }, { accepted: true }]);
      expect(await store.openRequests(ID)).toEqual(wanted);
      const lease = await claim("a");
      await store.commit(lease, { events: [started], consumes: ["b1", "s1"] });
      expect(await store.openRequests(ID)).toEqual([]);
      await store.commit(lease, { events: [{ type: "thread_completed", text: "" }] });
      const late = wanted.map((each) => ({ ...each, request_id: `late ${each.kind}` }));
      expect(await store.post(late)).toEqual([
        { accepted: false, why: "it is completed" },
        { accepted: false, why: "it is completed" },
      ]);
    });

    test("a cap lands in registry and ledger together; below what is used it lands as a refusal, alone", async () => {
      const world = await setUp();
      const { store } = world;
      const { account, row, begin } = await family(world);
      const lease = await begin(PARENT);
      await store.commit(lease, { events: [capped("2.00")], tail: [opened(PARENT, 1, 300_000_000)] });
      expect(await row(PARENT)).toMatchObject({ limits: { spend: "2.00" }, held: 300_000_000 });
      // The request under way, and what the child may spend.
      expect(await account(PARENT)).toMatchObject({ cap: 2_000_000_000, held: 700_000_000 });
      const answer = await store.commit(lease, {
        events: [{ type: "message_received", request_id: "m", by: "p", text: "hi" }, capped("0.699999999")],
        tail: [opened(PARENT, 2, 1)],
      });
      expect(answer).toMatchObject({
        tailLanded: false,
        events: [
          { type: "message_received" },
          {
            type: "budget_changed",
            limits: {},
            refused: "a spend limit of $0.699999999 is below the $0.7000 that are spent and held",
          },
        ],
      });
      expect(answer).not.toHaveProperty("shortage");
      expect(await row(PARENT)).toMatchObject({ limits: { spend: "2.00" } });
      expect(await account(PARENT)).toMatchObject({ cap: 2_000_000_000, held: 700_000_000 });
      const { events, damage } = await store.load(PARENT);
      expect(damage).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ type: "budget_changed", refused: expect.any(String) });
      await store.commit(lease, { events: [capped("0.70")] });
      expect(await account(PARENT)).toMatchObject({ cap: 700_000_000 });
    });

    test("a child is raised out of its parent's free money, or not at all", async () => {
      const world = await setUp();
      const { store } = world;
      const { account, row, begin } = await family(world);
      const lease = await begin(CHILD);
      const refused = await store.commit(lease, { events: [capped("1.01")] });
      expect(refused).toMatchObject({
        events: [{ limits: {}, refused: `it needs $0.6100 more, and ${PARENT} has $0.6000 free` }],
      });
      expect(await row(CHILD)).toMatchObject({ limits: { spend: "0.40" } });
      await store.commit(lease, { events: [capped("1.00")] });
      expect(await row(CHILD)).toMatchObject({ limits: { spend: "1.00" } });
      expect(await account(PARENT)).toMatchObject({ held: 1_000_000_000, spent: 0 });
    });

    test("a correction reaches registry, ledger and every account above; after the end there is none", async () => {
      const world = await setUp();
      const { store, needs, opened: bench } = world;
      const { account, row, begin } = await family(world);
      const lease = await begin(CHILD);
      await store.commit(lease, { events: [], tail: [opened(CHILD, 1, 400_000_000)] });
      const early = await store.commit(lease, { events: [correction(CHILD, 1, 400_000_000, 1)] });
      expect(early).toMatchObject({ events: [{ refused: "the request is still under way" }] });
      await store.commit(lease, { events: [cutOff(CHILD, 1, 400_000_000)] });
      await store.commit(lease, { events: [correction(CHILD, 1, 400_000_000, 550_000_001)] });
      expect(await row(CHILD)).toMatchObject({ spent: 550_000_001, held: 0 });
      expect(await account(CHILD)).toMatchObject({ spent: 550_000_001, held: 0 });
      expect(await account(PARENT)).toMatchObject({ spent: 0, held: 550_000_001 });
      await store.commit(lease, { events: [correction(CHILD, 1, 550_000_001, 3)] });
      expect(await account(PARENT)).toMatchObject({ spent: 0, held: 400_000_000 });
      const more = await store.commit(lease, { events: [correction(CHILD, 1, 9, 3)] });
      expect(more).toMatchObject({ events: [{ refused: "it is no amount of money" }] });
      // What is still held when a thread ends is charged: nobody will say what it was.
      await store.commit(lease, { events: [], tail: [opened(CHILD, 2, 50)] });
      await store.commit(lease, { events: [{ type: "thread_cancelled", reason: "r", by: "t", report: [] }] });
      expect(await row(CHILD)).toMatchObject({ spent: 53, held: 0 });
      const again = bench.open(needs);
      expect((await again.balance(PARENT))?.account).toMatchObject({ spent: 53, held: 0 });
    });

    test("what the journal tells of caps and corrections is what the ledger has", async () => {
      const world = await setUp();
      const { store, claim } = world;
      const lease = await claim("a");
      await store.commit(lease, { events: [started, capped("1.00")], tail: [opened(ID, 1, 70)] });
      await store.commit(lease, {
        events: [cutOff(ID, 1, 70), correction(ID, 1, 70, 20), capped("0.000000001"), capped("0.50")],
      });
      const inspected = await store.inspect(ID);
      if (!inspected) throw new Error("no thread");
      const { row, loaded, statement } = inspected;
      expect(statement?.account).toMatchObject({ cap: 500_000_000, spent: 20, held: 0 });
      expect(row).toMatchObject({ limits: { spend: "0.50" }, spent: 20 });
      expect(ledgerFindings(row, loaded.events, statement)).toEqual([]);
      const without = loaded.events.filter((event) => event.type !== "charge_corrected");
      expect(ledgerFindings(row, without, statement)).toEqual([
        "the ledger says spent = 20, the journal says 70",
      ]);
    });
  });
}
