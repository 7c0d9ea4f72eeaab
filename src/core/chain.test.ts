import { describe, expect, test } from "vitest";
import { planBirth, planLink } from "./birth.ts";
import { handOff, reopen } from "./chain.ts";
import { logOf } from "./context-fold.ts";
import { newRow, type ThreadRow } from "./row.ts";
import { newThread, type Thread } from "./thread.ts";

const sha256 = (text: string) =>
  [...text]
    .reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 0xffffffff, 7)
    .toString(16)
    .padEnd(64, "0");
const thread: Thread = {
  ...newThread("work-1767225600-bbbbbb"),
  ...{
    chainRootId: "work-1767225600-aaaaaa",
    rootId: "boss-1767225600-cccccc",
    parentId: "boss-1767225600-cccccc",
  },
  ...{
    directive: "work",
    createdAt: "2026-01-01T00:00:00.000Z",
    run: 2,
    nonce: "n2",
    seq: 9,
    turns: 4,
    spent: 70,
  },
  ...{ limits: { spend: "1.00", turns: 9 }, outputs: { x: { type: "string" } as never }, onExit: "cancel" },
  ...logOf([{ role: "user", text: "Go." }]),
  children: { k: { id: "k", directive: "x", status: "completed", suspensions: 0, told: 0 } },
};
const handed = { conversation: [], summaryTokens: 12, trailing: 3, system: "rules", sha256 };
const asked = {
  nonce: "n3",
  message: "and now?",
  by: "ann",
  requestId: "r",
  system: "rules",
  sha256,
  asRoot: false,
};

describe("handed on", () => {
  test("it goes on in the same place, the same run and with the same account, at once", () => {
    const { birth, continued } = handOff(thread, { ...handed, why: "context" });
    const { chainRootId: chain_root_id, rootId: root_id, parentId: parent_id } = thread;
    expect(birth.events).toMatchObject([
      {
        type: "thread_created",
        chain_root_id,
        root_id,
        parent_id,
        run: 2,
        nonce: "n2",
        system: "rules",
        continuation_of: thread.id,
        on_exit: "cancel",
        outputs: thread.outputs,
      },
    ]);
    expect(birth.requests).toMatchObject([{ kind: "start", thread_id: birth.threadId }]);
    expect(birth.continues).toBeUndefined();
    expect(continued).toEqual({
      ...{
        type: "thread_continued",
        to: birth.threadId,
        why: "context",
        summary_tokens: 12,
        trailing_messages: 3,
      },
    });
  });

  test("what only its program has is said of the next one too", () => {
    const created = (brought: readonly string[]) =>
      handOff({ ...thread, brought }, { ...handed, why: "context" }).birth.events[0];
    expect(created(["gate"])).toMatchObject({ brought: ["gate"] });
    expect(created([])).not.toHaveProperty("brought");
  });

  test("planned again it is the same thread; another is continued by another", () => {
    const id = (of: Thread) => handOff(of, { ...handed, why: "overflow" }).birth.threadId;
    expect(id(thread)).toBe(id(thread));
    expect(id({ ...thread, id: "work-1767225600-dddddd" as never })).not.toBe(id(thread));
    expect(id(thread)).toMatch(/^work-1767225600-/);
  });

  test("what was revoked stays so", () => {
    const revoked = [{ right: "selvage.execute.tool.bash", by: "ann", from: thread.id }];
    const rights = { ...thread.rights, revoked };
    const [created] = handOff({ ...thread, rights }, { ...handed, why: "context" }).birth.events;
    expect(created).toMatchObject({ rights: { revoked } });
  });
});

describe("reopened", () => {
  test("it is a new run of the chain, with all that was said and what is said now", () => {
    const birth = reopen(thread, { ...asked, limits: { turns: 20 } });
    expect(birth.events).toMatchObject([
      {
        chain_root_id: thread.chainRootId,
        run: 3,
        nonce: "n3",
        limits: { spend: "1.00", turns: 20 },
        conversation: [{ text: "Go." }],
        carried: { spent: 70, turns: 4 },
      },
      { type: "cognition_in", source: "ann", text: "and now?" },
    ]);
    expect(birth.requests).toMatchObject([{ kind: "start", request_id: "r", by: "ann" }]);
    expect(birth.continues).toEqual({ threadId: thread.id, seq: 9, by: "ann" });
  });

  test("as a root it has an account, and a tree, of its own", () => {
    const { threadId, events } = reopen(thread, { ...asked, asRoot: true });
    expect(events[0]).toMatchObject({
      ...{ chain_root_id: threadId, root_id: threadId, parent_id: null, continuation_of: thread.id },
      carried: { spent: 0, children: {}, processes: {}, unbilled: [] },
    });
  });
});

describe("the other end of the link", () => {
  const facts = { now: Date.UTC(2026, 0, 2), sha256 };
  const outside = { epoch: 3, owner: null, strikes: [], corrupt: null, hash: "h" };
  const before: ThreadRow = {
    ...{ ...newRow(thread.id), ...outside, status: "completed", seq: 9, spent: 70, below: 5 },
    ...{ chain_root_id: thread.chainRootId, parent_id: thread.parentId, directive: "work" },
  };
  const birth = reopen(thread, asked);

  test("is written where it was left, and its parent is told that it lives again", () => {
    const link = planLink(birth, before, facts);
    if (!link || "refused" in link) throw new Error("refused");
    expect(link.row).toMatchObject({ status: "continued", continuation_thread_id: birth.threadId, seq: 10 });
    expect(link.stored).toHaveLength(1);
    expect(link.outcome).toMatchObject({
      ...{ kind: "outcome", thread_id: thread.parentId, by: thread.chainRootId },
      outcome: { type: "child_thread_resumed", child_id: thread.chainRootId, again: { spent: 75 } },
    });
    const root = planLink(birth, { ...before, parent_id: null }, facts);
    expect(root).toMatchObject({ outcome: undefined });
  });

  test.each<[string, ThreadRow | undefined]>([
    ["is gone", undefined],
    ["has moved on", { ...before, seq: 10 }],
    ["was continued by somebody else", { ...before, status: "continued", seq: 10 }],
    ["lives", { ...before, status: "suspended" }],
    ["is damaged", { ...before, corrupt: { last_good: 3, why: "w" } }],
  ])("is refused when the thread %s", (_, row) => {
    expect(planLink(birth, row, facts)).toEqual({ refused: "changed" });
  });

  test("there is none for a thread that goes on from nobody", () => {
    const { continues: _, ...plain } = birth;
    expect(planLink(plain, before, facts)).toBeUndefined();
  });

  test("a birth is its events, its row and what it asks for", () => {
    const { row, stored, timer, approvals, requests } = planBirth(birth, facts);
    expect(row).toMatchObject({
      thread_id: birth.threadId,
      seq: 2,
      owner: null,
      epoch: 0,
      spent: 70,
      turns: 4,
      status: "created",
    });
    expect([stored.length, timer, approvals, requests]).toEqual([2, undefined, [], birth.requests]);
  });
});
