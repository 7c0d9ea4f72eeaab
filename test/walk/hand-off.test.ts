// A conversation that becomes too full: made shorter, handed on, and never lost (X1, X2, E6).
import { expect, test } from "vitest";
import { toArray } from "../../src/core/log.ts";
import { defaultSettings } from "../../src/core/settings.ts";
import { readThread } from "../../src/testing/index.ts";
import { send } from "./family.ts";
import { call, stage, types } from "./stage.ts";

const WINDOW = 10_000;
const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
const work = (at: number, input: number) => ({
  says: `step ${at}`,
  calls: [call("send", { at })],
  usage: used(input),
});
const NOTES = { steps: [{ says: "## Completed Work\nsteps one and two", usage: used(300) }] };

/** Three turns fill the window; the third is the last before it is handed on. */
const FULL = [work(1, 3_000), work(2, 6_000), work(3, 9_500), { says: "all done", usage: used(1_000) }];

function full(more: Parameters<typeof stage>[3] = {}, steps: Parameters<typeof stage>[0] = FULL) {
  return stage(
    steps,
    [send],
    {},
    {
      model: { window: WINDOW },
      children: { thread_summary: NOTES },
      limits: { spend: "1.00" },
      ...more,
    },
  );
}

async function chain(s: ReturnType<typeof stage>) {
  const rows = (await s.world.store.find({})).toReversed();
  const own = rows.filter(({ directive }) => directive !== "thread_summary");
  return Promise.all(own.map(async (row) => ({ row, ...(await readThread(s.world, row.thread_id)) })));
}

test("a full thread makes notes and goes on in another, with its account, its turns and its run", async () => {
  const s = full();
  await s.play();
  const [first, second, ...others] = await chain(s);
  expect(others).toEqual([]);
  expect(first?.row).toMatchObject({ status: "continued", continuation_thread_id: second?.row.thread_id });
  expect(second?.row).toMatchObject({
    status: "completed",
    continuation_of: first?.row.thread_id,
    chain_root_id: first?.row.thread_id,
    run: first?.row.run,
    nonce: first?.row.nonce,
    turns: 4,
  });
  expect(second?.thread.result).toBe("all done");
  expect(types(first?.events ?? []).slice(-5)).toEqual([
    "context_compaction_start",
    "child_thread_started",
    "child_thread_completed",
    "context_compaction_end",
    "thread_continued",
  ]);
  expect(first?.events.at(-1)).toMatchObject({ why: "context", trailing_messages: 6 });
  const said = second?.events[0];
  if (said?.type !== "thread_created") throw new Error("no beginning");
  expect(said.conversation?.map(({ role }) => role)).toEqual([
    ...["user", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "user"],
  ]);
  expect(JSON.stringify(said.conversation?.[1])).toContain("steps one and two");
  expect(s.oracle.broken).toEqual([]);
  // One account: what was spent in the first is spent in the second, with the notes below it.
  const statement = await s.world.store.balance(first?.row.thread_id ?? "");
  const spent = (second?.row.spent ?? 0) + (second?.row.below ?? 0);
  expect(statement?.account).toMatchObject({ spent, held: 0, ended: true });
  expect(second?.row.spent).toBeGreaterThan(first?.row.spent ?? 0);
});

test.each([
  ["fail", { steps: [{ fails: { status: 401, message: "no key" } }] }],
  [
    "need a person",
    {
      steps: [
        { says: "a", calls: [call("send")] },
        { says: "b", calls: [call("send")] },
      ],
      limits: { turns: 1, spend: "0.10" },
    },
  ],
])("notes that %s are done without", async (_, notes) => {
  const s = full({ children: { thread_summary: notes } });
  await s.play();
  const [first, second] = await chain(s);
  expect(first?.row.status).toBe("continued");
  expect(second?.row.status).toBe("completed");
  expect(toArray(second?.thread.messages as never).length).toBeGreaterThan(3);
  const rows = await s.world.store.find({});
  expect(rows.every(({ status }) => ["completed", "error", "cancelled", "continued"].includes(status))).toBe(
    true,
  );
});

test("without a directive for notes it is handed on all the same", async () => {
  const s = full({ children: {} });
  await s.play();
  expect((await chain(s)).map(({ row }) => row.status)).toEqual(["continued", "completed"]);
});

test("what the provider refuses as too long is handed on once, and then asked about", async () => {
  const tooLong = { fails: { status: 400, message: "prompt is too long", type: "invalid_request_error" } };
  const s = full({}, [work(1, 100), tooLong, { says: "fits now", usage: used(50) }]);
  await s.play();
  const [first, second] = await chain(s);
  expect([first?.row.status, second?.row.status]).toEqual(["continued", "completed"]);
  const again = full({}, [work(1, 100), tooLong, tooLong]);
  await again.play();
  const rows = await chain(again);
  expect(rows.map(({ row }) => row.status)).toEqual(["continued", "suspended"]);
  expect(rows[1]?.row.suspend_reason).toBe("error");
});

test("results that are long past go first, and the thread stays the same", async () => {
  const long = "x".repeat(3_000);
  const steps = [0, 1, 2, 3, 4].map((at) => ({
    says: `step ${at}`,
    calls: [call("send", { at, long })],
    usage: used(400 + at * 1_800),
  }));
  const s = stage(
    [...steps, { says: "done", usage: used(2_000) }],
    [send],
    {
      continuation: { ...defaultSettings.continuation, keep_output_tokens: 100 },
    },
    { model: { window: WINDOW }, children: {}, limits: {} },
  );
  await s.play();
  const rows = await chain(s);
  expect(rows.map(({ row }) => row.status)).toEqual(["completed"]);
  const end = rows[0]?.events.find(({ type }) => type === "context_compaction_end");
  expect(end).toMatchObject({ outputs_before_turn: expect.any(Number) });
});

test("a hook that is told of the pressure may make it shorter: people's words stay, once per crossing", async () => {
  const told: unknown[] = [];
  const hook = {
    event: "context_window_pressure" as const,
    says: (facts: Record<string, unknown>) => {
      told.push([facts["tokens_used"], facts["max_tokens"]]);
      return {
        action: "continue" as const,
        compaction: { summary: "one and two are done", pruneBeforeTurn: 3 },
      };
    },
  };
  const note = "x".repeat(1_500);
  const wordy = (at: number, input: number) => ({
    ...work(at, input),
    calls: [call("send", { at, note })],
  });
  const steps = [
    ...[wordy(1, 2_000), wordy(2, 3_500), wordy(3, 6_200), wordy(4, 3_500)],
    { says: "done", usage: used(3_100) },
  ];
  const s = full({ hooks: [hook] }, steps);
  await s.play();
  const [only, ...others] = await chain(s);
  expect(others).toEqual([]);
  expect(told).toHaveLength(1);
  expect(only?.row.status).toBe("completed");
  const messages = toArray(only?.thread.messages as never) as {
    role: string;
    turn?: number;
    text?: string;
  }[];
  expect(messages.map(({ role, turn }) => [role, turn])).toEqual([
    ["user", undefined],
    ["user", undefined],
    ...[3, 4].flatMap((turn) => [
      ["assistant", turn],
      ["tool", turn],
    ]),
    ["assistant", 5],
  ]);
  expect(messages[1]?.text).toContain("one and two are done");
  expect(only?.events.find(({ type }) => type === "context_compaction_end")).toMatchObject({
    prune_before_turn: 3,
  });
});

test("a request says what it shows of one result, where that is set", async () => {
  const shown = async (settings: Parameters<typeof stage>[2]) => {
    const s = stage([{ calls: [call("send")] }, { says: "done" }], [send], settings);
    await s.play();
    const steps = (await s.events()).filter((event) => event.type === "step_start");
    return { said: steps.map(({ result_chars }) => result_chars), thread: await s.thread() };
  };
  const few = await shown({ tool: { ...defaultSettings.tool, model_output_chars: 5 } });
  const usual = await shown({});
  expect([few.said, usual.said]).toEqual([
    [5, 5],
    [undefined, undefined],
  ]);
  // `send did {}` has eleven characters.
  expect(usual.thread.chars - few.thread.chars).toBe(6);
});
