import { expect, test } from "vitest";
import { chatName, finishReason, modelAttributes } from "./names.ts";

test.each([
  ["anthropic/claude-x", "anthropic", "claude-x"],
  ["mistral/large", "mistral_ai", "large"],
  ["local/org/model", "local", "org/model"],
  ["model", "unknown", "model"],
  ["constructor/m", "constructor", "m"],
])("%s: who is asked, and for what", (model, provider, name) => {
  expect(modelAttributes(model)).toEqual({
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": name,
  });
  expect(chatName(model)).toBe(`chat ${name}`);
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["tool_use", "tool_call"],
  ["refusal", "content_filter"],
  ["pause_turn", "pause_turn"],
  ["toString", "toString"],
])("an answer that ended with %s finished with %s", (stop, reason) => {
  expect(finishReason(stop)).toBe(reason);
});
