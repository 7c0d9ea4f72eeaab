/** What a look at many threads costs the database: counts, not times. */
import { expect, test } from "vitest";
import { openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs, started } from "./bench.ts";
import { needs, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const THREADS = 300;

test("a look at all threads is a few statements, however many there are, and those that ended are not read", async () => {
  const path = newPath();
  const asked: string[] = [];
  const open = watchedDriver((sql) => asked.push(sql));
  const store = openSqliteStore({ ...needs, path, durability: "strict", open });
  const ids = Array.from({ length: THREADS }, (_, n) => `t-${n}`);
  await Promise.all(
    ids.map((id, n) =>
      store.create({
        threadId: id,
        events: [
          createdAs(id),
          started,
          ...(n % 3 === 0 ? [{ type: "thread_completed", text: "x" } as const] : []),
        ],
        requests: [],
      }),
    ),
  );
  const statementsOf = async (look: () => Promise<unknown>) => {
    asked.length = 0;
    await look();
    return [...asked];
  };
  expect(await statementsOf(() => store.candidates("*"))).toHaveLength(3);
  expect(await statementsOf(() => store.tally())).toHaveLength(1);
  expect(await statementsOf(() => store.find({ statuses: ["completed"], limit: 5 }))).toHaveLength(1);
  const [stirring = "", ...others] = await statementsOf(() => store.stirring("*", 0));
  expect(others).toHaveLength(2);
  const names = await statementsOf(() => store.names("*", { from: 0, limit: 9 }));
  const driver = openDriver(path);
  for (const sql of [stirring, ...names]) {
    const values = [...sql.matchAll(/\?/g)].map(() => 0);
    const plan = driver.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    expect(plan.map(({ detail }) => detail)).toContain("SCAN threads USING INDEX threads_live");
  }
  driver.close();
  await store.close();
});
