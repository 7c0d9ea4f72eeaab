import fc from "fast-check";
import { expect, test } from "vitest";
import { answered, entered, type Gate, gateWait, left, openGate, refused } from "./gate.ts";

const enter = (gate: Gate, times: number) =>
  Array.from({ length: times }).reduce<Gate>((before) => entered(before), gate);

test("nothing is held while nobody was refused", () => {
  expect(gateWait(enter(openGate, 500), 0)).toBe(0);
});

const refuse = (gate: Gate, now: number, holdMs: number, enteredAt = now) =>
  refused(gate, { enteredAt, now, holdMs });

test("a refusal holds the next request until the reset; then one goes first, and more with every answer", () => {
  let gate = refuse(enter(openGate, 3), 10, 1_500, 0);
  gate = refuse(refuse(gate, 15, 1_500, 0), 20, 1_500, 0);
  expect(gateWait(gate, 20)).toBe(1_500);
  expect(gateWait(gate, 1_520)).toBe(0);
  gate = entered(gate);
  expect(gateWait(gate, 1_520)).toBe(Number.POSITIVE_INFINITY);
  gate = answered(gate, 1_520);
  gate = answered(entered(gate), 1_520);
  gate = enter(gate, 2);
  expect(gateWait(gate, 1_520)).toBe(Number.POSITIVE_INFINITY);
});

test("refusals of one burst count once; one after the hold halves what is allowed, which then grows slowly", () => {
  const calm: Gate = { limit: 16, threshold: Number.POSITIVE_INFINITY, underWay: 8, heldUntil: 0 };
  const first = refuse(calm, 100, 50);
  expect(first).toMatchObject({ limit: 8, threshold: 8, heldUntil: 150 });
  expect(refuse(first, 120, 50)).toMatchObject({ limit: 8, heldUntil: 170 });
  const grown = Array.from({ length: 8 }).reduce<Gate>((gate) => answered(entered(gate), 150), first);
  expect(grown.limit).toBeGreaterThan(8.9);
  expect(grown.limit).toBeLessThan(9.1);
});

test("what comes back late from before the hold neither opens the gate nor narrows it", () => {
  const held = refuse(enter(openGate, 100), 100, 1_000, 0);
  const late = Array.from({ length: 50 }).reduce<Gate>((gate) => answered(gate, 50), held);
  expect(late.limit).toBe(1);
  expect(refuse({ ...late, limit: 8 }, 5_000, 1_000, 50)).toMatchObject({ limit: 8, heldUntil: 6_000 });
});

test("a failure of another kind says nothing about limits", () => {
  expect(left(entered(openGate))).toEqual(openGate);
});

test("somebody may always go once the hold is over and nobody is under way; requests never go below none", () => {
  const step = fc.oneof(
    fc.constant("enter" as const),
    fc.constant("answer" as const),
    fc.constant("fail" as const),
    fc.integer({ min: 0, max: 5_000 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let gate: Gate = openGate;
      let now = 0;
      for (const each of steps) {
        now += 10;
        if (each === "enter") {
          if (gateWait(gate, now) === 0) gate = entered(gate);
        } else if (gate.underWay > 0) {
          gate =
            each === "answer" ? answered(gate, now) : each === "fail" ? left(gate) : refuse(gate, now, each);
        }
        expect(gate.underWay).toBeGreaterThanOrEqual(0);
        expect(gate.limit).toBeGreaterThanOrEqual(1);
      }
      const idle = { ...gate, underWay: 0 };
      expect(gateWait(idle, Math.max(now, gate.heldUntil))).toBe(0);
    }),
  );
});
