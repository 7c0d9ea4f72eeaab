import { afterEach, beforeEach, expect, test } from "vitest";
import { checked, Place, QUICK_RETRIES, scripted, until } from "./cli.ts";
import { atWork, endTools } from "./family.ts";
import { addressIn, endServe, SERVED_PROJECT, type Served, serving, talk } from "./served.ts";

let place: Place;
let served: Served | undefined;

beforeEach(async () => {
  place = new Place(SERVED_PROJECT);
  await place.ok("trust", "--yes");
});
afterEach(async () => {
  endTools(place);
  if (served) await endServe(served);
  served = undefined;
  place.remove();
});

test("resume and retry beside it", async () => {
  place.write({ ".ai/config/resilience.yaml": "retry: { base_delay_ms: 30000 }\n" });
  served = await serving(place);
  const away = place.start(["run", "away", "--json"]);
  const isRetrying = async () => (await place.json("ps")).data.threads[0]?.view === "retrying";
  await until(isRetrying);
  expect(await place.json("retry", "away", "--stop")).toMatchObject({ exit: 0 });
  expect(checked(await away.ended)).toMatchObject({ exit: 3, data: { suspend_reason: "error" } });
  const resume = place.start(["resume", "away", "--json"]);
  await until(isRetrying);
  expect(await place.json("retry", "away", "--now")).toMatchObject({ exit: 0 });
  expect(checked(await resume.ended)).toMatchObject({ exit: 0, data: { status: "completed" } });
  const more = await place.run(["resume", "away", "-m", "and now?"]);
  expect(more.code).toBe(0);
});

test("cancel, fork and send beside it", async () => {
  served = await serving(place);
  const run = place.start(["run", "slow", "--json"]);
  await atWork(place);
  expect(await place.json("send", "slow", "be quick")).toMatchObject({ exit: 0, data: { hosted: true } });
  expect(await place.json("cancel", "slow", "--wait")).toMatchObject({ exit: 0, data: { waiting_on: [] } });
  expect(checked(await run.ended)).toMatchObject({ exit: 4, data: { status: "cancelled" } });
  await place.ok("run", "hello");
  const fork = await place.json("fork", "hello", "-m", "once more");
  expect(fork).toMatchObject({ exit: 0, data: { result: { text: "and more" } } });
});

test("Ctrl-C leaves the thread to its host, and says how to watch it", async () => {
  served = await serving(place);
  const run = place.start(["run", "slow"]);
  await atWork(place);
  run.child.kill("SIGINT");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/It goes on without us: selvage logs -f slow-/);
  expect(stderr).not.toContain("Stopping");
  expect((await place.json("ps")).data.threads[0]).toMatchObject({ view: "running" });
  const late = await place.run(["run", "slow", "--timeout", "1"]);
  expect(late.code).toBe(8);
  expect(late.stderr).toMatch(/It goes on without us: selvage logs -f slow-/);
  endTools(place);
  await until(async () => (await place.json("ps")).data.threads.length === 0);
});

test("a root that another process hosts is left to it", async () => {
  const run = place.start(["run", "asks", "--json"]);
  await run.ended;
  place.write(QUICK_RETRIES);
  const slowRun = place.start(["run", "slow", "--json"]);
  await atWork(place);
  served = await serving(place);
  // Beside the host of a single root nothing changes: it stays that one's.
  expect((await place.json("show", "slow-")).data.host).toMatchObject({ pid: slowRun.child.pid });
  endTools(place);
  expect(checked(await slowRun.ended)).toMatchObject({ exit: 0, data: { status: "completed" } });
  expect(served.said()).not.toContain("slow-");
  expect(await place.json("approve", "asks")).toMatchObject({ exit: 0 });
  await until(async () => (await place.json("show", "asks-")).data.status === "completed");
});

test("hostile bytes are answered or dropped, and the host goes on", async () => {
  served = await serving(place);
  const { socket } = addressIn(place.root);
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  const hello = JSON.parse(await talk(socket, line({ id: "a", type: "hello" })));
  expect(hello).toMatchObject({
    ...{ id: "a", type: "response", command: "hello", success: true },
    data: { name: "selvage", protocol: 1, pid: served.pid },
  });
  const refused = async (bytes: string | Buffer) =>
    JSON.parse((await talk(socket, bytes)).split("\n")[0] ?? "");
  expect(await refused("no json\n")).toMatchObject({ success: false, command: "parse" });
  expect(await refused(Buffer.from([0xff, 0xfe, 0x0a]))).toMatchObject({ success: false });
  expect(await refused("[1]\n")).toMatchObject({ success: false });
  expect(await refused(line({ id: 7 }))).toMatchObject({ id: 7, success: false });
  expect(await refused(line({ id: 8, type: "constructor" }))).toMatchObject({ id: 8, success: false });
  expect(await refused(line({ id: 9, type: "recover", threads: "all" }))).toMatchObject({ success: false });
  expect(await refused(Buffer.alloc(200_000, "x"))).toMatchObject({ success: false });
  expect(await talk(socket, '{"half')).toBe("");
  const many = await talk(socket, line({ id: 1, type: "ping" }).repeat(500));
  expect(many.trimEnd().split("\n")).toHaveLength(500);
  await Promise.all(Array.from({ length: 100 }, () => talk(socket, Buffer.alloc(10_000, 0))));
  const status = JSON.parse(await talk(socket, line({ id: 2, type: "status" })));
  expect(status).toMatchObject({ id: 2, success: true, data: { counts: {}, spend_today: "0.0000" } });
  expect((await place.run(["run", "hello"])).code).toBe(0);
});

test("a tool in the sandbox cannot come in", async () => {
  const knock =
    "ls .ai/threads/.host; ls /tmp /run; echo '{}' | timeout 2 nc -U .ai/threads/.host/serve.sock";
  place.write(
    scripted(
      "knocks",
      `- says: knock\n  calls: [{ tool: bash, input: { command: "${knock.replaceAll('"', '\\"')}" } }]\n- says: done\n`,
    ),
  );
  served = await serving(place);
  const run = await place.json("run", "knocks");
  expect(run.exit).toBe(0);
  const { stderr } = await place.run(["run", "hello"]);
  // Without one a command can do whatever its user can, and that is said.
  if (!stderr.includes("Sandbox: bubblewrap")) return;
  const { events } = (await place.json("logs", run.data.thread_id)).data;
  const result = events.find(({ type }: { type: string }) => type === "tool_call_result");
  expect(result.output).not.toContain("response");
  expect(result.output.split("\n")).not.toContain("serve.sock");
});

test("--jsonl: every event, and one last record", async () => {
  const host = place.start(["serve", "--jsonl"]);
  await until(async () => (await place.json("status")).data.host !== null);
  await place.ok("run", "hello");
  host.child.kill("SIGINT");
  const { code, stdout } = await host.ended;
  expect(code).toBe(130);
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each));
  expect(records.map(({ type }) => type)).toContain("thread_completed");
  expect(records.at(-1)).toMatchObject({ kind: "serve", ok: false, exit: 130, data: { live: 0 } });
});
