/** The folder of the store is deleted, moved or replaced under whoever has it open: nothing is written any more. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "../../src/store/connection.ts";
import { openExports } from "../../src/store/exports.ts";
import { openInbox } from "../../src/store/inbox.ts";
import { diskError, scratch, watchedDriver } from "./disk.ts";

const newPath = scratch();
const GONE = { code: "E_STORE_GONE" };

function opened(path = newPath(), open?: ReturnType<typeof watchedDriver>) {
  const connection = new Connection({ path, durability: "strict", ...(open && { open }) });
  const write = (key: string) =>
    connection.write(() =>
      connection.statement("INSERT INTO meta (key, value) VALUES (?, 'x')").run(`test-${key}`),
    );
  const count = () =>
    connection.read(() =>
      Number(connection.statement("SELECT count(*) AS n FROM meta WHERE key LIKE 'test-%'").get()?.["n"]),
    );
  return { path, connection, write, count };
}

test("a folder that was deleted: no write is taken for one, and it is not made again", async () => {
  const { path, connection, write, count } = opened();
  await write("a");
  rmSync(dirname(path), { recursive: true });
  await expect(write("b")).rejects.toMatchObject({
    ...GONE,
    why: expect.stringContaining("deleted or moved"),
  });
  await expect(Promise.all([write("c"), write("d")])).rejects.toMatchObject(GONE);
  // What was read before can still be read, by who has to say how things stood.
  expect(count()).toBe(1);
  await connection.close();
  expect(existsSync(dirname(path))).toBe(false);
});

test("a folder that came back is the store again", async () => {
  const { path, connection, write, count } = opened();
  await write("a");
  renameSync(dirname(path), `${dirname(path)}.away`);
  await expect(write("b")).rejects.toMatchObject(GONE);
  renameSync(`${dirname(path)}.away`, dirname(path));
  await write("c");
  expect(count()).toBe(2);
  await connection.close();
});

test("another store in its place is not touched, not even by a copy of ours", async () => {
  const { path, connection, write } = opened();
  await write("a");
  renameSync(dirname(path), `${dirname(path)}.old`);
  mkdirSync(dirname(path));
  copyFileSync(`${path.replace(/\/[^/]+$/, ".old")}/registry.db`, path);
  for (const end of ["-wal", "-shm"]) writeFileSync(path + end, "theirs");
  const before = readFileSync(path);
  await expect(write("b")).rejects.toMatchObject({ ...GONE, why: expect.stringContaining("Another file") });
  await connection.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readFileSync(`${path}-wal`, "utf8")).toBe("theirs");
});

test("after a failure of the disk no store is made where there is none any more", async () => {
  let isBroken = false;
  const broken = watchedDriver((sql) => {
    if (isBroken && sql === "COMMIT") throw diskError("EIO");
  });
  const { path, connection, write } = opened(newPath(), broken);
  isBroken = true;
  await expect(write("a")).rejects.toMatchObject({ code: "EIO" });
  rmSync(dirname(path), { recursive: true });
  await expect(write("b")).rejects.toMatchObject(GONE);
  expect(() => connection.read(() => connection.statement("SELECT 1 AS n").get())).toThrow(
    expect.objectContaining(GONE),
  );
  await connection.close();
  expect(existsSync(dirname(path))).toBe(false);
});

test("neither exports nor the watch for files make the folder again", () => {
  const folder = join(dirname(newPath()), "threads");
  const failed: string[] = [];
  const exports = openExports(folder, (message) => failed.push(message));
  const event = { type: "thread_started", thread_id: "t-1", seq: 1, run: 1 };
  exports.append([event as unknown as Parameters<typeof exports.append>[0][number]]);
  expect(failed).toEqual([`An export could not be written: ${folder} is gone`]);
  openInbox(folder, () => true).watch("t-1", () => {})();
  expect(existsSync(folder)).toBe(false);
});
