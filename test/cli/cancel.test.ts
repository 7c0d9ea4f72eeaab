// Stopping trees: from another process, and when nobody hosts them any more.
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, Place, until } from "./cli.ts";
import { asks, atWork, boss, effects, endTools, idOf, kill, slow, start, threads, worker } from "./family.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...worker("good", "- says: good work\n"),
    ...asks("asks"),
    ...slow("slow"),
    ...boss(
      "mid",
      `- says: mid\n  calls:\n${start("slow", ', limits: { spend: "0.10" }, wait: true')}- says: middle\n`,
    ),
    ...boss(
      "patient",
      `- says: one\n  calls:\n${start("mid", ', limits: { spend: "0.60" }, wait: true')}- says: done\n`,
    ),
    ...boss("wave", `- says: one\n  calls:\n${start("slow")}${start("asks")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  endTools(place);
  place.remove();
});

const statuses = async () =>
  Object.fromEntries((await threads(place)).map(({ directive, status }) => [directive, status]));

test("a cancel from elsewhere stops the whole tree, and says what became of every call", async () => {
  const run = place.start(["run", "patient", "--json"]);
  await atWork(place);
  const slowId = await idOf(place, "slow");
  const cancel = await place.json("cancel", "patient", "--reason", "wrong plan", "--wait");
  expect(cancel).toMatchObject({ exit: 0, kind: "cancel", data: { waiting_on: [] } });
  expect(cancel.data.cancelled).toHaveLength(3);
  expect(cancel.data.requested).toEqual([await idOf(place, "patient")]);
  const bottom = cancel.data.threads.find(({ directive }: { directive: string }) => directive === "slow");
  expect(bottom).toMatchObject({ thread_id: slowId, report: [{ tool: "bash", outcome: "stopped" }] });
  expect(checked(await run.ended)).toMatchObject({ exit: 4, data: { status: "cancelled" } });
  expect(await statuses()).toEqual({ patient: "cancelled", mid: "cancelled", slow: "cancelled" });
  const again = await place.json("cancel", "patient-", "--tree");
  expect(again).toMatchObject({ exit: 6, error: { code: "E_WRONG_STATE" } });
  expect((await place.json("verify")).exit).toBe(0);
});

test("what a killed run left is ended here, leaves first, without model or tool", async () => {
  const run = place.start(["run", "patient"]);
  await atWork(place);
  await kill(run);
  const cancel = await place.run(["cancel", "mid", "--tree"]);
  expect(cancel.code).toBe(0);
  const lines = cancel.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^⊘ slow-\S+ {2}cancelled.*bash: outcome unknown/);
  expect(lines[1]).toMatch(/^⊘ mid-/);
  expect(lines[2]).toMatch(/^⊘ patient-/);
  expect(lines[3]).toMatch(/^Its work is kept: selvage show patient-/);
  expect(await statuses()).toEqual({ patient: "cancelled", mid: "cancelled", slow: "cancelled" });
  expect(effects(place)).toEqual(["slow"]);
  expect((await place.json("verify")).exit).toBe(0);
});

test("--siblings stops the others; the one that is named goes on", async () => {
  const run = place.start(["run", "wave"]);
  await atWork(place);
  const child = await until(async () => {
    const found = (await threads(place)).find(({ directive }) => directive === "asks");
    return found?.["status"] === "suspended" && found["thread_id"];
  });
  const cancel = await place.json("cancel", "slow", "--siblings");
  expect(cancel.data).toMatchObject({ requested: [child], cancelled: [child] });
  expect(await statuses()).toMatchObject({ asks: "cancelled", slow: "running" });
  expect(await place.json("cancel", "slow", "--siblings")).toMatchObject({ exit: 6 });
  expect(await place.json("cancel", "wave", "--siblings")).toMatchObject({ exit: 6 });
  expect(await place.json("cancel", "slow", "--siblings", "--tree")).toMatchObject({ exit: 2 });
  endTools(place);
  expect((await run.ended).code).toBe(0);
});

test("--after-tool lets the tool end and starts nothing; without --wait it says what is waited for", async () => {
  const run = place.start(["run", "patient"]);
  await atWork(place);
  const asked = place.start(["cancel", "patient", "--after-tool", "--wait", "--json"]);
  await until(async () => (await place.json("ps", "-s", "stopping")).data.threads.length > 0);
  const shown = await place.json("show", "slow");
  expect(shown.data).toMatchObject({ status: "running", view: "stopping", now: { tool: "bash" } });
  endTools(place);
  const cancel = checked(await asked.ended);
  expect(cancel.data.waiting_on).toEqual([]);
  const bottom = cancel.data.threads.find(({ directive }: { directive: string }) => directive === "slow");
  expect(bottom.report).toMatchObject([{ tool: "bash", outcome: "finished" }]);
  expect((await run.ended).code).toBe(4);
  expect(await statuses()).toEqual({ patient: "cancelled", mid: "cancelled", slow: "cancelled" });
});

test("several at once; one that has ended stops all of it before anything is written", async () => {
  const first = (await place.json("run", "wave", "--timeout", "2")).data.thread_id;
  const second = (await place.json("run", "good")).data.thread_id;
  expect(await place.json("cancel", first, second)).toMatchObject({ exit: 6 });
  expect((await place.json("show", first)).data.status).toBe("running");
  expect(await place.json("cancel", "nobody-1-aaaaaa", first)).toMatchObject({ exit: 5 });
  const cancel = await place.json("cancel", first, "slow");
  expect(cancel).toMatchObject({ exit: 0 });
  expect(await statuses()).toMatchObject({ wave: "cancelled", slow: "cancelled", asks: "cancelled" });
});

test("a Ctrl-C stops only the waiting", async () => {
  const run = place.start(["run", "patient"]);
  await atWork(place);
  const asked = place.start(["cancel", "patient", "--after-tool", "--wait"]);
  await until(async () => (await place.json("ps", "-s", "stopping")).data.threads.length > 0);
  asked.child.kill("SIGINT");
  expect(await asked.ended).toMatchObject({ code: 130, stdout: expect.stringContaining("is asked to stop") });
  endTools(place);
  expect((await run.ended).code).toBe(4);
});
