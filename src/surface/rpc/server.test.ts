// The protocol without a process around it: what is answered, in which order, and what is refused.
import { expect, test } from "vitest";
import { StorageFailure } from "../../core/failure.ts";
import type { Desk } from "./desk.ts";
import { Outlet } from "./outlet.ts";
import { RpcServer } from "./server.ts";

interface Answer {
  readonly id?: string | number;
  readonly type: string;
  readonly command: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
  readonly code?: string;
  readonly retry_after_ms?: number;
}

/** A desk with a session that does nothing, and a wait that lasts until it is let go. */
function connection() {
  const sent: Answer[] = [];
  const outlet = new Outlet({
    write: (text, done) => {
      sent.push(JSON.parse(text) as Answer);
      setImmediate(done);
    },
  });
  let letGo = () => {};
  const waiting = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const session = {
    threadId: "t-1",
    abort: () => waiting,
    abortRetry: async () => {},
    steer: async (text: string) => {
      if (text === "boom") throw new Error("it broke");
      if (text === "full") throw new StorageFailure("ENOSPC", "the disk is full");
    },
  };
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  const questions = {
    answer: async ({ id }: { id: string }) => (id === "ap" ? undefined : "There is none."),
  };
  const desk = { session, outlet, questions, world: { clock }, isOver: false } as unknown as Desk;
  let isShut = false;
  const server = new RpcServer(desk, () => {
    isShut = true;
  });
  const take = (...lines: readonly (string | object)[]) => {
    for (const line of lines) server.take({ text: typeof line === "string" ? line : JSON.stringify(line) });
  };
  return { sent, take, server, letGo, isShut: () => isShut };
}

test.each<[string, string | object, Partial<Answer>]>([
  ["bad JSON", "{", { command: "parse", error: expect.stringContaining("Failed to parse command") }],
  ["no object", "[1]", { command: "parse", error: expect.stringContaining("an object") }],
  ["null", "null", { command: "parse", success: false }],
  ["no type", { id: "a" }, { id: "a", command: "parse", error: expect.stringContaining("type") }],
  [
    "an id that is none",
    { id: {}, type: "ping" },
    { command: "parse", error: expect.stringContaining("id is") },
  ],
  [
    "no such command",
    { id: 7, type: "abrt" },
    { id: 7, command: "abrt", error: expect.stringContaining("abort") },
  ],
  ["a name of the prototype", { type: "constructor" }, { command: "constructor", success: false }],
  ["a field too few", { type: "steer" }, { command: "steer", error: expect.stringContaining("message") }],
  [
    "a field of the wrong kind",
    { type: "set_auto_retry", enabled: "yes" },
    { error: expect.stringContaining("enabled") },
  ],
  [
    "a field too many",
    { type: "steer", message: "a", mesage: 1 },
    { error: expect.stringContaining("mesage") },
  ],
  ["images", { type: "steer", message: "a", images: [1] }, { code: "E_UNSUPPORTED" }],
  ["what has no meaning here", { type: "bash", command: "ls" }, { code: "E_UNSUPPORTED", success: false }],
  [
    "what breaks",
    { id: "x", type: "steer", message: "boom" },
    { id: "x", error: "it broke", success: false },
  ],
  ["a full disk", { id: "x", type: "steer", message: "full" }, { id: "x", code: "E_DISK", success: false }],
  [
    "a dialog that is not open",
    { type: "extension_ui_response", id: "no", confirmed: true },
    { success: false },
  ],
])("%s is told, and the connection goes on", async (_, line, expected) => {
  const { sent, take, server } = connection();
  take(line, { id: "after", type: "ping" });
  await server.drained();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toHaveLength(2);
  expect(sent.find(({ id }) => id !== "after")).toMatchObject({
    type: "response",
    success: false,
    ...expected,
  });
  expect(sent.find(({ id }) => id === "after")).toMatchObject({ command: "ping", success: true });
});

test("answers come in order, each with its id; no id is no id", async () => {
  const { sent, take, server } = connection();
  take({ id: "1", type: "ping" }, { type: "abort_retry" }, { id: 3, type: "get_commands" });
  await server.drained();
  expect(sent.map(({ id, command }) => [id, command])).toEqual([
    ["1", "ping"],
    [undefined, "abort_retry"],
    [3, "get_commands"],
  ]);
  expect(sent[1]).not.toHaveProperty("id");
  expect(sent[1]).not.toHaveProperty("data");
});

test("what takes long holds up nobody, and is answered when it is done", async () => {
  const { sent, take, server, letGo } = connection();
  take({ id: "long", type: "abort" }, { id: "short", type: "ping" });
  await server.drained();
  expect(sent.map(({ id }) => id)).toEqual(["short"]);
  letGo();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent.map(({ id }) => id)).toEqual(["short", "long"]);
});

test("ten thousand at once: all are answered, those too many with a time to come again", async () => {
  const { sent, take, server } = connection();
  take(...Array.from({ length: 10_000 }, (_, id) => ({ id, type: "ping" })));
  await server.drained();
  expect(sent).toHaveLength(10_000);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(10_000);
  const refused = sent.filter(({ code }) => code === "E_OVERLOADED");
  expect(refused).toHaveLength(9_000);
  expect(refused[0]?.retry_after_ms).toBeGreaterThan(0);
  take({ id: "again", type: "ping" });
  await server.drained();
  expect(sent.at(-1)).toMatchObject({ id: "again", success: true });
});

test("a line that is too long is told", () => {
  const { sent, server } = connection();
  server.take({ tooLong: 100_000_000 });
  expect(sent).toMatchObject([
    { command: "parse", success: false, error: expect.stringContaining("100000000") },
  ]);
});

test("shutdown is answered first", async () => {
  const { sent, take, server, isShut } = connection();
  take({ id: "s", type: "shutdown" });
  await server.drained();
  expect(sent).toMatchObject([{ id: "s", success: true }]);
  expect(isShut()).toBe(true);
});

test("events wait for a reader that is behind; answers do not", async () => {
  const held: (() => void)[] = [];
  const outlet = new Outlet({ write: (_, done) => void held.push(done) });
  outlet.send({ text: "x".repeat(300 * 1024) });
  expect(outlet.isBehind).toBe(true);
  const told = outlet.tell({ type: "event" });
  outlet.send({ type: "response" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(2);
  for (const done of held.splice(0)) done();
  await told;
  expect(held).toHaveLength(1);
});

test("whoever waits for a reader that has gone is let go", async () => {
  const outlet = new Outlet({ write: () => {} });
  outlet.send({ text: "x".repeat(300 * 1024) });
  const told = outlet.tell({ type: "event" });
  const flushed = outlet.flushed();
  outlet.close();
  await Promise.all([told, flushed]);
});
