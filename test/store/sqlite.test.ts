import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import type { Lease } from "../../src/core/commit.ts";
import type { NewEvent } from "../../src/core/event.ts";
import { StorageFailure } from "../../src/core/failure.ts";
import { suspend } from "../../src/core/question.ts";
import type { Store } from "../../src/core/store.ts";
import { isSafeLibrary, openDriver } from "../../src/store/driver.ts";
import { MIGRATIONS } from "../../src/store/schema.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { verifyStore } from "../../src/store/verify.ts";
import { diskError, ERRORS, needs, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const ID = "work-1767225600-abc123";
const created = (id = ID): NewEvent => ({
  type: "thread_created",
  directive: "work",
  inputs: {},
  model: "m",
  system: "",
  tools: [],
  limits: {},
  chain_root_id: id,
  root_id: id,
  parent_id: null,
  run: 1,
  nonce: "n",
});
const says = (text: string): NewEvent => ({ type: "cognition_in", source: "x", text });

async function journal(store: Store, texts: readonly string[], id = ID) {
  await store.create({ threadId: id, events: [created(id)], requests: [] });
  const claimed = await store.claim({ threadId: id, owner: "a", seenEpoch: 0 });
  if ("refused" in claimed) throw new Error("refused");
  await store.commit(claimed.lease, { events: [{ type: "thread_started", run: 1 }] });
  for (const text of texts) await store.commit(claimed.lease, { events: [says(text)] });
  return claimed.lease;
}

const open = (path: string, driver = openDriver) =>
  openSqliteStore({ ...needs, path, durability: "strict", open: driver });

describe("how it is opened", () => {
  test("WAL, FULL, small pages, private folder", async () => {
    const path = newPath();
    const seen: string[] = [];
    await open(
      path,
      watchedDriver((sql) => seen.push(sql)),
    ).close();
    expect(seen.join()).toContain("PRAGMA synchronous = FULL");
    const driver = openDriver(path);
    expect(driver.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(driver.prepare("PRAGMA page_size").get()).toEqual({ page_size: 1024 });
    driver.close();
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test.each([
    ["3.53.0", true],
    ["3.51.3", true],
    ["3.51.2", false],
    ["3.50.7", true],
    ["3.50.6", false],
    ["3.44.6", true],
    ["3.44.5", false],
    ["3.45.1", false],
    ["3.40.1", false],
    ["4.0.0", true],
  ])("SQLite %s is safe: %s", (version, safe) => {
    expect(isSafeLibrary(version)).toBe(safe);
  });

  test("a newer layout is refused and left as it was", async () => {
    const path = newPath();
    await open(path).close();
    const driver = openDriver(path);
    driver.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    driver.close();
    const before = readFileSync(path);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "E_STORE_NEWER" }));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a file that is no database is refused, kept, and not touched", () => {
    const path = newPath();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "garbage ".repeat(1_000));
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    expect(readFileSync(path, "utf8")).toBe("garbage ".repeat(1_000));
    expect(existsSync(`${path}.damaged`)).toBe(true);
  });
});

describe("damage is named", () => {
  const texts = ["one", "two", "three"];

  test.each([
    ["body", "UPDATE events SET body = replace(body, 'two', 'TWO') WHERE seq = 4", 3],
    ["hash", "UPDATE events SET hash = 'x' WHERE seq = 4", 3],
    ["missing row", "DELETE FROM events WHERE seq = 4", 3],
    ["registry behind", "UPDATE threads SET seq = 4", 4],
    ["lost tail", "DELETE FROM events WHERE seq = 5", 4],
  ])("%s: load tells the last good event", async (_, sql, lastGood) => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    const other = openDriver(path);
    other.exec(sql);
    other.close();
    expect((await store.load(ID)).damage?.last_good).toBe(lastGood);
    const { findings } = await verifyStore(store, path, dirname(path));
    expect(findings.map((finding) => finding.thread_id)).toContain(ID);
    await store.close();
  });

  test.each([
    ["a stray event", "UPDATE events SET seq = 9 WHERE seq = 5", "1 events that stand in no journal"],
    ["an event of nobody", "UPDATE events SET thread = 8 WHERE seq = 5", "1 events that stand in no journal"],
    ["an empty place", "DELETE FROM events WHERE seq = 5", "1 places in journals without an event"],
    ["no place", "DELETE FROM places WHERE cursor = 5", "1 events that stand in no journal"],
  ])("%s: verify tells that it fits nowhere", async (_, sql, what) => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    expect((await verifyStore(store, path, dirname(path))).findings).toEqual([]);
    const other = openDriver(path);
    other.exec(sql);
    other.close();
    const { findings } = await verifyStore(store, path, dirname(path));
    expect(findings.map((finding) => finding.what)).toContain(`database: ${what}`);
    await store.close();
  });

  test("the places of neighbours do not meet, whatever numbers damage gives", async () => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    await store.create({ threadId: "next", events: [created("next")], requests: [] });
    const other = openDriver(path);
    // Before the first of the second, and behind the last of the first.
    other.exec(`INSERT INTO events (thread, seq, type, ts, body, hash) VALUES (2, -5, 'x', 0, '{}', ''), (1, 2000000000, 'x', 0, '{}', '');
      INSERT INTO places SELECT (thread << 32) + seq, cursor FROM events WHERE type = 'x'`);
    other.close();
    expect((await store.load("next")).damage?.last_good).toBe(0);
    expect((await store.load(ID)).events).toHaveLength(5);
    await store.close();
  });

  test.each([
    ["UPDATE threads SET turns = 7", "turns"],
    ["UPDATE threads SET status = 'completed', owner = NULL", "status"],
    ["INSERT INTO timers (chain_root_id, due) SELECT chain_root_id, 5 FROM threads", "timer"],
  ])("%s: verify names the projection that is wrong", async (sql, what) => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    const other = openDriver(path);
    other.exec(sql);
    other.close();
    const { findings } = await verifyStore(store, path, dirname(path));
    expect(findings.map((finding) => finding.what).join()).toContain(what);
    await store.close();
  });

  describe("questions", () => {
    const asked = () =>
      suspend(
        { id: ID, run: 1 },
        { reason: "limit", message: "no more turns", what: "more turns" },
        {
          now: 0,
          newApprovalId: () => "ap_1",
          sha256: needs.sha256,
          timeoutSeconds: 60,
          onTimeout: "remind",
        },
      );
    const answer = { ...{ approval_id: "ap_1", approved: true, by: "p", via: "cli" }, message: "go" };
    const posted = { kind: "decide", request_id: "d1", thread_id: ID, resume: true, ...answer } as const;
    const states: Record<string, (store: Store, lease: Lease) => Promise<unknown>> = {
      open: async () => {},
      answered: (store) => store.post([posted]),
      decided: async (store, lease) => {
        await store.post([posted]);
        const taken = await store.claim({ threadId: ID, owner: "b", seenEpoch: lease.epoch });
        if ("refused" in taken) throw new Error(taken.refused);
        const resumed: NewEvent = { type: "thread_resumed", by: "p", run: 2, nonce: "n2" };
        const events: NewEvent[] = [{ type: "approval_decided", ...answer }, resumed];
        return store.commit(taken.lease, { events, consumes: ["d1"] });
      },
    };
    const findings = async (state: string, sql: string) => {
      const path = newPath();
      const store = open(path);
      const lease = await journal(store, texts);
      await store.commit(lease, { events: asked() });
      await states[state]?.(store, lease);
      const other = openDriver(path);
      other.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
      other.close();
      const report = await verifyStore(store, path, dirname(path));
      await store.close();
      return report.findings.map(({ what }) => what);
    };

    test.each(Object.keys(states))("one that is %s is as the journal tells", async (state) => {
      expect(await findings(state, "")).toEqual([]);
    });

    test.each([
      ["open", "DELETE FROM approvals", "is in the journal and not in the inbox"],
      ["open", "UPDATE approvals SET state = 'void'", "is void in the inbox, open in the journal"],
      ["open", "UPDATE approvals SET body = replace(body, 'no more', 'a few more')", "differs between"],
      ["open", "UPDATE approvals SET asked_at = '2001-01-01T00:00:00.000Z'", "differs between"],
      [
        "open",
        "INSERT INTO approvals SELECT 'ap_2', thread_id, chain_root_id, replace(body, 'ap_1', 'ap_2'), asked_at, 'open' FROM approvals",
        "ap_2 is in the inbox and not in the journal",
      ],
      ["open", "UPDATE approvals SET thread_id = 'gone-1-aaaaaa'", "there is no such thread"],
      ["decided", "UPDATE approvals SET state = 'open'", "is open in the inbox, decided in the journal"],
      ["decided", "DELETE FROM decisions", "its decision is missing"],
      [
        "decided",
        "UPDATE decisions SET body = replace(body, 'true', 'false')",
        "the decision of ap_1 differs",
      ],
      ["decided", `UPDATE decisions SET body = replace(body, '"p"', '"q"')`, "the decision of ap_1 differs"],
    ])("%s, then %s: verify names it", async (state, sql, what) => {
      expect((await findings(state, sql)).join()).toContain(what);
    });
  });

  test("a tail that the store lost is told by the transcript", async () => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    const folder = `${dirname(path)}/${ID}`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/transcript.jsonl`, '{"v":1,"seq":5}\n{"v":1,"seq":6}\n');
    const { findings } = await verifyStore(store, path, dirname(path));
    expect(findings).toEqual([
      { part: "state", thread_id: ID, last_good: 5, what: expect.stringContaining("the store lost some") },
    ]);
    await store.close();
  });

  test("one flipped byte anywhere in a journal is never taken for the truth", async () => {
    const path = newPath();
    const store = open(path);
    await journal(store, texts);
    const good = JSON.stringify((await store.load(ID)).events);
    await store.close();
    const mover = openDriver(path);
    mover.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    mover.close();
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"text":"two"');
    expect(at).toBeGreaterThan(0);
    for (let offset = at - 40; offset < at + 70; offset += 1) {
      const copy = newPath();
      mkdirSync(dirname(copy), { recursive: true });
      const flipped = Buffer.from(bytes);
      flipped[offset] = (flipped[offset] ?? 0) ^ 0x04;
      writeFileSync(copy, flipped);
      expect(await truthOf(copy, good)).not.toBe("wrong");
    }
  });

  /** `named`: somebody says that it is damaged. `same`: the byte did not matter. */
  async function truthOf(path: string, good: string): Promise<"named" | "same" | "wrong"> {
    try {
      const store = open(path);
      const { events, damage } = await store.load(ID);
      await store.close();
      if (damage) return "named";
      return JSON.stringify(events) === good ? "same" : "wrong";
    } catch {
      return "named";
    }
  }
});

describe("a write-ahead log cut anywhere", () => {
  test("gives a beginning of what was acknowledged, with every commit whole", async () => {
    const path = newPath();
    const store = open(path);
    const lease = await journal(store, ["one"]);
    const sizes: number[] = [];
    const states: string[] = [];
    const note = async () => {
      sizes.push(statSync(`${path}-wal`).size);
      states.push(JSON.stringify((await store.load(ID)).events));
    };
    await note();
    for (const text of ["two", "three", "x".repeat(3_000)]) {
      await store.commit(lease, { events: [says(text), says(`${text} again`)] });
      await note();
    }
    const last = sizes.at(-1) ?? 0;
    for (let cut = sizes[0] ?? 0; cut < last; cut += 97) {
      const copy = newPath();
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      truncateSync(`${copy}-wal`, cut);
      const reopened = open(copy);
      const { events, damage } = await reopened.load(ID);
      expect(damage).toBeUndefined();
      expect(JSON.stringify(events)).toBe(states[sizes.filter((size) => size <= cut).length - 1]);
      await reopened.close();
    }
    await store.close();
  });
});

describe("many writes", () => {
  test("commits of one tick share one flush, and one that is refused spoils no other", async () => {
    const path = newPath();
    const seen: string[] = [];
    const store = open(
      path,
      watchedDriver((sql) => seen.push(sql)),
    );
    const ids = Array.from({ length: 20 }, (_, index) => `work-1-${String(index).padStart(6, "0")}`);
    const leases = await Promise.all(ids.map((id) => journal(store, [], id)));
    seen.length = 0;
    const stale = { ...leases[3], epoch: 99 } as (typeof leases)[0];
    const answers = await Promise.all(
      [...leases, stale].map((lease) => store.commit(lease, { events: [says("hi")] })),
    );
    expect(seen.filter((sql) => sql === "COMMIT")).toHaveLength(1);
    expect(answers.filter((answer) => "refused" in answer)).toHaveLength(1);
    expect((await store.find({})).map((row) => row.seq)).toEqual(ids.map(() => 3));
    await store.close();
  });

  test("the line of a thread at work is not read again while nobody else has changed it", async () => {
    const path = newPath();
    const wide: string[] = [];
    const store = open(
      path,
      watchedDriver((sql) => {
        if (sql.includes("waits_for") && sql.startsWith("SELECT")) wide.push(sql);
      }),
    );
    const lease = await journal(store, []);
    await store.commit(lease, { events: [says("one")] });
    wide.length = 0;
    await store.commit(lease, { events: [says("two")] });
    expect(wide).toEqual([]);
    // Changed by another process, in each of the ways in which it can be: it is read, and what it says counts.
    const other = openDriver(path);
    const set = (change: string) => other.exec(`UPDATE threads SET ${change}`);
    set("epoch = epoch + 1");
    expect(await store.commit(lease, { events: [says("three")] })).toEqual({ refused: "stale" });
    set("epoch = epoch - 1, owner = 'somebody'");
    expect(await store.commit(lease, { events: [says("three")] })).toEqual({ refused: "stale" });
    set(`owner = '${lease.owner}'`);
    expect(await store.commit(lease, { events: [says("three")] })).toMatchObject({ events: [{ seq: 5 }] });
    expect(wide).toHaveLength(3);
    set("corrupt_seq = 2, corrupt_why = 'by hand'");
    await store.commit(lease, { events: [says("four")] });
    expect(wide).toHaveLength(4);
    other.close();
    await store.close();
  });

  test("another writer is waited for, not reported", async () => {
    const path = newPath();
    const store = open(path);
    const lease = await journal(store, []);
    const other = openDriver(path);
    other.exec("BEGIN IMMEDIATE");
    const committed = store.commit(lease, { events: [says("late")] });
    await new Promise((resolve) => setImmediate(resolve));
    other.exec("ROLLBACK");
    other.close();
    expect(await committed).toMatchObject({ events: [{ seq: 3 }] });
    await store.close();
  });
});

describe("a disk that fails", () => {
  test.each(Object.keys(ERRORS) as (keyof typeof ERRORS)[])(
    "%s at any call of the driver: refused as a failure of storage, and the next try works",
    async (code) => {
      for (let at = 1; at < 60; at += 1) {
        const path = newPath();
        let calls = 0;
        let armed = false;
        const store = open(
          path,
          watchedDriver(() => {
            if (!armed) return;
            calls += 1;
            if (calls === at) throw diskError(code);
          }),
        );
        const lease = await journal(store, ["one"]);
        armed = true;
        const first = await store.commit(lease, { events: [says("two")] }).catch((error) => error);
        armed = false;
        const { events } = await store.load(ID);
        if (!(first instanceof Error)) {
          expect(events).toHaveLength(4);
          await store.close();
          return;
        }
        expect(first).toBeInstanceOf(StorageFailure);
        expect(events).toHaveLength(3);
        expect(await store.commit(lease, { events: [says("two")] })).toMatchObject({ events: [{ seq: 4 }] });
        await store.close();
      }
      throw new Error("no run ended untouched");
    },
  );

  test("a really full database", async () => {
    const path = newPath();
    const store = open(path);
    const lease = await journal(store, ["one"]);
    await store.close();
    let full = true;
    const again = open(path, (file) => {
      const driver = openDriver(file);
      driver.exec(`PRAGMA max_page_count = ${full ? 40 : 100_000}`);
      return driver;
    });
    const large = says("x".repeat(100_000));
    await expect(again.commit(lease, { events: [large] })).rejects.toBeInstanceOf(StorageFailure);
    expect((await again.load(ID)).events).toHaveLength(3);
    full = false;
    expect(await again.commit(lease, { events: [says("fits")] })).toMatchObject({ events: [{ seq: 4 }] });
    await again.close();
  });
});
