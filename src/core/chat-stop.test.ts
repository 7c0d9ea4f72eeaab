// A chat in which one prompt is stopped, and another is said in other words.
import { describe, expect, test } from "vitest";
import { BEGIN_ANEW, type ChatEvent } from "./chat-events.ts";
import { requestAgain } from "./chat-request.ts";
import { begunAnew, type ChatState, foldChat, knownMessage, NEW_CHAT } from "./chat-state.ts";

type Fields = Readonly<Record<string, unknown>> & { readonly type: ChatEvent["type"] };

function fold(events: readonly Fields[], from = NEW_CHAT): ChatState {
  return events.reduce<ChatState>((state, fields, index) => {
    const ts = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * 1_000).toISOString();
    const event = { v: 1, seq: index + 1, ts, thread_id: "chat-1-aaaaaa", ...fields };
    return foldChat(state, event as unknown as ChatEvent);
  }, from);
}

const created: Fields = { type: "thread_created", limits: {}, directive: "chat" };
const queued = (id: string, more: object = {}): Fields => ({
  ...{ type: "message_received", request_id: id, by: "slack:U1", text: `text ${id}`, after: "end", ...more },
});
const taken = (id: string): Fields => ({
  ...{ type: "cognition_in", source: "slack:U1", text: `text ${id}`, request_id: id },
});
const asked = (hits: string): Fields => ({ type: "stop_requested", request_id: "s", by: "slack:U1", hits });
const stopped = (id: string, more: object = {}): Fields => ({
  ...{ type: "message_stopped", for: id, by: "slack:U1", ...more },
});
const suspended = (reason: string): Fields => ({
  ...{ type: "thread_suspended", reason, message: "it stopped", waits_for: { kind: "person" } },
});
const question: Fields = {
  ...{ type: "approval_requested", approval_id: "ap_1", reason: "approval", prompt: "May I?" },
  ...{ on_deny: "cancel", timeout_seconds: 0, digest: "d" },
};
const begun = [created, queued("a"), taken("a"), queued("b")];
const outcomes = ({ works }: ChatState) => works.map(({ key, outcome }) => [key, outcome?.kind]);

describe("a stop", () => {
  test("is of one prompt alone: the next one waits as it did, and is taken up", () => {
    const stopping = fold([...begun, asked("work")]);
    expect(stopping.run).toMatchObject({ isStopping: true, answering: "a" });
    const state = fold([...begun, asked("work"), stopped("a")]);
    expect(outcomes(state)).toEqual([
      ["a", "stopped"],
      ["b", undefined],
    ]);
    expect(state.current).toBeUndefined();
    expect(state.run).toMatchObject({ status: "idle", isStopping: false, answering: undefined });
    expect(fold([...begun, asked("work"), stopped("a"), taken("b")])).toMatchObject({
      ...{ current: "b", run: { answering: "b" } },
    });
  });

  test("that hits nothing changes nothing", () => {
    expect(fold([...begun, asked("nothing")]).run.isStopping).toBe(false);
  });

  test("of a prompt that was not begun leaves the one under way, and what had failed", () => {
    const state = fold([...begun, asked("queued"), stopped("b", { unread: true })]);
    expect(outcomes(state)).toEqual([
      ["a", undefined],
      ["b", "stopped"],
    ]);
    expect(state.current).toBe("a");
    expect(state.run.answering).toBe("a");
    expect(fold([...begun, suspended("error"), stopped("b", { unread: true })]).failed?.key).toBe("a");
  });

  test("of one that had failed leaves nothing to try again, and says nothing twice", () => {
    const state = fold([...begun, suspended("error"), asked("work"), stopped("a")]);
    expect(outcomes(state)[0]).toEqual(["a", "error"]);
    expect(state.failed).toBeUndefined();
    expect(state.run.status).toBe("idle");
  });

  test("withdraws what was asked, once its card is gone", () => {
    const shown = { type: "delivery_noted", for: "ap_1", what: "card", state: "posted", message_id: "m" };
    const before = [...begun, question, suspended("approval"), shown as Fields];
    expect(fold(before).questions).toMatchObject([{ state: "open" }]);
    expect(fold([...before, asked("nothing")]).questions).toMatchObject([{ state: "open" }]);
    expect(fold([...before, asked("work")]).questions).toMatchObject([{ state: "void" }]);
  });
});

describe("other words", () => {
  const words = (replaces: string, id = "b@1") => queued(id, { replaces, text: "new" });

  test("for a prompt that waits stand in its place", () => {
    const state = fold([...begun, words("b"), queued("c")]);
    expect(state.works.map(({ key, text }) => [key, text])).toEqual([
      ["a", "text a"],
      ["b", "new"],
      ["c", "text c"],
    ]);
    expect(knownMessage(state, "b")).toEqual({ ...known("b"), version: "b@1", text: "new" });
  });

  test.each([
    ["that has begun", [...begun, words("a")], false],
    ["that is answered", [...begun, { type: "message_answered", for: "a", text: "A" }, words("a")], true],
    ["that nobody knows", [...begun, words("x")], true],
  ] as const)("for a prompt %s are told to be too late, once", (_, events, isAnswered) => {
    const state = fold([...events, events.at(-1) as Fields]);
    expect(state.works.filter(({ key }) => key === "b@1")).toMatchObject([
      { outcome: { kind: "too_late", isAnswered }, by: "slack:U1" },
    ]);
    expect(state.works.find(({ key }) => key === "a")?.text).not.toBe("new");
  });

  const known = (prompt: string) => ({ prompt, isStarted: false });
  test("find a prompt that was handed on by what its platform calls it", () => {
    const id = requestAgain(requestAgain("b", "anew"), "anew");
    expect(knownMessage(fold([created, queued(id)]), "b")).toMatchObject(known(id));
  });
});

test("who begins anew is told of what waits, and of how the last one ended", () => {
  const end = (reason: string): Fields => ({ type: "thread_cancelled", reason, by: "me", report: [] });
  const state = fold([...begun, queued("c"), end(BEGIN_ANEW)]);
  expect(state.works.map(({ outcome }) => outcome)).toMatchObject([
    { kind: "stopped" },
    { kind: "unread", count: 2, isKept: true },
  ]);
  expect(fold([...begun, end("enough")]).works[1]?.outcome).toMatchObject({ isKept: false });
  expect(outcomes(begunAnew(state))).toEqual([
    ["a", "stopped"],
    ["b", "unread"],
  ]);
  expect(begunAnew(fold(begun)).works).toEqual([]);
});
