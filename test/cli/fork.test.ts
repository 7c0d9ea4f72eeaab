// `fork`: a new thread from a turn of another, whatever became of that one.
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";

const WORK = `- { says: first, calls: [{ tool: ls, input: {} }] }
- { says: second, calls: [{ tool: ls, input: {} }] }
- says: third
- says: fourth
`;

let place: Place;
beforeEach(async () => {
  place = new Place(scripted("work", WORK));
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const journal = async (id: string) => (await place.run(["logs", id, "--jsonl"])).stdout;

test("a fork runs here, and show tells where it came from", async () => {
  const { thread_id: id } = (await place.json("run", "work")).data;
  const before = await journal(id);
  const forked = await place.json("fork", id, "--turn", "1", "-m", "another way", "--set", "spend=0.50");
  expect(forked).toMatchObject({
    exit: 0,
    kind: "thread.result",
    data: {
      status: "completed",
      parent_id: null,
      forked_from: { thread_id: id, turn: 1 },
      limits: { spend: "0.50" },
      result: { text: "third" },
    },
  });
  expect(forked.data.thread_id).not.toBe(id);
  expect(forked.data.root_id).toBe(forked.data.thread_id);
  expect(await place.ok("show", forked.data.thread_id)).toContain(`from ${id} after turn 1`);
  expect(await journal(id)).toBe(before);
  expect((await place.json("show", id)).data.forked_from).toBeNull();
  expect((await place.json("verify")).exit).toBe(0);
});

test("what is done needs something to do, and a turn that is not there is named", async () => {
  const { thread_id: id } = (await place.json("run", "work")).data;
  expect(await place.json("fork", id)).toMatchObject({
    exit: 6,
    error: {
      code: "E_WRONG_STATE",
      why: "Its work was done then, so a fork needs something to do. Nothing was written.",
      next: [{ cmd: `selvage fork ${id} --turn 3 -m "…"` }, {}],
    },
  });
  expect(await place.json("fork", id, "--turn", "9")).toMatchObject({
    exit: 6,
    error: { why: expect.stringContaining("from 0 to 3") },
  });
  expect(await place.json("fork", id, "--turn", "-1")).toMatchObject({ exit: 2 });
  expect(await place.json("fork", id, "--turn", "2", "--set", "turns=2")).toMatchObject({
    exit: 6,
    error: { next: [{ cmd: `selvage fork ${id} --set turns=…` }] },
  });
  expect((await place.run(["fork", id], { SELVAGE_THREAD: id })).stderr).toContain("E_AGENT");
  expect((await place.json("ps", "-a")).data.threads).toHaveLength(1);
  expect(await place.json("fork", id, "-m", "more")).toMatchObject({
    exit: 0,
    data: { result: { text: "fourth" } },
  });
});

test("--no-start only makes it; recover runs it", async () => {
  const { thread_id: id } = (await place.json("run", "work")).data;
  const { data } = await place.json("fork", id, "--turn", "0", "--no-start");
  expect(data).toMatchObject({ status: "created", forked_from: { turn: 0 } });
  expect(await place.json("recover", data.thread_id)).toMatchObject({
    exit: 0,
    data: { threads: [{ status: "completed", result: { text: "third" } }] },
  });
});

test("a damaged thread is forked at its last turn that can be read", async () => {
  const { thread_id: id } = (await place.json("run", "work", "--set", "turns=2")).data;
  const database = new DatabaseSync(join(place.root, ".ai/threads/registry.db"));
  database.exec(
    "UPDATE events SET body = replace(body, 'second', 'secund') WHERE type = 'tool_call_start' AND body LIKE '%second%'",
  );
  database.close();
  const { damage } = (await place.json("show", id)).data;
  expect(damage).toMatchObject({ last_good: expect.any(Number) });
  const forked = await place.json("fork", id, "--set", "turns=9");
  expect(forked).toMatchObject({
    exit: 0,
    data: { forked_from: { thread_id: id, turn: 1 }, result: { text: "third" } },
  });
  expect(forked.data.forked_from.seq).toBeLessThanOrEqual(damage.last_good);
  expect(await place.json("fork", id, "--turn", "2")).toMatchObject({
    exit: 6,
    error: { why: expect.stringContaining("nothing can be read after event") },
  });
});
