import { describe, expect, test } from "vitest";
import { subtreeOf, treeOf } from "./cost-tree.ts";
import { addCharge, type Charge, type ChargeKind, costsOf, noCost, turnsLeft } from "./costs.ts";
import type { Event, NewEvent } from "./event.ts";
import { newRow, reduceRow } from "./row.ts";
import { foldThread } from "./thread.ts";

const created: NewEvent = {
  ...{
    type: "thread_created",
    directive: "work",
    inputs: {},
    model: "a/small",
    system: "",
    tools: [],
    limits: {},
  },
  ...{ chain_root_id: "t", root_id: "t", parent_id: null, run: 1, nonce: "n" },
};
const hold = (n: number, amount: number, turn = n): NewEvent => ({
  type: "step_start",
  turn,
  hold: { id: `t/${n}`, amount, input_tokens: 1, output_tokens: 1 },
});
const bill = (n: number, amount: number, estimated?: true) => ({
  bill: { hold: `t/${n}`, amount, ...(estimated ? { estimated } : {}) },
});
const answer = (turn: number, more: object = {}): NewEvent => ({
  ...{ type: "cognition_out", turn, attempt: 1, content: [], stop: "end", truncated: false },
  usage: { input: 10, cache_read: 3, cache_write: 2, output: 5 },
  ...more,
});
const failed = (turn: number, more: object = {}): NewEvent => ({
  ...{
    type: "error_classified",
    turn,
    attempt: 1,
    category: "transient",
    rule: "r",
    error: "e",
    model: "a/small",
  },
  ...more,
});
const recovered = (more: object = {}): NewEvent => ({
  ...{ type: "crash_recovered", decisions: [], model_call_again: true },
  ...more,
});
const switched: NewEvent = {
  ...{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 0, errorMessage: "e", wakeAt: "" },
  target: { model: "b/large", key: 0 },
};
const cancelled: NewEvent = { type: "thread_cancelled", reason: "r", by: "p", report: [] };
const correct = (n: number, was: number, amount: number, more: object = {}): NewEvent => ({
  ...{ type: "charge_corrected", request_id: "r", by: "p", hold: `t/${n}`, was, amount },
  ...more,
});

/** One event a day: what is charged when can be told. */
const placed = (events: readonly NewEvent[]) =>
  [created, ...events].map(
    (event, at) =>
      ({
        v: 1,
        seq: at + 1,
        ts: `2026-01-${String(at + 1).padStart(2, "0")}T00:00:00.000Z`,
        thread_id: "t",
        ...event,
      }) as Event,
  );

type Told = [amount: number | null, kind: ChargeKind, model: string, day: number];
const table: [string, NewEvent[], Told[], number][] = [
  ["nothing", [], [], 0],
  ["a request under way", [hold(1, 70)], [], 70],
  ["an answer and its bill", [hold(1, 70), answer(1, bill(1, 30))], [[30, "billed", "a/small", 3]], 0],
  ["an answer that nobody priced", [answer(1)], [[null, "billed", "a/small", 2]], 0],
  ["an answer that cost nothing", [hold(1, 0), answer(1, bill(1, 0))], [[0, "billed", "a/small", 3]], 0],
  [
    "a failure that was heard in part",
    [hold(1, 70), failed(1, bill(1, 9, true))],
    [[9, "estimated", "a/small", 3]],
    0,
  ],
  ["a failure without a hold", [failed(1)], [], 0],
  [
    "a request cut off by a crash",
    [hold(1, 70), recovered(bill(1, 70, true))],
    [[70, "cut_off", "a/small", 3]],
    0,
  ],
  ["a recovery that cut no request off", [recovered()], [], 0],
  [
    "an answer cut off after a tool had started",
    [hold(1, 70), answer(1, { stop: "cut", ...bill(1, 70, true) })],
    [[70, "cut_off", "a/small", 3]],
    0,
  ],
  [
    "a whole answer whose usage nobody told",
    [hold(1, 70), answer(1, bill(1, 70, true))],
    [[70, "estimated", "a/small", 3]],
    0,
  ],
  [
    "another model after a failure",
    [
      hold(1, 70),
      failed(1, bill(1, 0)),
      switched,
      hold(2, 90, 1),
      answer(1, { model: "b/large", ...bill(2, 80) }),
    ],
    [
      [0, "billed", "a/small", 3],
      [80, "billed", "b/large", 6],
    ],
    0,
  ],
  [
    "a crash after the model was switched",
    [hold(1, 70), failed(1, bill(1, 0)), switched, hold(2, 90, 1), recovered(bill(2, 90, true))],
    [
      [0, "billed", "a/small", 3],
      [90, "cut_off", "b/large", 6],
    ],
    0,
  ],
  ["an end over a request under way", [hold(1, 70), cancelled], [[70, "cut_off", "a/small", 3]], 0],
  [
    "an end after the bill",
    [hold(1, 70), answer(1, bill(1, 30)), cancelled],
    [[30, "billed", "a/small", 3]],
    0,
  ],
  [
    "a correction: on the day of its request, not of the saying",
    [hold(1, 70), recovered(bill(1, 70, true)), correct(1, 70, 4), correct(1, 4, 200)],
    [[200, "cut_off", "a/small", 3]],
    0,
  ],
  [
    "a correction that was refused",
    [hold(1, 70), recovered(bill(1, 70, true)), correct(1, 70, 4, { refused: "no" })],
    [[70, "cut_off", "a/small", 3]],
    0,
  ],
];

describe("what a thread was charged for", () => {
  test.each(table)("%s", (_, given, told, open) => {
    const events = placed(given);
    const costs = costsOf(events);
    const seen = costs.charges.map(({ amount, kind, model, at }) => [
      amount,
      kind,
      model,
      Number(at.slice(8, 10)),
    ]);
    expect(seen).toEqual(told);
    expect(costs.open?.amount ?? 0).toBe(open);
    // The three folds tell the same.
    const total = costs.charges.reduce(addCharge, noCost);
    const row = events.reduce((fold, event) => reduceRow(fold, event), newRow("t"));
    expect([row.spent, row.held]).toEqual([total.amount, open]);
    expect(foldThread("t", events).spent).toBe(total.amount);
    expect([row.input_tokens, row.output_tokens]).toEqual([total.inputTokens, total.outputTokens]);
  });

  test("sums tell guesses, and what a person looked up is none", () => {
    const { charges } = costsOf(
      placed([
        ...[hold(1, 70), recovered(bill(1, 70, true)), hold(2, 70), recovered(bill(2, 70, true))],
        ...[hold(3, 70), answer(1, bill(3, 11, true)), answer(2), correct(2, 70, 5)],
      ]),
    );
    expect(charges.reduce(addCharge, noCost)).toEqual({
      ...{ amount: 86, calls: 4, inputTokens: 30, outputTokens: 10 },
      ...{ unpricedTokens: 20, cutOff: 1, estimated: 1 },
    });
  });
});

describe("how long the money lasts", () => {
  const spent = (...amounts: (number | null)[]) =>
    amounts.map((amount, at) => ({ turn: at + 1, amount }) as Charge);
  test.each<[string, Charge[], number, number | undefined]>([
    ["four turns tell nothing", spent(10, 10, 10, 10), 100, undefined],
    ["five do", spent(10, 10, 10, 10, 10), 105, 10],
    ["the last five count, and the middle of them", spent(900, 900, 1, 50, 10, 1_000, 10), 100, 10],
    ["a turn is all of its requests", [...spent(5, 5, 5, 5, 5), ...spent(5, 5, 5, 5, 5)], 100, 10],
    ["free of charge lasts for ever, which is no number", spent(0, 0, 0, 0, 0), 100, undefined],
    ["what nobody priced cannot be told", spent(9, 9, null, 9, 9, 9, 9, 9), 100, undefined],
    ["nothing left", spent(10, 10, 10, 10, 10), -3, 0],
  ])("%s", (_, charges, free, turns) => {
    expect(turnsLeft(charges, free)?.turns).toBe(turns);
  });
});

describe("trees", () => {
  // Newest first, as the registry has them.
  const rows = (
    [
      ["lone", null, 1],
      ["c2", "root", 20],
      ["g1", "c1", 300],
      ["c1", "root", 4_000],
      ["stray", "gone", 50_000],
      ["root", null, 600_000],
    ] as const
  ).map(([chain_root_id, parent_id, own]) => ({ chain_root_id, parent_id, own }));

  test("each stands below its parent, with all that its descendants cost", () => {
    const lines = treeOf(rows, ({ own }) => own);
    expect(
      lines.map(({ member, depth, below, descendants }) => [member.chain_root_id, depth, below, descendants]),
    ).toEqual([
      ["lone", 0, 0, 0],
      ["stray", 0, 0, 0],
      ["root", 0, 4_320, 3],
      ["c1", 1, 300, 1],
      ["g1", 2, 0, 0],
      ["c2", 1, 0, 0],
    ]);
  });

  test("a part of a tree", () => {
    expect(subtreeOf(rows, "c1").map(({ chain_root_id }) => chain_root_id)).toEqual(["g1", "c1"]);
    expect(subtreeOf(rows, "root").map(({ chain_root_id }) => chain_root_id)).toEqual([
      "c2",
      "g1",
      "c1",
      "root",
    ]);
    expect(subtreeOf(rows, "nobody")).toEqual([]);
  });

  test("fifty thousand in one line of descent take no longer than they must", () => {
    const count = 50_000;
    const deep = Array.from({ length: count }, (_, at) => ({
      chain_root_id: `t${count - at - 1}`,
      parent_id: at === count - 1 ? null : `t${count - at - 2}`,
    }));
    const [top] = treeOf(deep, () => 1);
    expect(top).toMatchObject({ below: count - 1, descendants: count - 1 });
  });
});
