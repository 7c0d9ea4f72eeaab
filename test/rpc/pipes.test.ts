// What a pipe can do to a protocol: floods, slow readers, ends, and lines that are none.
import { spawn } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { type Place, until } from "../cli/cli.ts";
import { CLI, project, raw } from "./stage.ts";

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

async function begin(script: string) {
  const place = await project(script);
  places.push(place);
  return place;
}

const answered = (server: ReturnType<typeof raw>, id: unknown) =>
  until(() => server.answers().find((answer) => answer["id"] === id));

test("lines end at LF alone; CR LF, U+2028 and a last line without LF are understood; what is none is told", async () => {
  const server = raw(await begin("- says: one\n"));
  server.read();
  server.write('{"id":"crlf","type":"ping"}\r', "no json", "", "[]", '{"id":"x","type":"pnig"}');
  server.write({ id: "sep", type: "chain_search", query: "a\u2028b" });
  await answered(server, "sep");
  server.child.stdin?.end('{"id":"last","type":"ping"}');
  expect(await server.ended).toBe(0);
  const told = server.answers();
  expect(told.find(({ id }) => id === "crlf")).toMatchObject({ success: true });
  expect(told.filter(({ command }) => command === "parse")).toHaveLength(2);
  expect(told.find(({ id }) => id === "x")).toMatchObject({ error: expect.stringContaining("ping") });
  expect(told.find(({ id }) => id === "sep")).toMatchObject({ success: false, code: "E_USAGE" });
  expect(told.find(({ id }) => id === "last")).toMatchObject({ success: true });
});

test("a line of 100 MB is refused without being kept, and the next one is answered", async () => {
  const server = raw(await begin("- says: one\n"));
  server.read();
  const piece = "x".repeat(1024 * 1024);
  for (let megabytes = 0; megabytes < 100; megabytes += 1)
    if (!server.child.stdin?.write(piece))
      await new Promise((resolve) => server.child.stdin?.once("drain", resolve));
  server.write("", { id: "after", type: "ping" });
  await answered(server, "after");
  expect(server.answers()[0]).toMatchObject({ command: "parse", error: expect.stringContaining("too long") });
  server.child.stdin?.end();
  expect(await server.ended).toBe(0);
});

test("a flood: every command is answered, those too many with a time to come again, and nothing stalls", async () => {
  const server = raw(await begin("- says: one\n"));
  server.read();
  server.write(...Array.from({ length: 10_000 }, (_, id) => ({ id, type: "ping" })));
  await until(() => server.answers().length === 10_000);
  const refused = server.answers().filter(({ code }) => code === "E_OVERLOADED");
  for (const each of refused) expect(each["retry_after_ms"]).toBeGreaterThan(0);
  expect(server.answers().filter(({ success }) => success).length).toBeGreaterThanOrEqual(1_000);
  server.write({ id: "after", type: "get_state" });
  expect(await answered(server, "after")).toMatchObject({ success: true });
  server.child.stdin?.end();
  expect(await server.ended).toBe(0);
});

test("a reader that sleeps loses nothing that is stored", async () => {
  const word = "word ".repeat(20);
  const chunks = Array.from({ length: 200 }, () => JSON.stringify(word)).join(", ");
  const answer = (n: number) => `- streams: { chunks: [${chunks}] }\n- says: end ${n}\n`;
  const server = raw(await begin([1, 2, 3].map(answer).join("")));
  server.write({ id: "s", type: "subscribe", from: 0 });
  server.write({ id: "p", type: "prompt", message: "long" });
  for (const n of [1, 2, 3])
    server.write({ id: `f${n}`, type: "prompt", message: `m${n}`, streamingBehavior: "followUp" });
  // Nobody reads meanwhile: pipes are full, and the thread goes on all the same.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  server.read();
  await until(() => server.lines.some(({ type }) => type === "agent_settled"));
  await until(() => server.lines.some((line) => line["event"]?.type === "thread_completed"));
  const seqs = server.lines.flatMap((line) => (line["event"]?.seq === undefined ? [] : [line["event"].seq]));
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  const whole = server.lines.filter(
    ({ type, message }) => type === "message_end" && message.role === "assistant",
  );
  expect(whole).toHaveLength(4);
  server.child.stdin?.end();
  expect(await server.ended).toBe(0);
});

test("the end of standard input: what was asked is answered, the process ends with 0, the thread is taken up later", async () => {
  const place = await begin(`- calls: [{ tool: bash, input: { command: "sleep 30" } }]\n- says: later\n`);
  const server = raw(place);
  server.read();
  server.write({ id: "p", type: "prompt", message: "go" });
  await until(() => server.lines.some(({ type }) => type === "tool_execution_start"));
  server.write({ id: "w", type: "wait_threads", thread_ids: ["@last"] });
  server.child.stdin?.end(`${JSON.stringify({ id: "state", type: "get_state" })}\n`);
  expect(await server.ended).toBe(0);
  expect(server.answers().find(({ id }) => id === "state")).toMatchObject({ success: true });
  const { data } = await place.json("ps", "-a");
  expect(data.threads).toHaveLength(1);
  expect(["running", "suspended"]).toContain(data.threads[0].status);
  await place.ok("recover", "--all");
  expect((await place.json("show", "@last")).data.status).toBe("completed");
});

test("an abort before the end of standard input is carried out and answered", async () => {
  const place = await begin("- hangs: true\n");
  const server = raw(place);
  server.read();
  server.write({ id: 1, type: "prompt", message: "go" }, { id: 2, type: "abort" });
  server.child.stdin?.end();
  expect(await server.ended).toBe(0);
  expect(server.answers().find(({ id }) => id === 2)).toMatchObject({ command: "abort", success: true });
  expect((await place.json("ps", "-a")).data.threads).toMatchObject([{ status: "cancelled" }]);
});

test("a reader that goes away ends the process quietly", async () => {
  const place = await begin("- says: one\n");
  const server = raw(place);
  server.child.stdout?.destroy();
  for (let round = 0; round < 50 && server.child.exitCode === null; round += 1) {
    server.write({ id: round, type: "hello" });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await server.ended).toBe(0);
  expect(server.stderr()).not.toMatch(/EPIPE|Error|at /);
});

test("outside a project, and with a format of its own, it says so on standard error", async () => {
  const place = await begin("- says: one\n");
  const run = (cwd: string, ...args: string[]) =>
    new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [CLI, "rpc", ...args], { cwd, env: place.env });
      let stderr = "";
      child.stderr.on("data", (bytes) => {
        stderr += bytes;
      });
      child.once("close", (code) => resolve({ code, stderr }));
    });
  expect(await run(place.folder)).toMatchObject({ stderr: expect.stringContaining("selvage init") });
  expect(await run(place.root, "--json")).toMatchObject({ code: 2 });
  // A tool of a thread would give itself rights.
  place.env["SELVAGE_THREAD"] = "somebody-1-aaaaaa";
  expect(await run(place.root)).toMatchObject({ stderr: expect.stringContaining("not by a person") });
  delete place.env["SELVAGE_THREAD"];
  expect(await run(place.root, "--session", "nobody-1-aaaaaa")).toMatchObject({
    stderr: expect.stringContaining("nobody-1-aaaaaa"),
  });
});
