/** Looks at all threads at once: who stirs, what they are called, how many there are. */
import { expect, test } from "vitest";
import { isStirring } from "../../src/core/claim.ts";
import type { NewEvent } from "../../src/core/event.ts";
import type { ThreadQuery } from "../../src/core/store.ts";
import { createdAs, ID, type openBench, started } from "./bench.ts";

type SetUp = () => ReturnType<typeof openBench>;

const person = { kind: "person", what: "w", who: "p", how: "h" } as const;
const suspended: NewEvent = { type: "thread_suspended", reason: "error", message: "no", waits_for: person };
const completed: NewEvent = { type: "thread_completed", text: "done" };
const dated = (until: number): NewEvent => ({
  ...{ type: "thread_suspended", reason: "error", message: "no" },
  waits_for: { ...person, until: new Date(until).toISOString(), follows: "resume" },
});
const retrying = (wakeAt: number): NewEvent => ({
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 3,
  delayMs: 5,
  errorMessage: "x",
  wakeAt: new Date(wakeAt).toISOString(),
});

export function registrySuite(setUp: SetUp): void {
  const filled = async () => {
    const world = await setUp();
    const { store, needs, claim } = world;
    const soon = needs.now() + 1_000;
    const later = needs.now() + 1_000_000;
    const make = async (name: string, ...events: NewEvent[]) => {
      await store.create({ threadId: name, events: [createdAs(name), ...events], requests: [] });
    };
    await make("still", started, suspended);
    await make("ended", started, completed);
    await make("unparked", started);
    await make("owned", started, suspended);
    await claim("a", "owned");
    await make("asked", started, suspended);
    await store.post([{ kind: "message", request_id: "m", thread_id: "asked", by: "t", text: "hi" }]);
    await make("soon", started, dated(soon));
    await make("later", started, dated(later));
    await make("retries", started, retrying(later));
    return { ...world, until: soon };
  };

  test("those that stir are found without those that stand still", async () => {
    const { store, until } = await filled();
    const found = await store.stirring("*", until);
    expect(found.map(({ row }) => row.thread_id).sort()).toEqual(
      ["asked", "owned", "retries", "soon", "unparked"].sort(),
    );
    const all = await store.candidates("*");
    expect(all).toHaveLength(8);
    const rule = all.filter((each) => isStirring(each, until));
    const byName = (list: typeof all) =>
      [...list].sort((left, right) => (left.row.thread_id < right.row.thread_id ? -1 : 1));
    expect(byName(found)).toEqual(byName(rule));
    expect(await store.stirring("soon", until)).toMatchObject([
      { row: { thread_id: "soon" }, timerDue: until },
    ]);
    expect(await store.stirring("still", until)).toEqual([]);
  });

  test("names are those of everybody who has not ended", async () => {
    const { store } = await filled();
    const named = (scope: string, from = 0, limit = 100) => store.names(scope, { from, limit });
    const names = (await named("*")).map(({ thread_id }) => thread_id);
    expect(names.toSorted()).toEqual(
      [ID, "asked", "later", "owned", "retries", "soon", "still", "unparked"].sort(),
    );
    const slices = [...(await named("*", 0, 3)), ...(await named("*", 3, 5)), ...(await named("*", 8))];
    expect(slices.map(({ thread_id }) => thread_id)).toEqual(names);
    expect(await named("still")).toMatchObject([
      { thread_id: "still", chain_root_id: "still", root_id: "still", continuation_of: null },
    ]);
    expect(await named("ended")).toEqual([]);
  });

  test("threads are counted by status, and none is left out", async () => {
    const { store } = await filled();
    expect(await store.tally()).toEqual({
      ...{ created: 1, running: 2, suspended: 5, completed: 1, error: 0, cancelled: 0, continued: 0 },
    });
  });

  test("rows are chosen by time and by words, and come in the order that is asked for", async () => {
    const { store, tick, needs, claim } = await setUp();
    const make = async (name: string, turns: number) => {
      tick(10);
      await store.create({ threadId: name, events: [createdAs(name), started], requests: [] });
      const lease = await claim("a", name);
      const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 };
      for (let turn = 1; turn <= turns; turn += 1)
        await store.commit(lease, {
          events: [
            { type: "step_start", turn },
            { type: "cognition_out", turn, attempt: 1, content: [], stop: "s", truncated: false, usage },
            { type: "step_finish", turn, duration_ms: 1 },
          ],
        });
    };
    await make("one_1", 3);
    await make("two%2", 1);
    const since = new Date(needs.now()).toISOString();
    const ids = async (query: ThreadQuery) => (await store.find(query)).map(({ thread_id }) => thread_id);
    expect(await ids({ order: "turns" })).toEqual(["one_1", "two%2", ID]);
    expect(await ids({ order: "age" })).toEqual(["two%2", "one_1", ID]);
    expect(await ids({ order: "spend", limit: 2 })).toEqual(["two%2", "one_1"]);
    expect(await ids({ since })).toEqual(["two%2"]);
    expect(await ids({ words: ["_", "%"] })).toEqual(["two%2", "one_1"]);
    expect(await ids({ words: [] })).toEqual([]);
  });
}
