/** A journal is read in pages, and as exactly as if it were read event by event. */
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { openDriver } from "../../src/store/driver.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { createdAs, started } from "./bench.ts";
import { needs, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const ID = "long-1767225600-abc123";
const EVENTS = 1_200;

async function filled(count = EVENTS) {
  const path = newPath();
  const asked: string[] = [];
  const open = watchedDriver((sql) => asked.push(sql));
  const store = openSqliteStore({ ...needs, path, durability: "relaxed", open });
  const said = Array.from({ length: count - 2 }, (_, n): NewEvent => {
    const text = n % 400 === 7 ? "large ".repeat(20_000) : `said ${n} "\u001e" \n ж`;
    return { type: "cognition_in", source: "directive", text };
  });
  await store.create({ threadId: ID, events: [createdAs(ID), started, ...said], requests: [] });
  return { path, store, asked, said };
}

test("every event is there, small and large, in a few statements", async () => {
  const { store, asked, said } = await filled();
  asked.length = 0;
  const { events, damage } = await store.load(ID);
  expect(damage).toBeUndefined();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, at) => at + 1));
  expect(events.slice(2)).toMatchObject(said);
  // The line of the thread, ten pages, three large bodies.
  expect(asked.filter((sql) => sql.startsWith("SELECT"))).toHaveLength(1 + 10 + 3);
  await store.close();
});

test.each([
  ["a sign that stands between bodies", `replace(body, 'said', char(30))`],
  ["a line break in a body", `replace(body, 'said', char(10))`],
  ["a body of several lines", `body || char(10, 10, 10, 10, 10)`],
  ["a body that is cut off", "substr(body, 1, 5)"],
  ["an empty body", "''"],
])("%s is damage of its own event and of no other", async (_, change) => {
  const { path, store } = await filled();
  const driver = openDriver(path);
  driver.exec(`UPDATE events SET body = ${change} WHERE seq = 700`);
  driver.close();
  const { events, damage } = await store.load(ID);
  expect(damage).toEqual({ last_good: 699, why: "event 700 does not match its hash" });
  expect(events).toHaveLength(699);
  await store.close();
});

test("a large body that is gone is damage too", async () => {
  const { path, store } = await filled();
  const driver = openDriver(path);
  driver.exec("DELETE FROM blobs");
  driver.close();
  expect((await store.load(ID)).damage).toEqual({
    last_good: 9,
    why: "event 10 does not match its hash",
  });
  await store.close();
});

test.each([127, 128, 129, 256])("a journal of %i events ends where its thread does", async (count) => {
  const { path, store, said } = await filled(count);
  const whole = await store.load(ID);
  expect(whole.damage).toBeUndefined();
  expect(whole.events.slice(2)).toMatchObject(said);
  const driver = openDriver(path);
  const more = (seq: number) =>
    driver.exec(
      `INSERT INTO events (thread, seq, type, ts, body, hash)
       SELECT thread, ${seq}, type, ts, body, hash FROM events WHERE seq = 2;
       INSERT INTO places SELECT (thread << 32) + seq, cursor FROM events WHERE cursor = last_insert_rowid()`,
    );
  more(count + 1);
  expect((await store.load(ID)).damage).toMatchObject({ last_good: count });
  const less = (which: string) =>
    driver.exec(
      `DELETE FROM places WHERE cursor IN (SELECT cursor FROM events WHERE ${which});
       DELETE FROM events WHERE ${which}`,
    );
  less(`seq > ${count}`);
  expect(await store.load(ID)).toEqual(whole);
  more(0);
  expect((await store.load(ID)).damage).toMatchObject({ last_good: 0 });
  // One that fits its chain, and of which the registry does not know.
  less("seq = 0");
  driver.exec("UPDATE threads SET seq = seq - 1");
  expect((await store.load(ID)).damage).toMatchObject({ last_good: count - 1 });
  driver.close();
  await store.close();
});
