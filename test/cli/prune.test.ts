// prune: whole trees go, by their number, and what is left is as sound as before.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, scripted, until } from "./cli.ts";
import { boss, start, threads, worker } from "./family.ts";
import { TestTerminal } from "./terminal.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...scripted("hello", "- says: hello\n"),
    ...scripted("fails", "- fails: { status: 401, message: no }\n"),
    ...worker("child", "- says: done\n"),
    ...boss("tree", `- says: one\n  calls:\n${start("child", ", wait: true")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => place.remove());

const OLD = ["prune", "--older-than", "0s"];

test("a dry run says what would go, and nothing goes", async () => {
  await place.ok("run", "tree");
  await place.ok("run", "hello");
  const { data } = await place.json(...OLD, "--dry-run");
  expect(data).toMatchObject({ would_delete: 2, trees: 1, deleted: 0, unexported: 2, kept_failed: 0 });
  expect(data.bytes).toBeGreaterThan(1000);
  expect(data.oldest_kept).toMatch(/^\d{4}-/);
  const human = await place.run([...OLD, "--dry-run"]);
  expect(human.stdout).toMatch(/^TREE +STATE +THREADS +ENDED\ntree-\S+ +completed +2 +\d+s/);
  expect(human.stderr).toContain("2 threads in 1 tree");
  // Why one that is old enough stays, is said; for one that is not, its age says it.
  expect(human.stderr).toContain("the tree in which something happened last always stays");
  expect((await place.run(["prune", "--dry-run"])).stderr).not.toContain("always stays");
  expect(await threads(place)).toHaveLength(3);
  // By default only what ended a month ago.
  expect((await place.json("prune", "--dry-run")).data.would_delete).toBe(0);
});

test("with its number a tree goes whole, its files too, and verify holds", async () => {
  const { data } = await place.json("run", "tree");
  await place.ok("run", "hello");
  const spent = (await place.json("cost", "hello")).data.total.own;
  const folder = join(place.root, ".ai/threads", data.thread_id);
  expect(existsSync(folder)).toBe(true);
  expect((await place.json(...OLD, "--confirm", "2")).data).toMatchObject({ deleted: 2 });
  expect((await threads(place)).map((thread) => thread["directive"])).toEqual(["hello"]);
  expect(existsSync(folder)).toBe(false);
  expect((await place.json("verify")).data).toMatchObject({ threads: 1, findings: [] });
  expect((await place.json("cost")).data.total.own).toBe(spent);
  expect(await place.json("show", data.thread_id)).toMatchObject({ exit: 5 });
  expect((await place.json("run", "tree")).data.status).toBe("completed");
});

test("without its number nothing goes, nor with another one", async () => {
  await place.ok("run", "hello");
  await place.ok("run", "hello");
  expect(await place.json(...OLD)).toMatchObject({
    exit: 2,
    error: { code: "E_USAGE", next: [{ cmd: "selvage prune --confirm 1" }, {}] },
  });
  expect(await place.json(...OLD, "--yes")).toMatchObject({ exit: 2 });
  expect(await place.json(...OLD, "--confirm", "2")).toMatchObject({ exit: 6 });
  expect(await place.json("prune", "--older-than", "soon")).toMatchObject({ exit: 2 });
  expect(await threads(place)).toHaveLength(2);
});

test("what somebody has elsewhere goes with a yes", async () => {
  const { data } = await place.json("run", "hello");
  await place.ok("run", "hello");
  await place.ok("export", data.thread_id, "--html", "-o", "a.html");
  expect((await place.json(...OLD, "--dry-run")).data).toMatchObject({ would_delete: 1, unexported: 0 });
  expect((await place.json(...OLD, "--yes")).data).toMatchObject({ deleted: 1 });
});

test("failed ones can be kept, live ones always are", async () => {
  await place.run(["run", "fails"]);
  place.write({ ".ai/config/resilience.yaml": "retry: { max_retries: 0 }\n" });
  place.write(scripted("stuck", "- fails: { status: 503, message: no }\n"));
  expect((await place.run(["run", "stuck"])).code).toBe(3);
  await place.ok("run", "hello");
  expect((await place.json(...OLD, "--keep-failed", "--dry-run")).data).toMatchObject({
    ...{ would_delete: 0, kept_failed: 1, kept_live: 1 },
  });
  expect((await place.json(...OLD, "--dry-run")).data).toMatchObject({ would_delete: 1 });
});

test("a tool may not prune", async () => {
  const ended = await place.run([...OLD, "--confirm", "1"], { SELVAGE_THREAD: "x-1-abc" });
  expect(ended.code).toBe(9);
});

test("at a terminal the number is typed", async () => {
  await place.ok("run", "hello");
  await place.ok("run", "hello");
  const no = new TestTerminal(place, `selvage ${OLD.join(" ")}`);
  await no.shows("Type 1 to delete");
  no.press("2\r");
  expect(await no.ended).toBe(0);
  expect(await threads(place)).toHaveLength(2);
  const yes = new TestTerminal(place, `selvage ${OLD.join(" ")}`);
  await yes.shows("Type 1 to delete");
  yes.press("1\r");
  expect(await yes.ended).toBe(0);
  await until(async () => (await threads(place)).length === 1);
});
