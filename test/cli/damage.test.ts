// A store that is damaged, unreadable or in the way: named, never guessed about, never overwritten.
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted } from "./cli.ts";

let place: Place;
let path: string;
beforeEach(async () => {
  place = new Place(scripted("fine", "- says: fine\n"));
  path = join(place.root, ".ai/threads/registry.db");
  await place.ok("trust", "--yes");
  await place.ok("run", "fine");
});
afterEach(() => place.remove());

test.each([
  ["garbage", () => writeFileSync(path, Buffer.alloc(20_000, "garbage "))],
  ["cut short", () => truncateSync(path, 3_000)],
])("a database that is %s stops the project with E_CORRUPT and stays as it is", async (_, damage) => {
  for (const tail of ["-wal", "-shm"]) rmSync(`${path}${tail}`, { force: true });
  damage();
  const before = readFileSync(path);
  for (const args of [["ps"], ["run", "fine"], ["verify"], ["recover"]]) {
    expect(await place.json(...args), args.join(" ")).toMatchObject({
      exit: 1,
      error: { code: "E_CORRUPT" },
    });
  }
  expect(readFileSync(path)).toEqual(before);
  expect(readFileSync(`${path}.damaged`)).toEqual(before);
});

test("a file where the folder should be is E_DISK", async () => {
  rmSync(join(place.root, ".ai/threads"), { recursive: true });
  writeFileSync(join(place.root, ".ai/threads"), "in the way");
  // Without its store the project is one nobody said yes to: looking shows nothing, and a new yes needs a place.
  expect((await place.json("ps")).data.threads).toEqual([]);
  expect(await place.json("run", "fine")).toMatchObject({ exit: 9, error: { code: "E_UNTRUSTED" } });
  expect(await place.json("trust", "--yes")).toMatchObject({ exit: 1, error: { code: "E_DISK" } });
});

test("a store of a newer version is left untouched", async () => {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 9999");
  database.close();
  expect(await place.json("ps")).toMatchObject({ exit: 6, error: { code: "E_STORE_NEWER" } });
});

test("one damaged thread is named everywhere and delays no other", async () => {
  place.write(scripted("down", "- fails: { status: 503, message: overloaded }\n"));
  place.write({ ".ai/config/resilience.yaml": "retry: { max_retries: 0 }\n" });
  const { thread_id: id } = (await place.json("run", "down")).data;
  const { last_event_seq: last } = (await place.json("show", id)).data;
  alterLastEvent();
  expect((await place.json("show", id)).data).toMatchObject({
    status: "suspended",
    suspend_reason: "corrupt",
    damage: { last_good: last - 1 },
  });
  expect((await place.json("ps")).data.threads).toMatchObject([{ thread_id: id, suspend_reason: "corrupt" }]);
  expect(await place.json("verify")).toMatchObject({
    exit: 1,
    kind: "verify",
    data: { findings: [{ thread_id: id, last_good: last - 1 }] },
  });
  expect(await place.json("logs", id)).toMatchObject({ exit: 1, error: { code: "E_CORRUPT" } });
  expect(await place.json("export", id, "--files")).toMatchObject({ exit: 1, error: { code: "E_CORRUPT" } });
  expect((await place.json("run", "fine")).exit).toBe(0);
  // Resuming finds the damage and sets the thread aside; ending it needs no load.
  expect(await place.json("recover", id)).toMatchObject({
    exit: 3,
    data: { threads: [{ suspend_reason: "corrupt" }] },
  });
  expect(await place.json("recover", id)).toMatchObject({ exit: 1, error: { code: "E_CORRUPT" } });
  expect(await place.json("recover", id, "--mark-error")).toMatchObject({
    exit: 0,
    data: { threads: [{ status: "error" }] },
  });
});

test("a transcript that is ahead of the store is kept as evidence", async () => {
  const { thread_id: id, last_event_seq: last } = (await place.json("show", "@last")).data;
  const transcript = join(place.root, ".ai/threads", id, "transcript.jsonl");
  const lost = readFileSync(transcript, "utf8")
    .trimEnd()
    .split("\n")
    .at(-1)
    ?.replace(`"seq":${last}`, `"seq":${last + 1}`);
  appendFileSync(transcript, `${lost}\n`);
  const before = readFileSync(transcript, "utf8");
  expect(await place.json("export", id, "--files")).toMatchObject({ exit: 1, error: { code: "E_CORRUPT" } });
  const all = await place.json("export", "--all", "--files");
  expect(all).toMatchObject({ exit: 0, data: { threads: 0 }, warnings: [expect.stringContaining(id)] });
  expect(readFileSync(transcript, "utf8")).toBe(before);
  expect((await place.json("verify")).exit).toBe(1);
});

function alterLastEvent(): void {
  const database = new DatabaseSync(path);
  const columns = database
    .prepare("PRAGMA table_info(events)")
    .all()
    .map((column) => String(column["name"]));
  const body = columns.includes("body") ? "body" : "payload";
  database.exec(
    `UPDATE events SET ${body} = replace(${body}, 'overloaded', 'overlooked') WHERE rowid = (SELECT max(rowid) FROM events)`,
  );
  database.close();
}
