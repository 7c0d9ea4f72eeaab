import { expect, test } from "vitest";
import type { NewEvent } from "./event.ts";
import { redactor } from "./redact.ts";
import { redactEvent, redactRequest } from "./redact-event.ts";

const KEY = "k3y-0f-the-test";
const known = redactor([
  { name: "KEY", value: KEY },
  { name: "NAME", value: "deploy-2-prod" },
]);

test("a fact without secrets is handed on itself", () => {
  const event: NewEvent = { type: "cognition_in", source: "directive", text: "Hello." };
  expect(redactEvent(event, known)).toBe(event);
});

test("names by which things are found stay, even if a secret reads the same", () => {
  const request = {
    kind: "cancel" as const,
    request_id: "req_1",
    thread_id: "deploy-2-prod-1739820456-k3v9qa",
    by: "maya",
    nonce: "n",
    reason: `deploy-2-prod leaked ${KEY}`,
  };
  expect(redactRequest(request, known)).toEqual({ ...request, reason: "[secret NAME] leaked [secret KEY]" });
  const started: NewEvent = {
    type: "child_thread_started",
    call_id: "call_1",
    child_id: "deploy-2-prod-1739820456-k3v9qa",
    directive: "deploy-2-prod",
    start: true,
  };
  expect(redactEvent(started, known)).toEqual(started);
});

test("reasoning that was changed loses its proof; what was not keeps everything as it came", () => {
  const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 };
  const proof = Buffer.from(`proof of ${KEY}`).toString("base64");
  const event: NewEvent = {
    ...{ type: "cognition_out" as const, turn: 1, attempt: 1, stop: "end", truncated: false, usage },
    content: [
      { type: "reasoning", text: `It is ${KEY}.`, signature: proof },
      { type: "reasoning", text: "Fine.", signature: proof },
      { type: "reasoning", text: "", data: proof },
      { type: "text", text: KEY },
    ],
  };
  expect(redactEvent(event, known)).toEqual({
    ...event,
    content: [
      { type: "reasoning", text: "It is [secret KEY]." },
      ...event.content.slice(1, 3),
      { type: "text", text: "[secret KEY]" },
    ],
  });
});

test("the same for blocks that stand before a call", () => {
  const event: NewEvent = {
    ...{
      type: "tool_call_start" as const,
      turn: 1,
      call_id: "call_1",
      at: 1,
      tool: "bash",
      input: { command: KEY },
    },
    effect: "manual",
    preceding: [{ at: 0, block: { type: "reasoning", text: KEY, signature: "s" } }],
  };
  expect(redactEvent(event, known)).toMatchObject({
    input: { command: "[secret KEY]" },
    preceding: [{ at: 0, block: { type: "reasoning", text: "[secret KEY]" } }],
  });
});
