import { expect, test } from "vitest";
import { afterChatStart, unfitForTalk } from "./chat-start.ts";
import { Problem } from "./problem.ts";

const network = Object.assign(new Error("fetch failed"), { cause: { code: "ENOTFOUND" } });
const wrapped = (cause: unknown) =>
  new Problem("E_CHAT_PLATFORM", { what: "The chat platform slack could not be opened", cause });

test.each([
  ["no network", network, 0, { next: "retry", afterMs: 1_000 }],
  ["no network, as it comes from the bridge", wrapped(network), 0, { next: "retry", afterMs: 1_000 }],
  ["no network, the fourth time", network, 3, { next: "retry", afterMs: 8_000 }],
  ["no network, for long", network, 500, { next: "retry", afterMs: 60_000 }],
  ["a platform that fails", { status: 503 }, 0, { next: "retry", afterMs: 1_000 }],
  ["one that asks for time", { code: "RATE_LIMITED", retryAfter: 20 }, 1, { next: "retry", afterMs: 20_000 }],
  ["one that asks for an hour", { status: 429, retryAfter: 3_600 }, 0, { next: "retry", afterMs: 60_000 }],
  ["a wrong token", { code: "AUTH_FAILED" }, 0, { next: "end" }],
  ["a wrong token in an answer that says 200", { data: { error: "invalid_auth" } }, 0, { next: "end" }],
  ["a wrong token in the address", { status: 404 }, 0, { next: "end" }],
  ["a token that is refused later", wrapped({ status: 401 }), 1, { next: "retry", afterMs: 2_000 }],
  ["something nobody knows", new Error("odd"), 0, { next: "retry", afterMs: 1_000 }],
] as const)("%s", (_, error, tries, after) => {
  expect(afterChatStart(error, tries)).toEqual(after);
});

test.each([
  [new Problem("E_DIRECTIVE_INVALID", { what: "chat.md has no body." }), "chat.md has no body."],
  [new Problem("E_BUDGET_REFUSED", { what: "Nobody pays for it." }), "Nobody pays for it."],
  [new Problem("E_WRONG_STATE", { what: "It changed again and again." }), undefined],
  [new Problem("E_DISK", { what: "The disk is full." }), undefined],
  [new Error("odd"), undefined],
])("a talk that cannot begin: %s", (error, why) => {
  expect(unfitForTalk(error)).toBe(why);
});
