// Waiting for threads, speaking to them, and the feed of the project: from processes that host nothing.
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, Place, until } from "./cli.ts";
import { asks, atWork, boss, endTools, idOf, kill, slow, start, threads, worker } from "./family.ts";

let place: Place;
beforeEach(async () => {
  place = new Place({
    ...worker("good", "- says: good work\n"),
    ...worker("bad", "- fails: { status: 401, message: no key }\n"),
    ...asks("asks"),
    ...slow("slow"),
    ...boss("wave", `- says: one\n  calls:\n${start("slow")}${start("bad")}- says: done\n`),
    ...boss("asking", `- says: one\n  calls:\n${start("asks", ", wait: true")}- says: done\n`),
  });
  await place.ok("trust", "--yes");
});
afterEach(() => {
  endTools(place);
  place.remove();
});

async function running(): Promise<ReturnType<Place["start"]>> {
  const run = place.start(["run", "wave"]);
  await atWork(place);
  await until(async () => (await threads(place)).some(({ status }) => status === "error"));
  return run;
}

test("all of them, from another process: the truth about each, and the worst of the exits", async () => {
  const run = await running();
  const wait = place.start(["wait", "slow", "bad-", "wave", "--json"]);
  // Nobody ends before the tool does.
  await until(async () => (await place.json("wait", "slow", "--timeout", "0.2")).exit === 8);
  endTools(place);
  const waited = checked(await wait.ended);
  expect(waited).toMatchObject({ exit: 1, kind: "wait", ok: false });
  const [slowId, badId, waveId] = [
    await idOf(place, "slow"),
    await idOf(place, "bad"),
    await idOf(place, "wave"),
  ];
  expect(waited.data).toMatchObject({
    success: false,
    failed_thread: badId,
    total_cost: expect.stringMatching(/^0\.\d+$/),
    elapsed_seconds: expect.any(Number),
    threads: {
      [slowId]: { status: "completed", result: "late", cost: { turns: 2 } },
      [badId]: { status: "error", error: expect.stringContaining("no key") },
      [waveId]: { status: "completed", result: "done" },
    },
  });
  expect((await run.ended).code).toBe(0);
  // What has ended is told as what it was.
  expect(await place.json("wait", slowId, waveId)).toMatchObject({ exit: 0, data: { success: true } });
});

test("one is enough, so many are enough, and the first failure is enough", async () => {
  const run = await running();
  const first = (await place.json("run", "good")).data.thread_id;
  expect(await place.json("wait", "slow", first, "--any")).toMatchObject({
    exit: 0,
    data: { success: true },
  });
  const fast = await place.json("wait", "slow", "bad-", "--fail-fast", "--cancel-siblings");
  const [slowId, badId] = [await idOf(place, "slow"), await idOf(place, "bad")];
  expect(fast).toMatchObject({
    exit: 1,
    data: { failed_thread: badId, threads: { [slowId]: { status: "cancel_requested" } } },
  });
  expect((await run.ended).code).toBe(0);
  const { events } = (await place.json("logs", slowId)).data;
  expect(events.at(-1)).toMatchObject({ type: "thread_cancelled", reason: `Sibling thread ${badId} failed` });
  expect(await place.json("wait", slowId, "--require", "1")).toMatchObject({ exit: 4 });
  expect(await place.json("wait", slowId, "--cancel-siblings")).toMatchObject({ exit: 2 });
  expect(await place.json("wait", slowId, "--require", "2")).toMatchObject({ exit: 2 });
  expect(await place.json("wait", "nobody")).toMatchObject({ exit: 5 });
});

test("a time-out, a question and a killed host end the wait, and harm nobody", async () => {
  const run = await running();
  const late = await place.run(["wait", "wave", "--timeout", "0.3"]);
  expect(late).toMatchObject({ code: 8, stdout: expect.stringContaining("not waited for any longer") });
  const stopped = place.start(["wait", "wave"]);
  await new Promise((resolve) => stopped.child.stderr?.once("data", resolve));
  stopped.child.kill("SIGINT");
  expect((await stopped.ended).code).toBe(130);
  const orphaned = place.start(["wait", "slow"]);
  await new Promise((resolve) => orphaned.child.stderr?.once("data", resolve));
  await kill(run);
  expect(await orphaned.ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("selvage recover slow-"),
  });
  await place.run(["run", "asking"]);
  const asked = await place.run(["wait", "asking"]);
  expect(asked.code).toBe(3);
  expect(asked.stderr).toMatch(/selvage approve ap_\w+/);
  expect((await place.json("wait", "asking")).data.needs_you).toMatchObject([{ suspend_reason: "approval" }]);
});

test("a message is read at the next turn; who has ended reads nothing", async () => {
  const run = place.start(["run", "slow"]);
  await atWork(place);
  const sent = await place.json("send", "slow", "please hurry");
  expect(sent).toMatchObject({
    exit: 0,
    kind: "send",
    data: { position: 1, turn: 2, hosted: true, deliver_at: expect.stringContaining("read at turn 2") },
  });
  endTools(place);
  expect((await run.ended).code).toBe(0);
  const { events } = (await place.json("logs", "@last")).data;
  expect(events.find(({ type }: { type: string }) => type === "message_received")).toMatchObject({
    text: "please hurry",
    by: expect.stringContaining("@"),
  });
  const before = events.length;
  expect(await place.json("send", "@last", "too late")).toMatchObject({
    exit: 6,
    error: { code: "E_WRONG_STATE" },
  });
  expect((await place.json("logs", "@last")).data.events).toHaveLength(before);
});

test("a thread that nobody hosts has it in its journal at once, and can still be answered", async () => {
  await place.run(["run", "asking"]);
  place.write({ "note.txt": "from a file\n" });
  const sent = await place.run(["send", "asks", "--file", "note.txt"]);
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("once it goes on") });
  const piped = place.start(["send", "asking", "-", "--json"], {}, "pipe");
  piped.child.stdin?.end("from a pipe\n");
  expect(checked(await piped.ended)).toMatchObject({ exit: 0 });
  expect(await place.json("send", "asks", " ")).toMatchObject({ exit: 2 });
  expect(await place.json("send", "asks")).toMatchObject({ exit: 2 });
  expect((await place.run(["approve", "asks"])).code).toBe(0);
  const { events } = (await place.json("events", "--type", "message_received")).data;
  expect(events.map(({ text }: { text: string }) => text)).toEqual(["from a file\n", "from a pipe\n"]);
});

test("a tool speaks for itself, and only to whom its thread may", async () => {
  await place.run(["run", "asking"]);
  const [asking, child] = [await idOf(place, "asking"), await idOf(place, "asks")];
  const as = (thread: string, to: string) => place.run(["send", to, "hello"], { SELVAGE_THREAD: thread });
  expect((await as(asking, child)).code).toBe(0);
  expect((await as(child, asking)).code).toBe(0);
  const stranger = (await place.json("run", "good")).data.thread_id;
  expect(await as(stranger, child)).toMatchObject({ code: 9, stderr: expect.stringContaining("E_AGENT") });
  const { events } = (await place.json("events", "--type", "message_received", "--thread", child)).data;
  expect(events).toMatchObject([{ by: `a tool of ${asking}` }]);
});

test("the feed: everything in order, from a place on, of one type or thread, and as it grows", async () => {
  await place.run(["run", "asking"]);
  const all = (await place.json("events", "--from", "0")).data;
  expect(all.events[0]).toMatchObject({ cursor: 1, seq: 1, type: "thread_created" });
  expect(all.events.map(({ cursor }: { cursor: number }) => cursor)).toEqual(
    all.events.map((_: unknown, at: number) => at + 1),
  );
  expect(all.cursor).toBe(all.events.length);
  expect((await place.json("events", "--from", "5")).data.events[0].cursor).toBe(6);
  expect((await place.json("events", "-n", "2")).data.events).toHaveLength(2);
  const types = (await place.json("events", "--type", "thread_created,wait_started")).data.events;
  expect(types.map(({ type }: { type: string }) => type)).toEqual([
    "thread_created",
    "wait_started",
    "thread_created",
  ]);
  expect(await place.json("events", "--type", "thread_create")).toMatchObject({
    exit: 2,
    error: { why: "Did you mean thread_created?" },
  });
  expect(await place.ok("events", "--thread", "asks")).toMatch(
    /^\d+ \d\d:\d\d:\d\d asks-\w{6} thread_created /,
  );
  const followed = place.start(["events", "-f", "--from", String(all.cursor), "--jsonl"]);
  let seen = "";
  followed.child.stdout?.on("data", (bytes) => {
    seen += bytes;
  });
  await place.run(["run", "good"]);
  await until(() => seen.includes('"thread_completed"'));
  followed.child.kill("SIGINT");
  const { code, stdout } = await followed.ended;
  expect(code).toBe(130);
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ cursor: all.cursor + 1, type: "thread_created" });
  expect(records.at(-1)).toMatchObject({ kind: "events", data: { cursor: records.at(-2).cursor } });
});
