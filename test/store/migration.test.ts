// A store that an older version wrote opens with everything in it, whatever happens meanwhile (F2).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/core/event.ts";
import { appendEvents } from "../../src/core/journal.ts";
import { newRow, type ThreadRow } from "../../src/core/row.ts";
import { sha256 } from "../../src/machine/index.ts";
import { type Driver, openDriver, type Value } from "../../src/store/driver.ts";
import { MIGRATIONS, migrate, schemaVersion } from "../../src/store/schema.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { createdAs, started } from "./bench.ts";
import { needs, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const NOW = Date.UTC(2026, 0, 1);
const [RUNNING, LARGE, WAITING, ENDED, DAMAGED, CUT] = [
  ...[
    "work-1-running",
    "work-1-large00",
    "work-1-waiting",
    "work-1-ended00",
    "work-1-damaged",
    "work-1-cut0000",
  ],
] as [string, string, string, string, string, string];

const suspended: NewEvent = {
  ...{ type: "thread_suspended", reason: "error", message: "no" },
  waits_for: { kind: "person", what: "w", who: "p", how: "h" },
};
const retrying: NewEvent = {
  ...{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 5, errorMessage: "x" },
  wakeAt: new Date(NOW + 5).toISOString(),
};

/** Between two statements; there is none within one. */
const SEMICOLON = /;\s*\n/;

/** Threads of the first layout, with the limits that their first event has. */
const THREADS: [string, NewEvent[], { limits: Record<string, number | string>; inputs?: object }][] = [
  [RUNNING, [started, retrying], { limits: { turns: 7, spend: "1.50" } }],
  [LARGE, [started], { limits: { turns: 9 }, inputs: { text: "é\u0000\ud83d\ude00".repeat(20_000) } }],
  [WAITING, [started, suspended], { limits: {} }],
  [ENDED, [started, { type: "thread_completed", text: "done" }], { limits: { tokens: 5 } }],
  [DAMAGED, [started], { limits: { turns: 3 } }],
  [CUT, [started], { limits: { turns: 4 } }],
];

const COLUMNS = [
  ...["thread_id", "chain_root_id", "root_id", "parent_id", "directive", "model", "status", "suspend_reason"],
  ...["waits_for", "run", "nonce", "seq", "hash", "turns", "input_tokens", "output_tokens", "active_ms"],
  ...[
    "recoveries",
    "error",
    "created_at",
    "updated_at",
    "epoch",
    "owner",
    "strikes",
    "corrupt_seq",
    "corrupt_why",
  ],
];

/** Writes a store as the first version did, by hand: the code of today must not be asked how. */
function oldStore(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const driver = openDriver(path);
  driver.exec("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  migrate(driver, MIGRATIONS.slice(0, 1));
  driver.exec("BEGIN");
  driver.prepare("INSERT INTO meta (key, value) VALUES ('store_id', 'old-store')").run();
  THREADS.forEach(([id, more, facts], index) => {
    const blank = { ...newRow(id), epoch: 2, owner: null, strikes: [], corrupt: null, hash: "" };
    const events = [{ ...createdAs(id), inputs: {}, ...facts } as NewEvent, ...more];
    const { row, stored } = appendEvents(blank, events, { now: NOW, sha256 });
    insert(driver, "threads", { no: index + 1, ...oldRow(row) });
    for (const { seq, type, ts, body, hash } of stored) {
      const isLarge = body.length > 65_536;
      const blob = isLarge ? sha256(body) : null;
      if (blob) insert(driver, "blobs", { sha256: blob, content: body });
      insert(driver, "events", {
        thread_no: index + 1,
        seq,
        type,
        ts,
        body: isLarge ? null : body,
        blob,
        hash,
      });
    }
  });
  const request = { kind: "message", request_id: "m1", thread_id: RUNNING, by: "t", text: "hi" };
  insert(driver, "requests", {
    ...{ request_id: "m1", chain_root_id: RUNNING, body: JSON.stringify(request), posted_at: NOW },
    consumed_at: null,
  });
  insert(driver, "timers", { chain_root_id: RUNNING, due: NOW + 5 });
  insert(driver, "hosts", { host_id: "h1", owner: "o", socket: null, scope: "*", beats: 3 });
  driver.exec(`UPDATE events SET body = '{"directive":"work' WHERE seq = 1 AND thread_no = 5;
    UPDATE events SET body = replace(body, '{"turns":4}', '"many"') WHERE seq = 1 AND thread_no = 6;
    UPDATE threads SET corrupt_seq = 0, corrupt_why = 'test' WHERE no = 5`);
  driver.exec("COMMIT");
  driver.close();
}

function oldRow(row: ThreadRow): Record<string, Value> {
  const {
    limits: _,
    corrupt: __,
    spent: ___,
    held: ____,
    living: _5,
    below: _6,
    stopping: _7,
    watches: _8,
    continuation_of: _9,
    continuation_thread_id: _10,
    channels: _11,
    brought: _12,
    address: _13,
    strikes,
    waits_for,
    ...rest
  } = row;
  return {
    ...rest,
    waits_for: waits_for && JSON.stringify(waits_for),
    strikes: JSON.stringify(strikes),
    ...{ corrupt_seq: null, corrupt_why: null },
  };
}

function insert(driver: Driver, table: string, row: Record<string, Value>): void {
  const names = Object.keys(row);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  driver.prepare(sql).run(...Object.values(row));
}

/** Everything that the first layout held, in words that both layouts understand. */
function contents(driver: Driver): unknown {
  const all = (sql: string) => driver.prepare(sql).all();
  return {
    threads: all(`SELECT no, ${COLUMNS.join(", ")} FROM threads ORDER BY no`),
    events: all("SELECT * FROM events ORDER BY cursor").map(({ thread_no, thread = thread_no, ...rest }) => ({
      thread,
      ...rest,
    })),
    ...{ blobs: all("SELECT * FROM blobs"), requests: all("SELECT * FROM requests") },
    ...{
      timers: all("SELECT * FROM timers"),
      hosts: all("SELECT * FROM hosts"),
      meta: all("SELECT * FROM meta"),
    },
  };
}

const tables = (driver: Driver) =>
  driver
    .prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map((row) => row["name"]);

const open = (path: string) => openSqliteStore({ ...needs, path, durability: "strict" });

test("every row is kept, limits come from the first event, and what points to a thread still does", async () => {
  const path = newPath();
  oldStore(path);
  const before = openDriver(path);
  const old = contents(before);
  before.close();
  const store = open(path);
  const driver = openDriver(path);
  expect(contents(driver)).toEqual(old);
  expect(driver.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  expect(driver.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  const fitting = "FROM events JOIN places USING (cursor) WHERE place = (thread << 32) + seq";
  expect(driver.prepare(`SELECT count(*) AS n ${fitting}`).get()).toEqual({ n: 15 });
  // Who has opened it before and knows only the old layout writes nothing that would have no place.
  expect(() => driver.exec("INSERT INTO events (thread_no) VALUES (1)")).toThrow(/thread_no/);
  driver.close();
  const rows = [...(await store.find({}))].reverse();
  expect(rows.map(({ thread_id, limits }) => [thread_id, limits])).toEqual([
    [RUNNING, { turns: 7, spend: "1.50" }],
    [LARGE, { turns: 9 }],
    [WAITING, {}],
    [ENDED, { tokens: 5 }],
    // Nobody can know; their journals are damaged, and they are never walked.
    [DAMAGED, {}],
    [CUT, {}],
  ]);
  expect(store.storeId).toBe("old-store");
  const { findings } = await verifyStore(store, path, dirname(path));
  expect(findings.map(({ thread_id, what }) => [thread_id, what])).toEqual([
    [CUT, "event 1 does not match its hash"],
    [DAMAGED, "event 1 does not match its hash"],
  ]);
  await store.close();
});

test("its threads go on: what was open is open, and they can be asked", async () => {
  const path = newPath();
  oldStore(path);
  const store = open(path);
  expect(await store.openRequests(RUNNING)).toMatchObject([{ request_id: "m1" }]);
  expect((await store.inspect(RUNNING))?.timerDue).toBe(NOW + 5);
  expect(await store.approvals({})).toEqual([]);
  // Suspended before there were questions: a plain resume lets it go on.
  const resume = { kind: "resume" as const, request_id: "r1", thread_id: WAITING, by: "p", nonce: "n1" };
  expect(await store.post([resume])).toMatchObject([{ accepted: true }]);
  const claimed = await store.claim({ threadId: RUNNING, owner: "a", seenEpoch: 2 });
  if ("refused" in claimed) throw new Error(claimed.refused);
  const stopped: NewEvent = { ...suspended, reason: "limit" };
  expect(await store.commit(claimed.lease, { events: [stopped] })).toMatchObject({ events: [{ seq: 4 }] });
  await store.close();
});

test("killed at any statement, it has the old layout or the new one, and the next opening ends the work", () => {
  const path = newPath();
  oldStore(path);
  const before = openDriver(path);
  const [old, oldTables] = [contents(before), tables(before)];
  before.close();
  const { images, tables: newTables } = migrateWatched(path, MIGRATIONS);
  for (const image of images) {
    const again = openDriver(image);
    expect(contents(again)).toEqual(old);
    if (schemaVersion(again) === MIGRATIONS.length) expect(tables(again)).toEqual(newTables);
    if (schemaVersion(again) === 1) expect(tables(again)).toEqual(oldTables);
    migrate(again);
    expect([schemaVersion(again), contents(again)]).toEqual([MIGRATIONS.length, old]);
    expect(again.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    again.close();
  }
  const statements = MIGRATIONS.slice(1).flatMap((step) => step.split(SEMICOLON));
  expect(images.length).toBeGreaterThan(statements.length);
});

test("a new store, killed at any statement, has the layout of one of the versions", () => {
  const steps = [...MIGRATIONS, "CREATE TABLE extra (x TEXT) STRICT", "CREATE TABLE more (x TEXT) STRICT"];
  const marks = [
    ...[
      "threads",
      "approvals",
      "accounts",
      "threads_children",
      "watches",
      "threads_chain",
      "threads_channels",
      "brought",
    ],
    ...["under_way", "address", "places", "extra", "more"],
  ];
  const path = newPath();
  mkdirSync(dirname(path), { recursive: true });
  for (const image of migrateWatched(path, steps).images) {
    const again = openDriver(image);
    const columns = again.prepare("PRAGMA table_info(threads)").all();
    const money = again.prepare("PRAGMA table_info(accounts)").all();
    const names = [...tables(again), ...[...columns, ...money].map(({ name }) => name)];
    expect(names.filter((name) => marks.includes(String(name)))).toHaveLength(schemaVersion(again));
    migrate(again, steps);
    expect(schemaVersion(again)).toBe(steps.length);
    again.close();
  }
});

test("a statement that fails takes the whole step back, and the next opening ends the work", () => {
  const path = newPath();
  oldStore(path);
  const driver = openDriver(path);
  const old = contents(driver);
  const broken = [...MIGRATIONS.slice(0, 1), `${MIGRATIONS[1]}; INSERT INTO nowhere VALUES (1)`];
  expect(() => migrate(driver, broken)).toThrow(/nowhere/);
  expect([schemaVersion(driver), contents(driver)]).toEqual([1, old]);
  expect(driver.prepare("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
  migrate(driver);
  expect([schemaVersion(driver), contents(driver)]).toEqual([MIGRATIONS.length, old]);
  driver.close();
});

/** Migrates one statement at a time, and keeps the disk as it was before each: what a kill there would leave. */
function migrateWatched(path: string, steps: readonly string[]) {
  const images: string[] = [];
  const keep = () => {
    const image = newPath();
    mkdirSync(dirname(image), { recursive: true });
    copyFileSync(path, image);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${image}-wal`);
    images.push(image);
  };
  const driver = watchedDriver(keep)(path);
  const exec = (sql: string) => {
    for (const each of sql.split(SEMICOLON)) driver.exec(each);
  };
  migrate({ ...driver, exec }, steps);
  const found = tables(driver);
  keep();
  driver.close();
  return { images, tables: found };
}

test("several processes that open it at once: one does the work, all get the store", async () => {
  const path = newPath();
  oldStore(path);
  const source = (file: string) => JSON.stringify(import.meta.resolve(`../../src/${file}`));
  const code = `import { openSqliteStore } from ${source("store/stores/sqlite.ts")};
    const needs = { now: Date.now, sha256: (t) => t, newId: () => "new", ownerState: () => "dead" };
    const store = openSqliteStore({ ...needs, path: process.argv[1], durability: "strict" });
    const rows = await store.find({});
    process.stdout.write(store.storeId + " " + rows.length + " " + rows.at(-1).limits.turns);
    await store.close();`;
  const run = async () => {
    const args = ["--import", "tsx", "--input-type=module", "-e", code, path];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    await once(child, "close");
    return output;
  };
  const outputs = await Promise.all(Array.from({ length: 6 }, run));
  expect(new Set(outputs)).toEqual(new Set([`old-store ${THREADS.length} 7`]));
  const driver = openDriver(path);
  expect(driver.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  driver.close();
});

test("what was held for requests under way is held after the move into the accounts, for the same ones", async () => {
  const path = newPath();
  mkdirSync(dirname(path), { recursive: true });
  const driver = openDriver(path);
  const before = MIGRATIONS.findIndex((step) => step.includes("DROP TABLE holds"));
  migrate(driver, MIGRATIONS.slice(0, before));
  driver.exec(`
    INSERT INTO accounts (account, parent, cap, spent, held, ended) VALUES
      ('top', NULL, 100, 0, 30, 0), ('below', 'top', NULL, 0, 0, 0), ('idle', 'top', NULL, 0, 0, 0);
    INSERT INTO holds (made_by, attempt, account, held) VALUES
      ('top', 'top/1/1', 'top', 10), ('below', 'below/3/1', 'top', 15), ('below', 'below/3/2', 'top', 5);
  `);
  driver.close();
  const store = openSqliteStore({ ...needs, path, durability: "strict" });
  const open = async (account: string) => (await store.balance(account))?.open;
  const held = { account: "top", settled: null };
  expect(await open("top")).toEqual([{ id: "top/1/1", by: "top", held: 10, ...held }]);
  expect(await open("below")).toEqual([
    { id: "below/3/1", by: "below", held: 15, ...held },
    { id: "below/3/2", by: "below", held: 5, ...held },
  ]);
  expect(await open("idle")).toEqual([]);
  await store.close();
});
