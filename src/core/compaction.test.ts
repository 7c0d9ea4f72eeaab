import { describe, expect, test } from "vitest";
import { compactionEnd, notShorter, turnToKeepFrom, withoutOldOutputs } from "./compaction.ts";
import { logOf } from "./context-fold.ts";
import type { CallId } from "./id.ts";
import type { Message } from "./message.ts";
import { newThread, type Thread } from "./thread.ts";

/** Three turns whose results have so many characters; a token each. */
function talking(outputs: readonly number[], more: Partial<Thread> = {}): Thread {
  const messages = outputs.flatMap((chars, at): Message[] => {
    const call_id = `c${at}` as CallId;
    return [
      { role: "assistant", blocks: [{ type: "call", call_id, tool: "t", input: 1 }], turn: at + 1 },
      {
        role: "tool",
        results: [{ call_id, tool: "t", status: "ok", output: "x".repeat(chars) }],
        turn: at + 1,
      },
    ];
  });
  const log = logOf([{ role: "user", text: "the task" }, ...messages]);
  const measure = { model: "m", chars: log.chars, tokens: log.chars, density: 1 };
  return { ...newThread("t"), ...log, measure, turns: outputs.length, ...more };
}

describe("what comes of a patch", () => {
  test("is told with what was in use before and after", () => {
    const thread = talking([500, 400]);
    expect(compactionEnd(thread, { outputsBeforeTurn: 2 })).toEqual({
      type: "context_compaction_end",
      tokens_before: thread.chars,
      tokens_after: thread.chars - 500 + "[500 characters of output, left out to save room]".length,
      outputs_before_turn: 2,
    });
    const noted = compactionEnd(thread, { summary: "s", pruneBeforeTurn: 2 });
    expect(noted).toMatchObject({ summary: "s", prune_before_turn: 2 });
    expect(noted.tokens_after).toBeLessThan(noted.tokens_before);
  });

  test.each([
    ["nothing goes", { pruneBeforeTurn: 0 }],
    ["notes are longer than what they stand for", { summary: "s".repeat(2_000), pruneBeforeTurn: 3 }],
    ["there is no such turn", { summary: "s", pruneBeforeTurn: 0 }],
  ])("that makes nothing shorter is nothing: %s", (_, patch) => {
    const thread = talking([500, 400]);
    const why = "it would not have become shorter";
    expect(compactionEnd(thread, patch)).toEqual(notShorter(thread.chars, why));
    expect(notShorter(7, why)).toMatchObject({ tokens_before: 7, tokens_after: 7, failed: why });
  });
});

describe("results that are long past", () => {
  const pressure = { tokens: 3_000, window: 3_000, ratio: 1 };
  test.each<[string, Thread, number, number | undefined]>([
    ["go, where the last ones stay", talking([1_000, 1_000, 1_000]), 900, 3],
    ["stay as far as they are to", talking([1_000, 1_000, 1_000]), 1_500, 2],
    ["stay, where all are new", talking([1_000, 1_000, 1_000]), 9_000, undefined],
    ["stay, where it frees too little", talking([300, 1_000, 1_000]), 1_500, undefined],
    [
      "stay, where that was done",
      talking([1_000, 1_000, 1_000], { compacted: { turn: 2, tokens: 2_900 } }),
      900,
      undefined,
    ],
  ])("%s", (_, thread, keep, before) => {
    const events = withoutOldOutputs(thread, pressure, keep);
    if (before === undefined) expect(events).toBeUndefined();
    else
      expect(events).toMatchObject([
        { type: "context_compaction_start", why: "pressure", tokens: 3_000 },
        { type: "context_compaction_end", outputs_before_turn: before },
      ]);
  });
});

test.each([
  [10_000, undefined],
  [2_020, 2],
  // The result alone would fit: without its call it is nothing.
  [2_003, 3],
  [1_010, 3],
  [100, 4],
])("within %i tokens it is kept from turn %s", (tokens, from) => {
  expect(turnToKeepFrom(talking([1_000, 1_000, 1_000]), tokens)).toBe(from);
});
