import {
  AdapterRateLimitError,
  AuthenticationError,
  NetworkError,
  PermissionError,
  ResourceNotFoundError,
  ValidationError,
} from "@chat-adapter/shared";
import { NotImplementedError, RateLimitError } from "chat";
import { describe, expect, test } from "vitest";
import {
  afterChatFailure,
  ChatRefusal,
  LONGEST_CHAT_WAIT_MS,
  MOST_CHAT_RETRIES,
  readChatFailure,
} from "./chat-failure.ts";

function made(fields: object, message = "no"): Error {
  return Object.assign(new Error(message), fields);
}

describe("what an error means", () => {
  test.each<[string, unknown, ReturnType<typeof readChatFailure>]>([
    ["a limit in ms", new RateLimitError("slow down", 1_500), { kind: "rate_limited", waitMs: 1_500 }],
    ["a limit in seconds", new AdapterRateLimitError("slack", 2), { kind: "rate_limited", waitMs: 2_000 }],
    ["a limit without a wait", new AdapterRateLimitError("slack"), { kind: "rate_limited" }],
    ["a wait of nothing", new AdapterRateLimitError("slack", 0), { kind: "rate_limited" }],
    [
      "a wait that is no number",
      made({ code: "RATE_LIMITED", retryAfter: "soon" }),
      { kind: "rate_limited" },
    ],
    [
      "ms before seconds",
      made({ code: "RATE_LIMITED", retryAfterMs: 10, retryAfter: 9 }),
      { kind: "rate_limited", waitMs: 10 },
    ],
    ["429", made({ status: 429, retryAfter: 1 }), { kind: "rate_limited", waitMs: 1_000 }],
    [
      "429 with a header",
      made({ response: { status: 429, headers: new Headers({ "retry-after": "3" }) } }),
      { kind: "rate_limited", waitMs: 3_000 },
    ],
    [
      "429 with parameters",
      made({ statusCode: 429, parameters: { retry_after: 4 } }),
      { kind: "rate_limited", waitMs: 4_000 },
    ],
    [
      "429 in a sentence alone",
      new NetworkError("discord", 'Discord API error: 429 {"message":"slow","retry_after": 0.35}'),
      { kind: "rate_limited", waitMs: 350 },
    ],
    ["500", made({ status: 500 }), { kind: "server" }],
    ["503 that says when", made({ status: 503, retryAfter: 7 }), { kind: "server", waitMs: 7_000 }],
    ["408", made({ statusCode: 408 }), { kind: "server" }],
    ["a refused connection", made({ code: "ECONNREFUSED" }), { kind: "unreachable" }],
    [
      "a fetch that failed",
      new TypeError("fetch failed", { cause: made({ code: "UND_ERR_SOCKET" }) }),
      { kind: "unreachable" },
    ],
    [
      "a network error",
      new NetworkError("telegram", "Network error calling Telegram"),
      { kind: "unreachable" },
    ],
    ["a time that ran out", new DOMException("late", "TimeoutError"), { kind: "unreachable" }],
    ["a network error that is none", new NetworkError("discord", "API error: 404 {}"), { kind: "not_found" }],
    [
      "a network error around a status",
      new NetworkError("teams", "Resource gone", made({ innerHttpError: { statusCode: 404 } })),
      { kind: "not_found" },
    ],
    ["a number that is no status", made({}, "took 4040 ms: 50000 bytes"), { kind: "refused" }],
    ["not found", new ResourceNotFoundError("slack", "message"), { kind: "not_found" }],
    ["not permitted", new PermissionError("slack", "post"), { kind: "forbidden" }],
    ["not known", new AuthenticationError("slack"), { kind: "forbidden" }],
    ["not valid", new ValidationError("slack", "empty"), { kind: "refused" }],
    ["not made", new NotImplementedError("no edits", "edit"), { kind: "refused" }],
    ["401", made({ status: 401 }), { kind: "forbidden" }],
    ["410", made({ status: 410 }), { kind: "not_found" }],
    ["413", made({ status: 413 }), { kind: "too_long" }],
    ["400", made({ status: 400 }), { kind: "refused" }],
    ["too long by our own count", new ChatRefusal("TOO_LONG", "long"), { kind: "too_long" }],
    [
      "200 and a limit",
      made({ status: 200, data: { ok: false, error: "ratelimited" }, retryAfter: 1 }),
      { kind: "rate_limited", waitMs: 1_000 },
    ],
    ["200 and gone", made({ data: { ok: false, error: "message_not_found" } }), { kind: "not_found" }],
    ["200 and outside", made({ data: { error: "not_in_channel" } }), { kind: "forbidden" }],
    ["200 and too long", made({ data: { error: "msg_too_long" } }), { kind: "too_long" }],
    ["200 and broken", made({ data: { error: "internal_error" } }), { kind: "server" }],
    ["200 and a word nobody knows", made({ data: { error: "purple" } }), { kind: "refused" }],
    ["a fault of our own", new TypeError("x is not a function"), { kind: "refused" }],
    ["no error at all", undefined, { kind: "refused" }],
    ["a text", "no", { kind: "refused" }],
  ])("%s", (_, error, failure) => {
    expect(readChatFailure(error)).toEqual(failure);
  });

  test("an error that holds itself ends", () => {
    const error = made({ status: 500 });
    error.cause = error;
    expect(readChatFailure(error)).toEqual({ kind: "server" });
  });
});

describe("what comes after it", () => {
  test("three retries, each after twice as long", () => {
    const waits = [0, 1, 2].map((retries) => afterChatFailure({ kind: "server" }, retries));
    expect(waits).toEqual([1_000, 2_000, 4_000].map((afterMs) => ({ next: "retry", afterMs })));
    expect(afterChatFailure({ kind: "server" }, MOST_CHAT_RETRIES)).toEqual({
      next: "give_up",
      why: "the platform failed, 4 times",
    });
  });

  test("the platform's own wait, up to the longest", () => {
    const limited = (waitMs: number) => afterChatFailure({ kind: "rate_limited", waitMs }, 1);
    expect(limited(30_000)).toEqual({ next: "retry", afterMs: 30_000 });
    expect(limited(LONGEST_CHAT_WAIT_MS)).toEqual({ next: "retry", afterMs: LONGEST_CHAT_WAIT_MS });
    expect(limited(12 * 60_000)).toEqual({
      next: "give_up",
      why: "the platform asks to wait 12 min, and 5 min are the most",
    });
  });

  test.each(["not_found", "forbidden", "too_long", "refused"] as const)("%s is not tried again", (kind) => {
    expect(afterChatFailure({ kind }, 0).next).toBe("give_up");
  });

  test.each(["rate_limited", "unreachable", "server"] as const)("%s is tried again", (kind) => {
    expect(afterChatFailure({ kind }, 0)).toEqual({ next: "retry", afterMs: 1_000 });
  });
});
