// Whatever is posted and committed in whatever order: a question has one decision ever, and its state is what the
// events tell. The store in memory and the one on disk agree on every answer.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { ApprovalRow, Decision } from "../../src/core/approval.ts";
import { BY_TIMEOUT } from "../../src/core/commit.ts";
import type { Event, NewEvent } from "../../src/core/event.ts";
import { suspend } from "../../src/core/question.ts";
import type { Request } from "../../src/core/request.ts";
import type { Store } from "../../src/core/store.ts";
import { sha256 } from "../../src/machine/index.ts";
import { memoryDisk, openMemoryStore } from "../../src/store/stores/memory.ts";
import type { StoreNeeds } from "../../src/store/stores/needs.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs, started } from "./bench.ts";

const folder = mkdtempSync(join(tmpdir(), "selvage-property-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let runs = 0;

const THREADS = ["work-1-aaaaaa", "work-1-bbbbbb"];

const thread = fc.constantFrom(0, 1);
/** Seldom: about another thread's question, or an older one, or one that is not there. */
const seldom = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
);
const person = fc.constantFrom("p", "q", "r");
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("ask" as const), thread }) },
  {
    weight: 9,
    arbitrary: fc.record({
      ...{
        type: fc.constant("post" as const),
        thread,
        foreign: seldom,
        age: seldom,
        person,
        approved: fc.boolean(),
      },
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("take" as const), thread, goesOn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("time_out" as const), thread }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("resume" as const), thread }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("message" as const), thread }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("cancel" as const), thread }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n" };
const cancelled: NewEvent = { type: "thread_cancelled", reason: "r", by: "t", report: [] };

test("one decision ever, and the state that the events tell", async () => {
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 5, maxLength: 40, size: "max" }),
    async (actions) => {
      runs += 1;
      let now = Date.UTC(2026, 0, 1);
      const clock = () => now;
      const needs: StoreNeeds = { now: clock, sha256, newId: () => "store", ownerState: () => "dead" };
      const path = join(folder, `${runs}.db`);
      const stores = [
        openMemoryStore(memoryDisk(), needs),
        openSqliteStore({ ...needs, path, durability: "relaxed" }),
      ];
      for (const store of stores) for (const id of THREADS) await begin(store, id);
      const known = new Map<string, Decision>();
      for (const [step, each] of actions.entries()) {
        now += 1_000;
        const answers = await Promise.all(stores.map((store) => act(store, each, step, now)));
        expect(answers[1]).toEqual(answers[0]);
        for (const store of stores) await judge(store, known);
        expect(await stores[1]?.approvals({})).toEqual(await stores[0]?.approvals({}));
      }
      for (const store of stores) await store.close();
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

async function begin(store: Store, id: string): Promise<void> {
  await store.create({ threadId: id, events: [createdAs(id)], requests: [] });
  await commit(store, id, [started]);
}

/** Takes the thread up, writes, and lets go of it. */
async function commit(store: Store, threadId: string, events: NewEvent[], consumes: string[] = []) {
  const [row] = await store.find({ threadId });
  const claimed = await store.claim({ threadId, owner: "a", seenEpoch: row?.epoch ?? -1 });
  if ("refused" in claimed) return claimed;
  const answer = await store.commit(claimed.lease, { events, consumes, release: true });
  return "refused" in answer ? answer : answer.events;
}

async function act(store: Store, each: Action, step: number, now: number): Promise<unknown> {
  const id = THREADS[each.thread] ?? "";
  const asked = async (of = id) => [...(await store.approvals({ threadId: of }))].reverse();
  const open = async () => (await asked()).find(({ state }) => state === "open")?.approval.approval_id;
  const decided = (approval_id: string, approved: boolean, by: string, via = "cli"): NewEvent => ({
    ...{ type: "approval_decided", approval_id, approved, by, via },
  });
  switch (each.type) {
    case "ask":
      return commit(store, id, question(id, step, now));
    case "post": {
      const of = each.foreign > 0 ? THREADS[1 - each.thread] : id;
      const found = (await asked(of))[each.age];
      const request: Request = {
        ...{
          kind: "decide",
          request_id: `d${step}`,
          thread_id: id,
          by: each.person,
          via: "cli",
          resume: true,
        },
        ...{ approval_id: found?.approval.approval_id ?? "ap_none", approved: each.approved },
      };
      return store.post([request]);
    }
    case "take": {
      const requests = await store.openRequests(id);
      const ids = requests.map((request) => request.request_id);
      const answer = requests.find((request) => request.kind === "decide");
      if (answer?.kind !== "decide" || answer.approval_id !== (await open()))
        return commit(store, id, [], ids);
      const event = decided(answer.approval_id, answer.approved, answer.by);
      const next = each.goesOn ? [resumed] : answer.approved ? [] : [cancelled];
      return commit(store, id, [event, ...next], ids);
    }
    case "time_out": {
      const late = await open();
      return late && commit(store, id, [decided(late, false, "nobody", BY_TIMEOUT), cancelled]);
    }
    case "resume":
      return commit(store, id, [resumed]);
    case "message":
      return store.post([{ kind: "message", request_id: `m${step}`, thread_id: id, by: "p", text: "hi" }]);
    case "cancel":
      return commit(store, id, [cancelled]);
  }
}

function question(id: string, step: number, now: number): NewEvent[] {
  const needs = {
    now,
    newApprovalId: () => `ap_${step}`,
    sha256,
    timeoutSeconds: 60,
    onTimeout: "deny" as const,
  };
  return suspend({ id, run: 1 }, { reason: "limit", message: "m", what: "w" }, needs);
}

async function judge(store: Store, known: Map<string, Decision>): Promise<void> {
  for (const row of await store.approvals({})) {
    const { approval_id } = row.approval;
    const before = known.get(approval_id);
    if (before) expect(row.decision).toEqual(before);
    if (row.decision) known.set(approval_id, row.decision);
    const { events } = await store.load(row.thread_id);
    expect([approval_id, row.state]).toEqual([approval_id, stateIn(events, approval_id)]);
    if (row.state === "decided") expect(row.decision).toBeDefined();
  }
}

/** The first thing that happens to a question after it was asked settles it; a decision told of it later still counts. */
function stateIn(events: readonly Event[], id: string): ApprovalRow["state"] {
  const at = events.findIndex((event) => event.type === "approval_requested" && event.approval_id === id);
  const later = events.slice(at + 1);
  if (later.some((event) => event.type === "approval_decided" && event.approval_id === id)) return "decided";
  const settling = [
    "approval_requested",
    "thread_resumed",
    "thread_completed",
    "thread_failed",
    "thread_cancelled",
  ];
  return later.some((event) => settling.includes(event.type)) ? "void" : "open";
}
