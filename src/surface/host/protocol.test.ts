import { describe, expect, test } from "vitest";
import { Problem } from "../../core/problem.ts";
import { Lines, MOST_LINE_BYTES, readResponse, respond } from "./protocol.ts";

const commands = {
  ping: async () => ({ pong: true }),
  fails: async () => {
    throw new Problem("E_HOSTED", { what: "no\nway" });
  },
};
const asked = (text: string) => respond(Buffer.from(text), commands);

describe("lines", () => {
  test("whatever pieces they come in", () => {
    const lines = new Lines();
    const whole = Buffer.from("one\n\ntwö\nthr");
    const found = [...whole].flatMap((byte) => lines.take(Buffer.from([byte])) ?? []);
    expect(found.map(String)).toEqual(["one", "", "twö"]);
    expect(lines.take(Buffer.from("ee\n"))?.map(String)).toEqual(["three"]);
  });

  test("one that is too long is refused, with its end or without", () => {
    expect(new Lines().take(Buffer.alloc(MOST_LINE_BYTES + 1, "x"))).toBeUndefined();
    expect(new Lines().take(Buffer.from(`${"x".repeat(MOST_LINE_BYTES + 1)}\n`))).toBeUndefined();
    expect(new Lines().take(Buffer.from(`${"x".repeat(MOST_LINE_BYTES)}\n`))).toHaveLength(1);
  });
});

describe("answers", () => {
  test.each([
    ['{"id":1,"type":"ping"}', { id: 1, command: "ping", success: true, data: { pong: true } }],
    ['{"id":"a","type":"ping"}', { id: "a", success: true }],
    ['{"id":1,"type":"fails"}', { id: 1, success: false, error: "no way", code: "E_HOSTED" }],
    ['{"id":1,"type":"__proto__"}', { id: 1, success: false, error: "There is no command __proto__." }],
    ['{"id":1,"type":"toString"}', { success: false }],
    ['{"id":1}', { id: 1, command: "parse", success: false }],
    ["[]", { command: "parse", success: false }],
    ["{", { command: "parse", success: false }],
    ["null", { success: false }],
  ])("%s", async (text, wanted) => {
    const answer = await asked(text);
    expect(answer).toMatchObject({ type: "response", ...wanted });
    expect(readResponse(Buffer.from(JSON.stringify(answer)))).toEqual(JSON.parse(JSON.stringify(answer)));
  });

  test("an id that is none, or too long, is not echoed", async () => {
    for (const id of [{}, [1], true, "x".repeat(201)])
      expect(await asked(JSON.stringify({ id, type: "ping" }))).not.toHaveProperty("id");
  });

  test("an empty line says nothing, bytes that are no text are refused", async () => {
    expect(await asked("  ")).toBeUndefined();
    expect(await respond(Buffer.from([0x22, 0xff, 0x22]), commands)).toMatchObject({ success: false });
  });

  test.each(["", "{}", '{"type":"response"}', '{"type":"event","command":"x","success":true}'])(
    "%s is no answer",
    (text) => expect(readResponse(Buffer.from(text))).toBeUndefined(),
  );
});
