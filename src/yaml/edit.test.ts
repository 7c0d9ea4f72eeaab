import { expect, test } from "vitest";
import { editYaml } from "./edit.ts";

const put = (text: string, value: unknown = 7) =>
  editYaml(text, {
    path: ["retry", "base_delay_ms"],
    value,
    gone: [["retry", "policies", "exponential", "base"]],
  });

test.each([
  ["", "retry:\n  base_delay_ms: 7\n"],
  ["# mine\n", "# mine\n\nretry:\n  base_delay_ms: 7\n"],
  ["retry: { enabled: true } # why\n", "retry: { enabled: true, base_delay_ms: 7 } # why\n"],
  [
    "b: 1 # one\nretry:\n  # two\n  base_delay_ms: 1 # three\n  # four\na: 2\n",
    "b: 1 # one\nretry:\n  # two\n  base_delay_ms: 7 # three\n  # four\na: 2\n",
  ],
  ["retry:\n  # a\n  # b\n\ntool:\n", "retry:\n  base_delay_ms: 7\n  # a\n  # b\n\ntool:\n"],
  [
    "retry:\r\n  # hi\r\n  enabled: true\r\n",
    "retry:\r\n  # hi\r\n  enabled: true\r\n  base_delay_ms: 7\r\n",
  ],
  [
    "retry:\n  policies: { exponential: { base: 1 } }\n  enabled: true # on\n",
    "retry:\n  enabled: true # on\n  base_delay_ms: 7\n",
  ],
  [
    "retry:\n  policies: { exponential: { base: 1, max_delay: 2 } }\n",
    "retry:\n  policies: { exponential: { max_delay: 2 } }\n  base_delay_ms: 7\n",
  ],
])("%j keeps comments and order", (before, after) => {
  expect(put(before)).toBe(after);
});

test("a mapping or a list is written on one line, and words that look like numbers in quotes", () => {
  expect(put("", { step: { spend: "2.00" } })).toBe('retry:\n  base_delay_ms: { step: { spend: "2.00" } }\n');
  expect(put("retry: { base_delay_ms: 1 }\n", "2.00")).toBe('retry: { base_delay_ms: "2.00" }\n');
});

test.each(["a: &x { b: 1 }\nretry: *x\n", "- a\n", "retry: 5\n", "retry: [\n", "retry: {}\nretry: {}\n"])(
  "%j is for a person to change",
  (text) => {
    expect(put(text)).toBeUndefined();
  },
);
