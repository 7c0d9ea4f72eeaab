import { expect, test } from "vitest";
import type { CallId } from "../core/id.ts";
import { append, emptyLog, type Log } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import { anthropicProtocol } from "./anthropic.ts";
import { openAiProtocol } from "./openai-chat.ts";
import { nameOf, wireJson } from "./protocol.ts";

const caps = { maxOutputTokens: 1, maxResultChars: 100, answers: 0, attempt: 1 };
const request = (messages: Log<Message>) => ({
  threadId: "t",
  model: "m",
  system: "s",
  messages,
  tools: [],
  ...caps,
});

test.each([
  ["anthropic", anthropicProtocol],
  ["openai", openAiProtocol],
])("%s: every message is written once, and what was written stays", (_, protocolOf) => {
  let written = 0;
  const input = {
    toJSON() {
      written += 1;
      return { path: "ü" };
    },
  };
  const call_id = "call_1" as CallId;
  const protocol = protocolOf({});
  let log: Log<Message> = append<Message>(emptyLog, { role: "user", text: "go" });
  const before = Buffer.from(protocol.body(request(log), "m").log.bytes);
  for (let turn = 1; turn <= 500; turn += 1) {
    log = append<Message>(log, { role: "assistant", blocks: [{ type: "call", call_id, tool: "ls", input }] });
    log = append<Message>(log, {
      role: "tool",
      results: [{ call_id, tool: "ls", status: "ok", output: "x" }],
    });
    const body = protocol.body(request(log), "m");
    expect(written).toBe(turn);
    if (turn % 250 === 0) {
      const text = body.head + Buffer.from(body.log.bytes).toString() + body.log.tail;
      expect(JSON.parse(text).messages.length).toBeGreaterThanOrEqual(turn * 2);
      expect(Buffer.from(body.log.bytes.subarray(0, before.length))).toEqual(before);
    }
  }
});

test("half of a surrogate pair does not go out, and nothing else is changed", () => {
  const half = "\ud83c";
  expect(wireJson({ a: `x${half}y`, [half]: 1 })).toBe('{"a":"x\\ufffdy","\\ufffd":1}');
  const whole = { text: '🎉 \\ud83c \u001f "\\" ü', pair: "\ud83c\udf89" };
  expect(JSON.parse(wireJson(whole))).toEqual(whole);
  expect(JSON.parse(wireJson({ ...whole, half }))).toEqual({ ...whole, half: "\ufffd" });
});

test("a name that a model made up can be read by its provider", () => {
  expect(nameOf("bash")).toBe("bash");
  expect(nameOf("functions.bash 2")).toBe("functions_bash_2");
  expect(nameOf("")).toBe("unnamed");
  expect(nameOf("x".repeat(200))).toHaveLength(64);
});
