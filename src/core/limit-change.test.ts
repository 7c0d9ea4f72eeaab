import { expect, test } from "vitest";
import type { Event } from "./event.ts";
import type { Limits } from "./limit.ts";
import { answerToBudget, changedLimits, limitHistory } from "./limit-change.ts";

const NOW = { turns: 25, spend: "0.80", tokens: 200_000 };

test.each([
  [{ set: { turns: 40 } }, { turns: 40 }],
  [{ add: { turns: 5, spend: "0.40" } }, { turns: 30, spend: "1.20" }],
  [
    { set: { spend: "2" }, add: { turns: 1 } },
    { spend: "2", turns: 26 },
  ],
  [{ set: { depth: 4 } }, { depth: 4 }],
  [{ add: { spend: "0.000000001" } }, { spend: "0.800000001" }],
  // What is the same already is no change, however it is written.
  [{ set: { spend: "0.8000", turns: 25 } }, {}],
  [{}, {}],
])("%j over what holds is %j", (change, limits) => {
  expect(changedLimits(NOW, change)).toEqual({ limits });
});

test.each([
  [{ set: { turms: 40 } }, "turns?"],
  [{ set: { turns: 0 } }, "above 0"],
  [{ set: { turns: 1.5 } }, "whole number"],
  [{ set: { spend: "-1" } }, "amount"],
  [{ set: { spend: "0" } }, "amount"],
  [{ set: { spend: "1e3" } }, "amount"],
  [{ set: { spend: "9999999999" } }, "amount"],
  // More than can be counted in nano-dollars would be counted as nothing.
  [{ set: { spend: "9007200" } }, "amount"],
  [{ add: { spend: "9007199" } }, "amount"],
  [{ add: { turns: Number.MAX_SAFE_INTEGER } }, "whole number"],
  [{ add: { depth: 1 } }, "no depth limit"],
  [{ set: { turns: 1 }, add: { turns: 1 } }, "at once"],
])("%j is refused", (change, why) => {
  expect(changedLimits(NOW, change)).toEqual({ problem: expect.stringContaining(why) });
});

test("the owner writes a change, or why there is none; what changes nothing is not written", () => {
  const asked = { kind: "budget" as const, request_id: "r", thread_id: "t", by: "me" };
  const thread = { limits: NOW };
  expect(answerToBudget(thread, { ...asked, add: { spend: "0.20" } })).toEqual([
    { type: "budget_changed", by: "me", request_id: "r", limits: { spend: "1.00" } },
  ]);
  expect(answerToBudget(thread, { ...asked, set: { turns: 25 } })).toEqual([]);
  expect(answerToBudget(thread, { ...asked, set: { turms: 1 } })).toEqual([
    {
      type: "budget_changed",
      by: "me",
      request_id: "r",
      limits: {},
      refused: expect.stringContaining("turns"),
    },
  ]);
});

test("the history of limits follows from the journal", () => {
  const at = (ts: string, event: object) => ({ v: 1, seq: 1, thread_id: "t", ts, ...event }) as Event;
  const changed = (ts: string, limits: Limits, more: object = {}) =>
    at(ts, { type: "budget_changed", by: "me", limits, ...more });
  expect(
    limitHistory([
      at("1", { type: "thread_created", limits: NOW }),
      changed("2", { spend: "1.20" }, { request_id: "r" }),
      changed("3", {}, { refused: "no" }),
      changed("4", { spend: "2", depth: 1 }),
    ]),
  ).toEqual([
    { at: "2", by: "me", from: { spend: "0.80" }, to: { spend: "1.20" }, refused: null, requestId: "r" },
    { at: "3", by: "me", from: {}, to: {}, refused: "no", requestId: null },
    {
      at: "4",
      by: "me",
      from: { spend: "1.20" },
      to: { spend: "2", depth: 1 },
      refused: null,
      requestId: null,
    },
  ]);
});
