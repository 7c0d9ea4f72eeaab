import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Failure } from "./failure.ts";
import { classify } from "./rule.ts";
import { failureSentence } from "./sentence.ts";

function told(failure: Failure): string {
  return failureSentence(failure, classify(failure));
}

test.each<[string, Failure, string]>([
  [
    "key refused",
    {
      kind: "http",
      status: 401,
      type: "authentication_error",
      message: "anthropic answered 401 (authentication_error): invalid x-api-key",
    },
    "anthropic refused the key: 401 (authentication_error): invalid x-api-key",
  ],
  [
    "model unknown",
    {
      kind: "http",
      status: 404,
      type: "model_not_found",
      message: "openai answered 404 (model_not_found): The model `gpt-9` does not exist",
    },
    "openai does not know this model: 404 (model_not_found): The model `gpt-9` does not exist",
  ],
  [
    "overloaded",
    {
      kind: "http",
      status: 529,
      type: "overloaded_error",
      message: "anthropic broke off with overloaded_error: Overloaded",
    },
    "anthropic is overloaded: overloaded_error: Overloaded",
  ],
  [
    "server error",
    { kind: "http", status: 500, message: "openai answered 500 (server_error): oh no" },
    "openai has trouble of its own: 500 (server_error): oh no",
  ],
  [
    "cut off",
    {
      kind: "connection",
      type: "ECONNRESET",
      message:
        "openai was cut off in the middle of its answer: the connection to x.com was reset (ECONNRESET)",
    },
    "openai was cut off in the middle of its answer: the connection to x.com was reset (ECONNRESET)",
  ],
  [
    "rate limited",
    { kind: "http", status: 429, message: "openai answered 429: slow down" },
    "openai limits how often it may be asked: 429: slow down",
  ],
  [
    "quota used up",
    {
      kind: "http",
      status: 429,
      type: "insufficient_quota",
      message: "openai answered 429 (insufficient_quota): You exceeded your current quota",
    },
    "openai says that the money or the quota of this account is used up: 429 (insufficient_quota): You exceeded your current quota",
  ],
  [
    "context too long",
    { kind: "http", status: 400, message: "local answered 400: prompt is too long: 9 tokens > 8 maximum" },
    "local cannot take a conversation this long: 400: prompt is too long: 9 tokens > 8 maximum",
  ],
  [
    "content",
    { kind: "http", status: 400, type: "content_filter", message: "x answered 400 (content_filter): no" },
    "x refused the request for what it contains: 400 (content_filter): no",
  ],
  [
    "network",
    {
      kind: "connection",
      type: "ENOTFOUND",
      message: "openai was not reached at api.openai.com: there is no such host (ENOTFOUND)",
    },
    "openai was not reached at api.openai.com: there is no such host (ENOTFOUND)",
  ],
  ["network, without our words", { kind: "connection", message: "" }, "The provider was not reached"],
  [
    "certificate",
    {
      kind: "connection",
      type: "CERT_HAS_EXPIRED",
      message: "openai was not reached at api.openai.com: certificate has expired (CERT_HAS_EXPIRED)",
    },
    "openai was not reached, because its certificate is not trusted: api.openai.com: certificate has expired (CERT_HAS_EXPIRED)",
  ],
  [
    "cut stream",
    { kind: "stream_cut", message: "openai: the stream ended before the answer did" },
    "openai broke off its answer: the stream ended before the answer did",
  ],
  [
    "silent stream",
    { kind: "stalled", message: "openai: nothing came for 60 s" },
    "openai fell silent: nothing came for 60 s",
  ],
  [
    "stopped",
    { kind: "aborted", message: "openai: the request was stopped" },
    "openai was told to stop: the request was stopped",
  ],
  [
    "misuse",
    { kind: "misuse", message: "openai: the answer is compressed (gzip), which was not asked for" },
    "openai could not be asked: the answer is compressed (gzip), which was not asked for",
  ],
  ["unknown", { kind: "http", status: 400, message: "openai answered 400: no" }, "openai answered 400: no"],
  ["unknown and wordless", { kind: "script", message: "" }, "The provider failed and gave no reason"],
  [
    "a script's",
    { kind: "http", status: 503, message: "the provider answered with status 503" },
    "The provider has trouble of its own: 503",
  ],
  ["a script's own words", { kind: "http", status: 401, message: "no" }, "The provider refused the key: no"],
])("%s", (_, failure, sentence) => {
  expect(told(failure)).toBe(sentence);
});

test("a rule of a file is told by its category", () => {
  const failure: Failure = { kind: "http", status: 418, message: "tea answered 418: short and stout" };
  const by = (category: "transient" | "permanent") =>
    failureSentence(failure, { category, rule: "teapot", policy: undefined });
  expect(by("transient")).toBe("tea failed for the moment: 418: short and stout");
  expect(by("permanent")).toBe("tea refused the request: 418: short and stout");
});

describe("never in a sentence", () => {
  test.each([
    ["a key", "bad key sk-ant-api03-Ab12Cd34Ef", "sk-ant", "bad key [secret]"],
    ["a masked key", "Incorrect API key provided: sk-ab***9xyz.", "9xyz"],
    ["a token", "authorization: Bearer abc123def456ghi", "abc123", "authorization: Bearer [secret]"],
    ["a key as a parameter", "GET /v1/models?key=AIzaSyD4x8Q1w2e3r4t5y6u7i8o9p0", "AIza"],
    ["a key in JSON", '{"api_key": "a1b2c3d4e5"}', "a1b2c3"],
    ["a JWT", "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", "eyJ"],
    ["a name and a password", "proxy http://maya:secret1@proxy.example:8080 said no", "secret1"],
    ["a path", "cannot read /home/maya/.ssh/id_rsa", "/home/maya", "cannot read [path]"],
    ["a path in brackets", "failed (/srv/app/src/x.ts:3:7)", "/srv"],
    ["a path at home", "see ~/.config/selvage/providers.yaml", ".config"],
    ["a path of Windows", "open C:\\Users\\Maya\\keys.txt failed", "Maya"],
    ["a file's address", "at file:///home/maya/x.js", "maya"],
    [
      "a stack",
      "boom\n    at fetch (node:internal/deps/undici:1:2)\n    at async Foo.bar (/srv/app/a.js:10:3)\n    at /srv/b.js:1:1",
      "srv",
      "boom",
    ],
    [
      "a stack of Python",
      'Traceback (most recent call last): File "/srv/a.py", line 3, in go ValueError: x',
      "srv",
    ],
  ])("%s", (_, message, secret, whole = undefined) => {
    const sentence = told({ kind: "script", message });
    expect(sentence).not.toContain(secret);
    if (whole !== undefined) expect(sentence).toBe(whole);
  });

  test.each([
    "openai answered 400: see https://platform.openai.com/docs/guides/error-codes",
    "Invalid URL (POST /v1/chat/completions)",
    "Bearer authentication required",
    "used 120000 input tokens: 128000 allowed and/or less",
    "key: value is not a mapping",
  ])("but this stays: %s", (message) => {
    expect(told({ kind: "script", message })).toContain(message);
  });

  test("a line break, a control sequence, or more than a paragraph", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), (message) => {
        const sentence = told({ kind: "http", message });
        expect(sentence).not.toMatch(/[\n\r\u001b]/);
        expect(sentence).not.toBe("");
        expect(sentence.length).toBeLessThan(800);
      }),
    );
  });
});
