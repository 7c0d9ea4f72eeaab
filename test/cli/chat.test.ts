// A talk at the terminal: what was said is kept, answered once, and goes on after any death.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place, QUICK_RETRIES, scripted, until } from "./cli.ts";

const SCRIPT = `- says: Hello there.
- calls: [{ tool: bash, input: { command: "sleep 4; echo done >> out.txt" } }]
- says: It is done.
- says: And a fourth.
`;
const place = new Place();

beforeAll(async () => {
  await place.ok("init");
  place.write(scripted("chat", SCRIPT));
  await place.ok("trust", "--yes");
});
afterAll(() => place.remove());

async function talk(...lines: string[]) {
  const { child, ended } = place.start(["chat"], {}, "pipe");
  child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
  return ended;
}

async function answers(): Promise<string[]> {
  const [row] = (await place.json("ps", "--all")).data.threads;
  const told = readFileSync(join(place.root, ".ai/threads", row.thread_id, "transcript.jsonl"), "utf8");
  return told.split("\n").flatMap((line) => {
    const event = line === "" ? undefined : JSON.parse(line);
    return event?.type === "message_answered" ? [event.text] : [];
  });
}

test("what was asked before the end of the input is answered, and the thread waits for more", async () => {
  const { code, stdout } = await talk("hi");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello there.\n" });
  const { threads } = (await place.json("ps")).data;
  expect(threads).toMatchObject([{ directive: "chat", status: "running" }]);
  expect(await place.ok("ps")).toContain("waits for the next message");
});

test("killed in the middle of a message, the next talk answers it, once", async () => {
  const { child, ended } = place.start(["chat"], {}, "pipe");
  child.stdin?.write("do it\n");
  const [row] = (await place.json("ps")).data.threads;
  await until(async () => (await place.ok("logs", row.thread_id)).includes("bash"));
  child.kill("SIGKILL");
  await ended;
  const { code, stdout } = await talk("/status");
  expect(code).toBe(0);
  expect(stdout).toContain("It is done.");
  expect(await answers()).toEqual(["Hello there.", "It is done."]);
});

test("another room is another talk; machines are told what is for them", async () => {
  const { child, ended } = place.start(["chat", "--room", "other"], {}, "pipe");
  child.stdin?.end("hi\n");
  expect(await ended).toMatchObject({ code: 0, stdout: "Hello there.\n" });
  expect((await place.json("ps")).data.threads).toHaveLength(2);
  expect((await place.json("chat")).error).toMatchObject({ code: "E_USAGE", next: [{ cmd: "selvage rpc" }] });
});

test("a second terminal in a room is told so, and says nothing there", async () => {
  const { child, ended } = place.start(["chat", "--room", "busy"], {}, "pipe");
  child.stdin?.write("hi\n");
  await until(async () => (await place.json("ps")).data.threads.length === 3);
  const second = await place.run(["chat", "--room", "busy"]);
  expect(second.code).toBe(6);
  expect(second.stderr).toContain("Somebody talks in the room busy at another terminal.");
  child.stdin?.end();
  expect((await ended).code).toBe(0);
});

test("without a directive of its own it is the one that is built in, and what that lacks is said first", async () => {
  const bare = new Place();
  await bare.ok("init");
  await bare.ok("trust", "--yes");
  const { child, ended } = bare.start(["chat"], {}, "pipe");
  child.stdin?.end("hi\n");
  const { code, stdout, stderr } = await ended;
  expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: "" });
  expect(stderr).toMatch(/model|key/);
  bare.remove();
});

test("where nobody has trusted the project, nothing is read and nobody answers", async () => {
  const stranger = new Place(scripted("chat", SCRIPT));
  const { code, stderr } = await stranger.run(["chat"]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/trust/);
  stranger.remove();
});

test("/cancel stops a command that runs, and the talk goes on; `selvage cancel` ends it, and says so", async () => {
  const other = new Place();
  await other.ok("init");
  const command = "sleep 60; echo late >> never.txt";
  const script = `- calls: [{ tool: bash, input: { command: "${command}" } }]\n- says: Still here.\n`;
  other.write(scripted("chat", script));
  await other.ok("trust", "--yes");
  const { child, ended } = other.start(["chat"], {}, "pipe");
  child.stdin?.write("do it\n");
  const threads = async () => (await other.json("ps", "--all")).data.threads;
  await until(async () => (await threads()).length === 1);
  const [{ thread_id }] = await threads();
  await until(async () => (await other.ok("logs", thread_id)).includes("bash"));
  child.stdin?.end("/cancel wrong plan\nand now?\n");
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain("⊘ Stopped. Work is kept.");
  expect(stdout).toContain("Still here.");
  expect(await other.ok("logs", thread_id)).toContain("wrong plan");
  expect(await threads()).toMatchObject([{ thread_id, status: "running" }]);
  expect(await other.ok("cancel", thread_id)).toContain(thread_id);
  expect(await threads()).toMatchObject([{ thread_id, status: "cancelled" }]);
  other.remove();
});

test("whoever pipes messages in learns from the exit code that one was not answered", async () => {
  const down = new Place({ ...QUICK_RETRIES, ...scripted("chat", "- fails: { status: 500 }\n") });
  await down.ok("trust", "--yes");
  const { child, ended } = down.start(["chat"], {}, "pipe");
  child.stdin?.end("first\nsecond\n");
  const { code, stderr } = await ended;
  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/chat-\S+ needs you: selvage show chat-/),
  });
  down.remove();
});
