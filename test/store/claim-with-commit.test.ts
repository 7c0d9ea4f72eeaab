// A claim by who knows the thread already shares the flush of what follows from it.
import { afterEach, expect, test } from "vitest";
import type { StorageFailure } from "../../src/core/failure.ts";
import { Connection } from "../../src/store/connection.ts";
import { diskError, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const open: Connection[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

function stage(before: (sql: string) => void = () => {}) {
  const path = newPath();
  const flushes: string[] = [];
  const driver = watchedDriver((sql) => {
    before(sql);
    if (["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].includes(sql)) flushes.push(sql);
  });
  const connection = new Connection({ path, durability: "strict", open: driver });
  open.push(connection);
  flushes.length = 0;
  const put = (key: string) => () =>
    connection.statement("INSERT INTO meta (key, value) VALUES (?, 'x')").run(key);
  const look = () =>
    connection
      .statement("SELECT key FROM meta ORDER BY key")
      .all()
      .map((row) => row["key"]);
  return { connection, flushes, put, keys: () => connection.read(look), look, path };
}

test("one flush for the claim and the commit that follows from it; only the commit waits for the disk", async () => {
  const { connection, flushes, put, keys } = stage();
  await connection.write(put("claim"), "with the next");
  expect(flushes).toEqual(["BEGIN IMMEDIATE"]);
  await connection.write(put("commit"));
  expect(flushes).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  expect(keys()).toEqual(["claim", "commit"]);
});

test("nothing follows: the claim lands by itself, within a turn of the loop", async () => {
  const { connection, flushes, put } = stage();
  await connection.write(put("claim"), "with the next");
  await new Promise((resolve) => setImmediate(resolve));
  expect(flushes).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
});

test("beside other writes it is told first all the same; they are told when all of it is stored", async () => {
  const { connection, flushes, put, keys } = stage();
  const other = connection.write(put("a")).then(() => flushes.at(-1));
  await connection.write(put("claim"), "with the next");
  expect(flushes).toEqual(["BEGIN IMMEDIATE"]);
  const commit = connection.write(put("commit"));
  expect(await other).toBe("COMMIT");
  await commit;
  expect(flushes).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  expect(keys()).toEqual(["a", "claim", "commit"]);
});

test("somebody is told of a write before it is stored: what they write at once, and what follows from that, is stored with it", async () => {
  const { connection, flushes, put, keys } = stage();
  const told: string[] = [];
  const follow = async () => {
    await connection.write(put("claim"), "with the next");
    told.push(`claim after ${flushes.at(-1)}`);
    await connection.write(put("their commit"));
    told.push(`theirs after ${flushes.at(-1)}`);
  };
  let theirs: Promise<void> | undefined;
  await connection.write(put("end"), () => {
    theirs = follow();
    return true;
  });
  told.push(`end after ${flushes.at(-1)}`);
  await theirs;
  expect(told).toEqual(["claim after BEGIN IMMEDIATE", "end after COMMIT", "theirs after COMMIT"]);
  expect(flushes).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  expect(keys()).toEqual(["claim", "end", "their commit"]);
});

test("nothing comes in between: neither a timer nor the next turn of the loop", async () => {
  const { connection, flushes, put } = stage();
  const seen: (string | undefined)[] = [];
  const written = connection.write(put("end"), () => {
    setTimeout(() => seen.push(flushes.at(-1)), 0);
    setImmediate(() => seen.push(flushes.at(-1)));
    const until = performance.now() + 3;
    while (performance.now() < until);
    return true;
  });
  await written;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(seen).toEqual(["COMMIT", "COMMIT"]);
});

test("the disk fails at the end: neither the write is there nor what followed from it", async () => {
  let isFull = false;
  const { connection, put, keys } = stage((sql) => {
    if (isFull && sql === "COMMIT") throw diskError("ENOSPC");
  });
  isFull = true;
  let theirs: Promise<unknown> | undefined;
  const end = connection.write(put("end"), () => {
    theirs = connection.write(put("theirs"));
    theirs.catch(() => {});
    return true;
  });
  await expect(end).rejects.toMatchObject({ code: "ENOSPC" });
  await expect(theirs).rejects.toMatchObject({ code: "ENOSPC" });
  isFull = false;
  expect(keys()).toEqual([]);
});

test("who follows without end does not keep the others waiting: a flush has only so many writes", async () => {
  const { connection, flushes, put } = stage();
  let count = 0;
  const follow = (): boolean => {
    count += 1;
    if (count <= 40) connection.write(put(`f${count}`), follow).catch(() => {});
    return count <= 40;
  };
  await connection.write(put("first"), follow);
  expect(count).toBe(32);
  expect(flushes).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
});

test("what follows fails by itself, and the claim lands", async () => {
  const { connection, put, keys } = stage();
  await connection.write(put("claim"), "with the next");
  const failed = connection.write(() => {
    put("half")();
    throw new Error("changed its mind");
  });
  await expect(failed).rejects.toThrow("changed its mind");
  expect(keys()).toEqual(["claim"]);
});

test("a write that fails tells nobody", async () => {
  const { connection, keys } = stage();
  const told: string[] = [];
  const failed = connection.write(
    () => {
      throw new Error("no");
    },
    () => told.push("told") > 0,
  );
  await expect(failed).rejects.toThrow("no");
  expect([told, keys()]).toEqual([[], []]);
});

test("a claim that fails is told so, leaves nothing, and holds nobody up", async () => {
  const { connection, put, keys } = stage();
  const failed = connection.write(() => {
    put("half")();
    throw new Error("no");
  }, "with the next");
  await expect(failed).rejects.toThrow("no");
  await connection.write(put("other"));
  expect(keys()).toEqual(["other"]);
});

test("the disk fails at the commit: neither of the two is there, and the next write has a new connection", async () => {
  let isFull = false;
  const { connection, put, keys } = stage((sql) => {
    if (isFull && sql === "COMMIT") throw diskError("ENOSPC");
  });
  isFull = true;
  await connection.write(put("claim"), "with the next");
  await expect(connection.write(put("commit"))).rejects.toMatchObject({
    code: "ENOSPC",
  } satisfies Partial<StorageFailure>);
  isFull = false;
  expect(keys()).toEqual([]);
  await connection.write(put("later"));
  expect(keys()).toEqual(["later"]);
});

test("the connection is lost in between, by a read: what follows fails and is not taken for stored", async () => {
  let isBroken = false;
  const { connection, put, keys } = stage((sql) => {
    if (isBroken && sql.startsWith("SELECT")) throw diskError("EIO");
  });
  await connection.write(put("claim"), "with the next");
  const commit = connection.write(put("commit"));
  isBroken = true;
  expect(() => keys()).toThrow();
  isBroken = false;
  await expect(commit).rejects.toMatchObject({ code: "EIO" });
  expect(keys()).toEqual([]);
});

test("a look at one moment is part of the open flush, and another connection sees none of it", async () => {
  const { connection, put, look, path } = stage();
  const other = new Connection({ path, durability: "strict" });
  open.push(other);
  await connection.write(put("claim"), "with the next");
  expect(connection.snapshot(look)).toEqual(["claim"]);
  const seen = other.read(() => other.statement("SELECT count(*) AS n FROM meta").get()?.["n"]);
  expect(seen).toBe(0);
});

test("closed at once, it lands first", async () => {
  const { connection, put, path } = stage();
  await connection.write(put("claim"), "with the next");
  await connection.close();
  const again = new Connection({ path, durability: "strict" });
  open.push(again);
  expect(again.read(() => again.statement("SELECT count(*) AS n FROM meta").get()?.["n"])).toBe(1);
});
