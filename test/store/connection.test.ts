import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "../../src/store/connection.ts";
import { openDriver } from "../../src/store/driver.ts";
import { diskError, scratch } from "./disk.ts";

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
