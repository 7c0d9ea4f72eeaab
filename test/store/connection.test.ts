import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { Connection } from "../../src/store/connection.ts";
import { openDriver } from "../../src/store/driver.ts";
import { diskError, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();

test("a connection whose disk failed is closed and a new one is opened for the next write", async () => {
  const path = newPath();
  mkdirSync(dirname(path), { recursive: true });
  let opened = 0;
  let closed = 0;
  let failing = false;
  const connection = new Connection({
    path,
    durability: "strict",
    open: (file) => {
      const driver = openDriver(file);
      opened += 1;
      const exec = (sql: string) => {
        if (failing && sql === "COMMIT") throw diskError("EIO");
        driver.exec(sql);
      };
      const close = () => {
        closed += 1;
        driver.close();
      };
      return { ...driver, exec, close };
    },
  });
  failing = true;
  await expect(connection.write(() => 1)).rejects.toMatchObject({ code: "EIO" });
  failing = false;
  expect(await connection.write(() => 2)).toBe(2);
  expect([opened, closed]).toEqual([2, 1]);
  await connection.close();
  await expect(connection.write(() => 3)).rejects.toMatchObject({ code: "CLOSED" });
});

test("a job that writes and then throws leaves nothing behind, beside one that is kept", async () => {
  const connection = new Connection({ path: newPath(), durability: "strict", open: openDriver });
  const put = (key: string) => connection.statement("INSERT INTO meta (key, value) VALUES (?, 'x')").run(key);
  const bad = connection.write(() => {
    put("bad");
    throw new Error("changed its mind");
  });
  const good = connection.write(() => put("good"));
  await expect(bad).rejects.toThrow("changed its mind");
  await good;
  const keys = connection.read(() =>
    connection
      .statement("SELECT key FROM meta")
      .all()
      .map((row) => row["key"]),
  );
  expect(keys).toEqual(["good"]);
  await connection.close();
});

test("what was queued before the close is written, what comes after is refused, and it does not open again", async () => {
  let opened = 0;
  const connection = new Connection({
    path: newPath(),
    durability: "strict",
    open: (path) => {
      opened += 1;
      return openDriver(path);
    },
  });
  const queued = connection.write(() => 1);
  const closed = connection.close();
  await expect(connection.write(() => 2)).rejects.toMatchObject({ code: "CLOSED" });
  expect(await queued).toBe(1);
  await closed;
  expect(() => connection.read(() => connection.statement("SELECT 1").get())).toThrow("closed");
  expect(opened).toBe(1);
});

/** Enough for a connection to see that it will write for a while. */
const LONG_RUN = 20;

async function writeOften(connection: Connection, from = 0): Promise<void> {
  for (let n = from; n < from + LONG_RUN; n += 1) {
    await connection.write(() =>
      connection.statement("INSERT INTO meta (key, value) VALUES (?, 'x')").run(`k${n}`),
    );
  }
}

function rows(connection: Connection, table: "meta" | "blobs"): number {
  return connection.read(() =>
    Number(connection.statement(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]),
  );
}

test("who writes for a while gets a log of full length, and nothing else changes", async () => {
  const path = newPath();
  const connection = new Connection({ path, durability: "strict" });
  expect(statSync(`${path}-wal`).size).toBeLessThan(200_000);
  await writeOften(connection);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_000_000);
  expect([rows(connection, "meta"), rows(connection, "blobs")]).toEqual([LONG_RUN, 0]);
  const spill = connection.read(() => connection.statement("PRAGMA cache_size").get()?.["cache_size"]);
  expect(spill).toBe(-2000);
  // Killed now, all of it is there: the copy is what another process would find.
  for (const end of ["", "-wal"]) copyFileSync(path + end, `${path}.copy${end}`);
  const copy = new Connection({ path: `${path}.copy`, durability: "strict" });
  expect([rows(copy, "meta"), rows(copy, "blobs")]).toEqual([LONG_RUN, 0]);
  await copy.close();
  await connection.close();
});

test.each(["ENOSPC", "EIO"] as const)("a log that cannot be made longer (%s) stops nobody", async (code) => {
  let refused = 0;
  const open = watchedDriver((sql) => {
    if (!sql.includes("zeroblob")) return;
    refused += 1;
    throw diskError(code);
  });
  const connection = new Connection({ path: newPath(), durability: "strict", open });
  await writeOften(connection);
  await writeOften(connection, LONG_RUN);
  expect([rows(connection, "meta"), refused]).toEqual([2 * LONG_RUN, 1]);
  await connection.close();
});

test("while another process writes, the log stays as it is, and the next write waits its turn", async () => {
  const path = newPath();
  let isHeld = false;
  let other: ReturnType<typeof openDriver> | undefined;
  const open = watchedDriver((sql) => {
    if (!sql.includes("zeroblob") || isHeld) return;
    isHeld = true;
    other = openDriver(path);
    other.exec("BEGIN IMMEDIATE");
  });
  const connection = new Connection({ path, durability: "strict", open });
  const writing = writeOften(connection);
  await vi.waitUntil(() => isHeld);
  other?.exec("ROLLBACK");
  other?.close();
  await writing;
  expect(rows(connection, "meta")).toBe(LONG_RUN);
  await connection.close();
});
