// Chains in trees: who waits for one, what belongs to it, and what is asked of a thread that goes on in another (X2, X3).
import { expect, test } from "vitest";
import { callKey } from "../../src/core/id.ts";
import { toArray } from "../../src/core/log.ts";
import { handleOf } from "../../src/core/managed.ts";
import { readThread } from "../../src/testing/index.ts";
import { outputs, send, spawn } from "./family.ts";
import { call, ID, stage, types } from "./stage.ts";

const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 10 });
const work = (at: number, input: number) => ({
  ...{ says: `step ${at}`, calls: [call("send", { at })], usage: used(input) },
});
/** Two turns fill the window of 10,000. */
const filling = (from: number) => [work(from, 3_000), work(from + 1, 9_500)];
const notes = { steps: [{ says: "## Completed Work\nsome", usage: used(300) }] };
const model = { window: 10_000 };

type Staged = ReturnType<typeof stage>;
async function journals({ world }: Staged, directive = "story") {
  const rows = (await world.store.find({})).toReversed().filter((row) => row.directive === directive);
  return Promise.all(rows.map(async (row) => ({ row, ...(await readThread(world, row.thread_id)) })));
}
const count = (events: readonly { type: string }[], type: string) =>
  events.filter((event) => event.type === type).length;

test("a parent waits for a chain of three: one outcome, with all that it cost and its last words", async () => {
  const s = stage(
    [
      { calls: [spawn("worker", { wait: true })], usage: used(50) },
      { says: "done", usage: used(60) },
    ],
    [send],
    {},
    {
      ...{ model, limits: { spend: "9.00" } },
      children: {
        worker: {
          steps: [...filling(1), ...filling(3), { says: "the last words", usage: used(500) }],
          limits: { spend: "5.00" },
        },
        thread_summary: notes,
      },
    },
  );
  await s.play();
  const links = await journals(s, "worker");
  expect(links.map(({ row }) => [row.status, row.turns])).toEqual([
    ["continued", 2],
    ["continued", 4],
    ["completed", 5],
  ]);
  const [first, second, last] = links.map(({ row }) => row);
  expect([second?.continuation_of, last?.continuation_of]).toEqual([first?.thread_id, second?.thread_id]);
  expect(new Set(links.map(({ row }) => `${row.chain_root_id} ${row.run} ${row.nonce}`)).size).toBe(1);
  const parent = await s.events();
  const told = parent.filter(({ type }) => type === "child_thread_completed");
  const spent = (last?.spent ?? 0) + (last?.below ?? 0);
  expect(told).toMatchObject([
    { child_id: first?.thread_id, text: "the last words", cost: { turns: 5, spent } },
  ]);
  expect(outputs(parent, "thread_tool")).toMatchObject([
    {
      success: true,
      threads: { [first?.thread_id ?? ""]: { status: "completed", result: "the last words" } },
    },
  ]);
  expect(await s.row()).toMatchObject({ status: "completed", below: spent });
  // Sums are carried: what the first links spent counts once.
  expect(last?.spent).toBeGreaterThan(second?.spent ?? 0);
  expect(second?.spent).toBeGreaterThan(first?.spent ?? 0);
  const account = (await s.world.store.balance(ID))?.account;
  expect(account).toMatchObject({ spent: spent + ((await s.row()).spent ?? 0), held: 0, ended: true });
  expect(s.oracle.broken).toEqual([]);
});

test("a child that lives and a process that runs belong to the chain, and end with it", async () => {
  const begin = { action: "start", command: "npm", args: ["run", "dev"] };
  const sha256 = (text: string) => stage([]).world.sha256(text);
  const key = callKey({ chainRootId: ID, turn: 1, index: 0, input: begin }, sha256);
  const handle_id = handleOf({ chainRootId: ID }, key, sha256);
  const s = stage(
    [
      { calls: [call("managed_subprocess", begin), spawn("slow")], usage: used(3_000) },
      work(2, 9_500),
      { calls: [call("managed_subprocess", { action: "status", handle_id })], usage: used(500) },
      { says: "done", usage: used(600) },
    ],
    [send, { name: "wait", effect: "manual", rounds: 300 }],
    {},
    {
      ...{ model, limits: { spend: "9.00" } },
      children: {
        slow: { steps: [{ calls: [call("wait")] }, { says: "late" }], limits: { spend: "1.00" } },
        thread_summary: notes,
      },
    },
  );
  await s.play();
  const [first, second] = await journals(s);
  expect([first?.row.status, second?.row.status]).toEqual(["continued", "completed"]);
  expect(outputs(second?.events ?? [], "managed_subprocess")).toMatchObject([{ running: true }]);
  // The child was told of where the chain is now, and its end came before the chain's.
  expect(count(first?.events ?? [], "child_thread_completed")).toBe(1); // the notes
  const later = types(second?.events ?? []);
  expect(later.indexOf("child_thread_completed")).toBeGreaterThan(0);
  expect(later.indexOf("child_thread_completed")).toBeLessThan(later.indexOf("thread_completed"));
  expect(second?.events.filter(({ type }) => type === "process_stopped")).toMatchObject([{ handle_id }]);
  expect(count(first?.events ?? [], "process_stopped")).toBe(0);
  expect(later.indexOf("process_stopped")).toBeLessThan(later.indexOf("thread_completed"));
  expect((await journals(s, "slow")).map(({ row }) => row.status)).toEqual(["completed"]);
  expect(second?.thread.processes[handle_id]).toMatchObject({ ended: { why: "stopped" } });
});

const handedOn = (
  steps: Parameters<typeof stage>[0],
  hooks: NonNullable<Parameters<typeof stage>[3]>["hooks"] = [],
) =>
  stage(
    [...filling(1), ...steps],
    [send],
    {},
    { model, hooks, limits: { spend: "9.00" }, children: { thread_summary: notes } },
  );

test.each(["context_compaction_start", "child_thread_started", "child_thread_completed"] as const)(
  "cancelled by its id while it is handed on (at %s): everyone ends, and nobody goes on",
  async (moment) => {
    const s = handedOn([{ says: "never", hangs: true as const }]);
    const played = s.play();
    await s.seen(moment);
    expect(await s.ask({ kind: "cancel" })).toMatchObject({ accepted: true });
    await played;
    const rows = await s.world.store.find({});
    const own = rows.filter(({ directive }) => directive === "story");
    expect(own.filter(({ status }) => status !== "continued").map(({ status }) => status)).toEqual([
      "cancelled",
    ]);
    expect(rows.every(({ status }) => ["completed", "cancelled", "continued"].includes(status))).toBe(true);
    expect((await s.world.store.balance(ID))?.account).toMatchObject({ held: 0, ended: true });
  },
);

test("cancelled by the id it had before it was handed on", async () => {
  const s = handedOn([{ says: "never", hangs: true as const }]);
  const played = s.play();
  await s.seen("thread_continued");
  expect(await s.ask({ kind: "cancel", reason: "enough" })).toMatchObject({ accepted: true });
  await played;
  const [first, second, ...others] = await journals(s);
  expect(others).toEqual([]);
  expect([first?.row.status, second?.row.status]).toEqual(["continued", "cancelled"]);
  expect(second?.events.at(-1)).toMatchObject({ type: "thread_cancelled", reason: "enough" });
});

test.each(["context_compaction_start", "child_thread_started", "thread_continued"] as const)(
  "a message to that id (at %s) is read once, by whoever the chain is then",
  async (moment) => {
    const s = handedOn([work(3, 400), { says: "done", usage: used(500) }]);
    const played = s.play();
    await s.seen(moment);
    expect(await s.ask({ kind: "message", text: "mind the step" })).toMatchObject({ accepted: true });
    await played;
    const links = await journals(s);
    const head = links.at(-1);
    expect(head?.row.status).toBe("completed");
    const received = links.flatMap(({ events }) => events.filter(({ type }) => type === "message_received"));
    expect(received).toHaveLength(1);
    const said = toArray(head?.thread.messages as never) as { role: string; text?: string }[];
    expect(said.filter(({ text }) => text?.includes("mind the step"))).toHaveLength(1);
  },
);

test("hooks after a turn are asked once for it, also when it was the last before the hand-off", async () => {
  const turns: unknown[] = [];
  const says = (facts: Record<string, unknown>) => {
    if (facts["directive"] === "story") turns.push(facts["turn"]);
    return { action: "continue" as const };
  };
  const s = handedOn([work(3, 400), { says: "done", usage: used(500) }], [{ event: "after_step", says }]);
  await s.play();
  expect((await journals(s)).map(({ row }) => row.status)).toEqual(["continued", "completed"]);
  expect(turns).toEqual([1, 2, 3, 4]);
});

test("what cannot be made shorter is not handed on again and again", async () => {
  const full = [2, 3, 4, 5, 6].map((at) => work(at, 9_600));
  const s = handedOn([...full, { says: "done", usage: used(9_600) }]);
  await s.play();
  expect((await journals(s)).map(({ row }) => row.status)).toEqual(["continued", "completed"]);
});
