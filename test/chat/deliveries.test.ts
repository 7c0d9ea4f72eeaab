// What people see of a message, from the first sign to the last text.
import { describe, expect, test } from "vitest";
import { BEGUN } from "../../src/core/chat-progress.ts";
import { RESTARTED, UNDELIVERED, UNSURE } from "../../src/core/chat-texts.ts";
import { Dead, HOUR, stage, T0 } from "./delivery-stage.ts";

describe("the life of a message", () => {
  test("a quick answer is one message, and nobody sees that there was work", () => {
    const chat = stage();
    chat.ask("1");
    chat.settle();
    expect(chat.reactions).toEqual(["+seen 1"]);
    chat.wait(1_000);
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(10_000);
    expect(chat.texts()).toEqual(["42"]);
    expect(chat.edits).toEqual([]);
    expect(chat.state.works).toEqual([]);
  });

  test("after two seconds there is a progress message, and within thirty it becomes the answer", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    chat.wait(1_999);
    expect(chat.posts).toEqual([]);
    chat.wait(10_000);
    expect(chat.texts()).toEqual([BEGUN]);
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(3_000);
    expect(chat.texts()).toEqual(["42"]);
    expect(chat.posts[0]?.mentions).toEqual([]);
  });

  test("a late answer mentions the asker, and the progress message says what it took", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    chat.wait(252_000);
    chat.tell({ type: "cognition_out", turn: 1, bill: { hold: "h", amount: 310_000_000 } });
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(5_000);
    expect(chat.texts()).toEqual(["✓ 4 m 12 s · $0.31", "42"]);
    expect(chat.posts[1]?.mentions).toEqual(["maya"]);
    expect(chat.state.works).toEqual([]);
  });

  test("an answer that waits to be shown is not overtaken by the next one", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    const second = chat.ask("2", { after: "end" });
    chat.wait(5_000);
    chat.tell({ type: "step_start", turn: 2 });
    // The line that people watch is changed just now: the next change has to wait.
    const before = chat.edits.length;
    for (let ms = 0; chat.edits.length === before && ms < 5_000; ms += 10) chat.wait(10);
    const shown = chat.edits.length;
    expect(shown).toBe(before + 1);
    chat.tell({ type: "message_answered", text: "one" });
    chat.tell({ type: "cognition_in", source: "fake:maya", text: "say 2", request_id: second });
    chat.tell({ type: "message_answered", for: second, text: "two" });
    chat.settle();
    expect(chat.texts()).not.toContain("two");
    chat.wait(1_500);
    expect(chat.texts()).toEqual(["one", "two"]);
    expect(chat.edits.slice(shown).map(({ text }) => text)).toEqual(["one"]);
  });

  test("what is said meanwhile waits, in order, with a clock on it", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    const second = chat.ask("2", { after: "end" });
    chat.settle();
    expect(chat.reactions).toEqual(["+seen 1", "+queued 2"]);
    chat.tell({ type: "message_answered", text: "one" });
    chat.tell({ type: "cognition_in", source: "fake:maya", text: "say 2", request_id: second });
    chat.wait(1_000);
    expect(chat.reactions.slice(2)).toEqual(["-queued 2", "+seen 2"]);
    chat.tell({ type: "message_answered", for: second, text: "two" });
    chat.settle();
    expect(chat.texts()).toEqual(["one", "two"]);
  });

  test("of very many that wait only the first show it", () => {
    const chat = stage();
    chat.ask("0");
    for (let n = 1; n <= 100; n += 1) chat.ask(`${n}`, { after: "end" });
    chat.settle();
    expect(chat.reactions).toHaveLength(20);
    expect(chat.reactions.at(-1)).toBe("+queued 19");
  });

  test("steering gets no answer of its own", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    const steering = chat.ask("2");
    chat.tell({ type: "message_answered", for: steering, text: "both" });
    chat.settle();
    expect(chat.texts()).toEqual(["both"]);
    expect(chat.state.works).toEqual([]);
  });

  test("an answer to something that nobody here asked is posted all the same", () => {
    const chat = stage();
    chat.tell({ type: "message_answered", for: "schedule:standup:1", text: "good morning" });
    chat.settle();
    expect(chat.texts()).toEqual(["good morning"]);
  });

  test("what is long goes out as a file, in a message of its own", () => {
    const chat = stage();
    chat.ask("1");
    chat.wait(3_000);
    chat.tell({ type: "message_answered", text: "word ".repeat(3_000) });
    const [post] = chat.look().actions;
    expect(post).toMatchObject({ kind: "post", files: [{ name: "answer.md" }] });
  });
});

describe("what goes wrong", () => {
  test("one message for a failed prompt, another when it was tried again", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "error_classified", turn: 1, attempt: 1, category: "transient", status: 503 });
    const suspended = {
      type: "thread_suspended",
      reason: "error",
      message: "m",
      waits_for: { kind: "person" },
    } as const;
    chat.tell(suspended);
    chat.tell(suspended);
    chat.wait(5_000);
    expect(chat.texts()).toEqual([
      "I'm having trouble reaching my AI provider. Try again in a moment.\nTried once (503). Your message is safe: /retry runs it again.",
    ]);
    chat.tell({ type: "thread_resumed", by: "fake:maya", run: 2, nonce: "n" });
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(5_000);
    expect(chat.texts().slice(1)).toEqual(["42"]);
  });

  test("who cancels is told that the work is kept", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    chat.wait(4_000);
    chat.tell({ type: "thread_cancelled", reason: "r", by: "fake:maya", report: [] });
    chat.wait(3_000);
    expect(chat.texts()).toEqual(["⊘ Stopped. Work is kept."]);
  });

  test.each([
    [
      { type: "thread_cancelled", reason: "r", by: "b", report: [] },
      "I was stopped before I came to 2 more messages. Send what still counts again.",
    ],
    [
      { type: "thread_failed", code: "E_HOOK", message: "m" },
      "I did not come to 2 more messages. Nothing is lost: it goes on there when you write again.",
    ],
  ] as const)("what waited when the thread ended is told of once (%#)", (end, says) => {
    const chat = stage();
    chat.ask("1");
    chat.ask("2", { after: "end" });
    const third = chat.ask("3", { after: "end" });
    chat.settle();
    chat.tell(end);
    chat.wait(1_000);
    expect(chat.texts()).toHaveLength(2);
    expect(chat.texts()[1]).toBe(says);
    expect(chat.state.works).toEqual([]);
    chat.tell({ type: "cognition_in", source: "fake:maya", text: "say 3", request_id: third });
    chat.tell({ type: "message_answered", for: third, text: "three" });
    chat.settle();
    expect(chat.texts()[2]).toBe("three");
  });

  test("an answer that cannot be delivered leaves a mark, and /status has it", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    chat.wait(40_000);
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "given_up" });
    chat.wait(3_000);
    expect(chat.texts()).toEqual([UNDELIVERED]);
    expect(chat.state.undelivered?.text).toBe("42");
  });

  test("a progress message that somebody deleted does not swallow the answer", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.wait(3_000);
    chat.tell({ type: "message_answered", text: "42" });
    const edit = chat.look().actions.find(({ kind }) => kind === "edit");
    expect(edit).toMatchObject({ ifGone: { for: key, what: "progress", state: "given_up" } });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended", message_id: "m1" });
    chat.tell({ type: "delivery_noted", for: key, what: "progress", state: "given_up" });
    chat.settle();
    expect(chat.texts()[1]).toBe("42");
  });

  test("an answer that is a day old is marked, not posted", () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.restart(25 * HOUR);
    chat.wait(3_000);
    expect(chat.texts()).toEqual([UNDELIVERED]);
  });
});

describe("after a restart", () => {
  const left = (afterMs: number) => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "step_start", turn: 1 });
    chat.wait(4_000);
    chat.restart(afterMs);
    return chat;
  };

  test("a progress message that was left behind is marked once", () => {
    const chat = left(HOUR);
    chat.wait(10_000);
    expect(chat.texts()).toEqual([RESTARTED]);
    chat.restart(HOUR);
    const before = chat.edits.length;
    chat.wait(10_000);
    expect(chat.edits.length).toBe(before);
  });

  test("not when it is older than a day", () => {
    const chat = left(25 * HOUR);
    chat.wait(10_000);
    expect(chat.texts()).toEqual([BEGUN]);
  });

  test("not when the work goes on by itself, and in the end there is the answer", () => {
    const chat = left(1_000);
    chat.tell({ type: "crash_recovered", decisions: [], model_call_again: true });
    chat.wait(5_000);
    expect(chat.edits.map(({ text }) => text)).not.toContain(RESTARTED);
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(5_000);
    expect(chat.texts()).toEqual(["42"]);
  });

  test.each([1, 2])(
    "an answer that was about to take the place of its progress message takes it (%s)",
    (fuse) => {
      const chat = stage();
      chat.ask("1");
      chat.wait(4_000);
      chat.fuse = fuse;
      chat.tell({ type: "message_answered", text: "42" });
      expect(() => chat.wait(3_000)).toThrow(Dead);
      chat.restart(HOUR);
      chat.wait(5_000);
      expect(chat.texts()).toEqual(["42"]);
      expect(chat.state.works).toEqual([]);
    },
  );

  test("a post that was cut off is found where the platform lists our messages", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.posts.push({ id: "m1", at: chat.now, text: "42", mentions: [] });
    chat.restart(1_000);
    chat.wait(60_000);
    expect(chat.texts()).toEqual(["42"]);
    expect(chat.state.works).toEqual([]);
  });

  test("and is not posted again while it may still be on its way", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.restart(1_000);
    chat.wait(58_000);
    expect(chat.texts()).toEqual([]);
    chat.posts.push({ id: "m1", at: chat.now, text: "42", mentions: [] });
    chat.wait(5_000);
    expect(chat.texts()).toEqual(["42"]);
    expect(chat.state.works).toEqual([]);
  });

  test("a clock that was set back holds it up no longer", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.restart(-HOUR);
    chat.settle();
    expect(chat.texts()).toEqual(["42"]);
  });

  test("and is marked where nobody can look", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.canList = false;
    chat.restart(60_000);
    chat.settle();
    expect(chat.texts()).toEqual([UNSURE]);
    expect(chat.state.undelivered?.text).toBe("42");
  });
});

describe("questions", () => {
  const asked = {
    type: "approval_requested",
    approval_id: "ap_1",
    reason: "limit",
    prompt: "p",
    on_deny: "cancel",
  } as const;
  const limit = { limit_code: "spend_exceeded", current: 0.79, current_max: "0.80", proposed_max: "1.60" };
  const open = () => {
    const chat = stage();
    chat.ask("1");
    chat.tell({ type: "thread_suspended", reason: "limit", message: "m", waits_for: { kind: "person" } });
    chat.tell({ ...asked, ...limit, timeout_seconds: 3_600, digest: "d" });
    chat.settle();
    return chat;
  };
  const decided = {
    type: "approval_decided",
    approval_id: "ap_1",
    approved: true,
    by: "maya",
    via: "dashboard",
  } as const;

  test("become a card, and the card shows a decision that was made anywhere", () => {
    const chat = open();
    expect(chat.texts()[0]).toContain("Spend limit reached: $0.79 of $0.80.");
    chat.now += 2_000;
    chat.tell(decided);
    chat.tell({ type: "budget_changed", by: "maya", limits: { spend: "2.00" } });
    chat.tell({ type: "thread_resumed", by: "maya", run: 2, nonce: "n" });
    chat.settle();
    expect(chat.texts()[0]).toBe("✓ Approved $2.00 by maya via dashboard, 2026-01-01 00:00 UTC");
    expect(chat.state.questions).toEqual([]);
  });

  test("of threads below are cards too, and nothing else of them is seen", () => {
    const chat = stage();
    chat.tell({ ...asked, ...limit }, "worker-1-bbbbbb");
    chat.tell({ type: "thread_failed", code: "E", message: "m" }, "worker-1-bbbbbb");
    chat.settle();
    expect(chat.posts).toEqual([]);
    chat.tell({ ...asked, approval_id: "ap_2" }, "worker-1-bbbbbb");
    chat.settle();
    expect(chat.posts).toHaveLength(1);
  });

  test("are brought to mind after 15 minutes, an hour, and then daily", () => {
    const chat = open();
    const counts = [14, 16, 61, 23 * 60, 24 * 60 + 1, 47 * 60, 48 * 60 + 1].map((minutes) => {
      chat.now = T0 + minutes * 60_000;
      chat.settle();
      return chat.posts.length - 1;
    });
    expect(counts).toEqual([0, 1, 2, 2, 3, 3, 4]);
    expect(chat.texts()[2]).toBe(
      "‖ chat still needs a decision, for 1 h. /approve ap_1 or /deny ap_1 answers it.",
    );
  });

  test("several reminders that were missed are one", () => {
    const chat = open();
    chat.restart(5 * 24 * HOUR);
    chat.settle();
    expect(chat.posts).toHaveLength(2);
  });

  test("that nobody needs answered any more say so", () => {
    const chat = open();
    chat.now += 2_000;
    chat.tell({ type: "thread_cancelled", reason: "r", by: "b", report: [] });
    chat.settle();
    chat.wait(4_000);
    expect(chat.texts()[0]).toBe("· Not asked any more: it went on or ended without an answer.");
  });
});

test("a countdown is edited three times at most", () => {
  const chat = stage();
  chat.ask("1");
  chat.tell({ type: "step_start", turn: 1 });
  chat.wait(4_000);
  const wakeAt = new Date(chat.now + 60_000).toISOString();
  chat.tell({
    type: "auto_retry_start",
    attempt: 2,
    maxAttempts: 3,
    delayMs: 60_000,
    errorMessage: "e",
    wakeAt,
  });
  const before = chat.edits.length;
  chat.wait(60_000);
  const texts = chat.edits.slice(before).map(({ text }) => text);
  expect(texts).toEqual(["↻ Retrying (2/3) in 60s…", "↻ Retrying (2/3) in 30s…", "↻ Retrying (2/3) in 15s…"]);
});
