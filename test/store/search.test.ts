// Searching on the real database: bounded pieces, damage, and nothing written.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { type SearchAsk, search } from "../../src/core/search.ts";
import { compileQuery } from "../../src/core/search-query.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { ID, openBench, started } from "./bench.ts";

const folder = mkdtempSync(join(tmpdir(), "selvage-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const says = (text: string): NewEvent => ({ type: "message_received", request_id: "r", by: "p", text });

async function made(texts: readonly string[]) {
  count += 1;
  const path = join(folder, `${count}`, "registry.db");
  const world = await openBench({
    open: (needs) => openSqliteStore({ ...needs, path, durability: "relaxed" }),
  });
  const lease = await world.claim("a");
  await world.store.commit(lease, { events: [started, ...texts.map(says)] });
  return { ...world, path };
}

function asking(text: string): SearchAsk {
  const matcher = compileQuery({ text, how: "text" });
  if ("why" in matcher) throw new Error(matcher.why);
  return { matcher, about: [], context: 0, scope: {}, limit: 1_000 };
}

test("a piece is bounded, in events and in bodies that may match; the next one goes on from there", async () => {
  const { store } = await made(Array.from({ length: 2_000 }, (_, at) => (at < 100 ? "needle" : "none")));
  const first = await store.search(asking("needle"));
  expect(first).toMatchObject({ hits: [], threads: 1, events: 512, next: { thread_id: ID, seq: 1_491 } });
  const many = await store.search({ ...asking("needle"), before: { thread_id: ID, seq: 103 } });
  expect(many.hits).toHaveLength(16);
  expect(many.next).toEqual({ thread_id: ID, seq: 87 });
  const pauses: number[] = [];
  const all = await search(store, asking("needle"), {
    onProgress: ({ events }) => pauses.push(events),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  });
  expect(all.hits).toHaveLength(100);
  expect(all.events).toBe(2_002);
  expect(pauses.length).toBeGreaterThan(8);
});

test("it can be stopped in between, and says so", async () => {
  const { store } = await made(Array.from({ length: 2_000 }, () => "none"));
  const stop = new AbortController();
  const found = await search(store, asking("needle"), {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  expect(found).toMatchObject({ stopped: true, events: 512, next: null });
});

test("an event that is damaged is counted, and the others are found", async () => {
  const { store, path } = await made(["needle 1", "needle 2", "needle 3", "needle 4"]);
  const raw = new DatabaseSync(path);
  raw.exec(
    `UPDATE events SET body = '{"text":"needle' WHERE seq = 4; UPDATE events SET body = '{"text":["needle"]}' WHERE seq = 5`,
  );
  raw.close();
  const found = await search(store, asking("needle"));
  expect(found.hits.map(({ seq }) => seq)).toEqual([6, 3]);
  expect(found.unread).toBe(2);
});

test("it writes nothing, and reads a store that may only be looked at", async () => {
  const { store, path, needs } = await made(["needle", "x".repeat(100_000), `${"y".repeat(100_000)} Needle`]);
  await store.close();
  const digest = () => createHash("sha256").update(readFileSync(path)).digest("hex");
  const before = digest();
  const guest = openSqliteStore({ ...needs, path, durability: "strict", readOnly: true });
  expect((await search(guest, asking("NEEDLE"))).hits.map(({ seq }) => seq)).toEqual([5, 3]);
  await guest.close();
  expect(digest()).toBe(before);
});

test("what is looked for is found wherever it is stored, and only it is read", async () => {
  const large = "y".repeat(100_000);
  const { store } = await made([
    "Ключ",
    `${large} ключ`,
    large,
    "nothing",
    `КЛЮЧ ${large}`,
    "Kelvin: \u212a",
  ]);
  const seqs = async (text: string) => (await search(store, asking(text))).hits.map(({ seq }) => seq);
  expect(await seqs("ключ")).toEqual([7, 4, 3]);
  expect(await seqs("kelvin: k")).toEqual([8]);
  expect(await seqs("request_id")).toEqual([]);
});
