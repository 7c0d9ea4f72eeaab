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
