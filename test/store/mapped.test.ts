// What is long is read through a map of the file, which is taken away again: see `Connection.mapped`.
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { search } from "../../src/core/search.ts";
import { compileQuery } from "../../src/core/search-query.ts";
import { type OpenDriver, openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs } from "./bench.ts";
import { needs, scratch } from "./disk.ts";

const newPath = scratch();
const said = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, at) => ({ type: "cognition_in", source: "x", text: `word ${at}` }));

/** A store, and how many bytes were mapped whenever events were read. */
function stage() {
  const mapped: number[] = [];
  let now = () => -1;
  const open: OpenDriver = (path) => {
    const driver = openDriver(path);
    now = () => Number(driver.prepare("PRAGMA mmap_size").get()?.["mmap_size"]);
    const noting = <T>(sql: string, read: () => T): T => {
      if (/FROM places/.test(sql)) mapped.push(now());
      return read();
    };
    return {
      ...driver,
      prepare: (sql) => {
        const statement = driver.prepare(sql);
        return {
          run: (...values) => statement.run(...values),
          get: (...values) => noting(sql, () => statement.get(...values)),
          all: (...values) => noting(sql, () => statement.all(...values)),
        };
      },
    };
  };
  const store = openSqliteStore({ ...needs, path: newPath(), durability: "strict", open });
  const live = async (id: string, count: number) => {
    await store.create({ threadId: id, events: [createdAs(id), ...said(count)], requests: [] });
    mapped.length = 0;
    return (await store.load(id)).events.length;
  };
  return { store, live, mapped, now: () => now() };
}

test("a long journal, and only that, and no longer than it takes", async () => {
  const { store, live, mapped, now } = stage();
  expect(await live("short-1767225600-abc123", 20)).toBe(21);
  expect(new Set(mapped)).toEqual(new Set([0]));
  expect(await live("long-1767225600-abc123", 1_200)).toBe(1_201);
  expect(mapped.length).toBeGreaterThan(0);
  expect(Math.min(...mapped)).toBeGreaterThan(1_000_000);
  expect(now()).toBe(0);
  await store.close();
});

test("a search", async () => {
  const { store, live, mapped, now } = stage();
  await live("short-1767225600-abc123", 20);
  mapped.length = 0;
  const matcher = compileQuery({ text: "word 7", how: "text" });
  if ("why" in matcher) throw new Error(matcher.why);
  const found = await search(store, { matcher, about: [], context: 0, scope: {}, limit: 5 });
  expect(found.hits).toHaveLength(1);
  expect(Math.min(...mapped)).toBeGreaterThan(1_000_000);
  expect(now()).toBe(0);
  await store.close();
});

test("a look that fails leaves no map behind", async () => {
  const { store, live, mapped, now } = stage();
  await live("long-1767225600-abc123", 1_200);
  mapped.push = () => {
    throw new Error("the disk does not answer");
  };
  await expect(store.load("long-1767225600-abc123")).rejects.toThrow("does not answer");
  expect(now()).toBe(0);
  await store.close();
});
