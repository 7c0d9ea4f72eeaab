import { expect, test } from "vitest";
import type { Problem } from "../../core/problem.ts";
import { newThread, type Thread } from "../../core/thread.ts";
import { changeText, limitText, usedText } from "./limit-text.ts";
import { limitsOver, limitsSet, stillBreached } from "./limits-given.ts";

const NOW = { turns: 25, spend: "0.80", tokens: 200_000 };

test("--set is the new limit, --add comes on top of the old one, to the last digit", () => {
  expect(limitsOver(NOW, { set: ["turns=40"], add: ["spend=0.40"] })).toEqual({ turns: 40, spend: "1.20" });
  expect(limitsOver(NOW, { add: ["turns=5", "tokens=1"] })).toEqual({ turns: 30, tokens: 200_001 });
  expect(limitsOver({ spend: "0.1" }, { add: ["spend=0.2"] })).toEqual({ spend: "0.30" });
  expect(limitsOver({ spend: "9007198" }, { add: ["spend=0.000000001"] })).toEqual({
    spend: "9007198.000000001",
  });
  expect(limitsOver(NOW, {})).toEqual({});
});

test.each([
  [{ set: ["turn=3"] }, "Did you mean turns?"],
  [{ set: ["turns"] }, "name=value"],
  [{ set: ["=3"] }, "name=value"],
  [{ set: ["turns=0"] }, "whole number above 0"],
  [{ set: ["turns=-3"] }, "whole number above 0"],
  [{ set: ["turns=1e3"] }, "whole number above 0"],
  [{ set: ["spend=free"] }, "an amount"],
  [{ set: ["turns=3", "turns=4"] }, "given twice"],
  [{ set: ["turns=3"], add: ["turns=4"] }, "as well"],
  [{ add: ["spawns=4"] }, "no spawns limit"],
  [{ set: ["__proto__=4"] }, "no limit"],
])("%j is refused: %s", (given, why) => {
  const thrown = (() => {
    try {
      return limitsOver(NOW, given);
    } catch (error) {
      return error as Problem;
    }
  })();
  expect(thrown).toMatchObject({ code: "E_USAGE" });
  expect((thrown as Problem).why?.toLowerCase()).toContain(why.toLowerCase());
  expect((thrown as Problem).next).not.toEqual([]);
});

test("a raise that leaves the thread where it is does not lift anything", () => {
  const thread: Thread = {
    ...newThread("t"),
    turns: 5,
    limits: { turns: 5, tokens: 100 },
    contextTokens: 90,
  };
  expect(stillBreached(thread, { turns: 5 }, "turns")).toMatchObject({ key: "turns", current: 5, max: 5 });
  expect(stillBreached(thread, { turns: 6 }, "turns")).toBeUndefined();
  expect(stillBreached(thread, { tokens: 1_000 }, "turns")).toMatchObject({ key: "turns" });
  // What goes out with the next turn counts already.
  expect(stillBreached(thread, { turns: 6, tokens: 90 }, "turns")).toMatchObject({ key: "tokens" });
});

test("limits are read with their units", () => {
  expect(changeText(NOW, limitsSet(["turns=50", "spend=1.20"]))).toBe("turns 25 → 50, spend $0.80 → $1.20");
  expect(limitText("duration", 1_800)).toBe("1,800 s");
  expect([usedText(8, 25), usedText(8, undefined)]).toEqual(["8/25", "8"]);
});
