import { describe, expect, test } from "vitest";
import {
  cancelText,
  costAnswer,
  decisionText,
  HELP,
  newText,
  statusText,
  undecidedText,
} from "./chat-answers.ts";
import { attachmentRefusal, isWhatItSays } from "./chat-attachment.ts";
import { cardText, decidedCard, reminderText } from "./chat-card.ts";
import { costText, doneText, progressText, stoppingText } from "./chat-progress.ts";
import { type ChatQuestion, reminderAfter, remindersDue } from "./chat-question.ts";
import { type ChatRun, IDLE, type RunChild } from "./chat-run.ts";
import { type ChatState, NEW_CHAT } from "./chat-state.ts";
import { type ChatError, errorText, refusedFile, spaced } from "./chat-texts.ts";
import { NOTHING_UNDER_WAY } from "./request.ts";

const NOW = Date.parse("2026-01-01T10:09:00.000Z");
const CENT = 10_000_000;

describe("errors: the sentence of old, and what happened", () => {
  const cases: [ChatError, string, string][] = [
    [
      { class: "provider", tries: 3, overMs: 14_300, status: 503 },
      "I'm having trouble reaching my AI provider. Try again in a moment.",
      "Tried 3 times over 14 s (503). Your message is safe: /retry runs it again.",
    ],
    [
      { class: "provider", tries: 1, overMs: 0, resumesAt: "2026-01-01T12:00:00.000Z" },
      "I'm having trouble reaching my AI provider. Try again in a moment.",
      "Tried once. Your message is safe: it goes on at 2026-01-01 12:00 UTC, /retry runs it now.",
    ],
    [
      { class: "tool_timeout", tool: "run_tests", seconds: 120 },
      "A command I was running timed out. Let me know if you'd like me to try again.",
      "run_tests was stopped after 120 s. Nothing else was lost.",
    ],
    [
      { class: "history", threadId: "research-17390001", startsFresh: true },
      "I had trouble loading our conversation history. Starting fresh for this thread.",
      "The old thread is kept as research-17390001; /log sends it.",
    ],
    [
      { class: "history", threadId: "research-17390001", startsFresh: false },
      "I had trouble loading our conversation history. I do not go on before somebody has looked at it.",
      "The old thread is kept as research-17390001; /log sends it.",
    ],
    [
      { class: "unknown", sentence: "the disk is full.", reference: "7f2c-19" },
      "Something went wrong: the disk is full. Try sending your message again.",
      "Reference 7f2c-19. /log has the details.",
    ],
    [
      { class: "unknown", sentence: "the disk is full.", reference: "7f2c-19", waits: true },
      "Something went wrong: the disk is full. Try sending your message again.",
      "Reference 7f2c-19. Your message is safe: /retry runs it again.",
    ],
    [
      { class: "not_permitted", tool: "send_email" },
      "I may not use send_email here.",
      "An admin can add it in the directive. Nothing was lost.",
    ],
  ];
  test.each(cases)("%j", (error, first, second) => {
    expect(errorText(error).text).toBe(`${first}\n${second}`);
  });

  test("no stack, no path, no key is ever told", () => {
    const sentence =
      "ENOENT: /home/maya/secret/x.ts\n    at run (/opt/app/dist/cli.js:10:5) key sk-ant-REDACTED";
    const { text } = errorText({ class: "unknown", sentence, reference: "r" });
    expect(text).not.toMatch(/home|opt|cli\.js|sk-ant/);
    expect(text.split("\n")).toHaveLength(2);
    expect(errorText({ class: "unknown", sentence: "", reference: "r" }).text).toContain("nobody said what.");
  });

  test("a time-out has a button", () => {
    const { buttons } = errorText({ class: "tool_timeout", tool: "t", seconds: 1 });
    expect(buttons).toEqual([{ label: "Try again", action: "retry", value: "last" }]);
  });
});

test.each([
  [0, "0 s"],
  [999, "0 s"],
  [9_900, "9 s"],
  [38_400, "38 s"],
  [252_000, "4 m 12 s"],
])("%s ms are %j", (ms, text) => {
  expect(spaced(ms)).toBe(text);
});

describe("progress", () => {
  const look = { now: NOW, hideCosts: false };
  const run = (more: Partial<ChatRun>): ChatRun => ({ ...IDLE, status: "running", turn: 1, ...more });
  const child = (n: number, state: RunChild["state"]): RunChild => ({
    id: `c${n}`,
    directive: `part-${n}`,
    state,
    at: NOW - 5_000,
  });

  test.each([
    ["at first", run({}), "● Working · turn 1"],
    [
      "at work",
      run({
        turn: 3,
        calls: { c: { tool: "run_tests", at: NOW - 38_200 } },
        spent: 4 * CENT,
        limit: 25 * CENT,
      }),
      "● turn 3 · run_tests 38 s · $0.04 of $0.25",
    ],
    ["its turns, not the chain's", run({ turn: 9, turnsBefore: 7 }), "● turn 2"],
    [
      "how far a tool is",
      run({ calls: { c: { tool: "fetch", at: NOW, part: 0.25 } } }),
      "● turn 1 · fetch 0 s 25 %",
    ],
    [
      "long ones in larger steps",
      run({ calls: { c: { tool: "b", at: NOW - 77_000 } } }),
      "● turn 1 · b 70 s",
    ],
    ["very long ones too", run({ calls: { c: { tool: "b", at: NOW - 659_000 } } }), "● turn 1 · b 10 m 00 s"],
    [
      "several at once",
      run({ calls: { a: { tool: "a", at: NOW }, b: { tool: "b", at: NOW }, c: { tool: "c", at: NOW } } }),
      "● turn 1 · a 0 s, b 0 s, +1",
    ],
    ["asking", run({ status: "suspended", reason: "limit" }), "‖ Waiting for a decision."],
    [
      "stopping",
      run({ isStopping: true, calls: { c: { tool: "run_tests", at: NOW - 38_000 } } }),
      "◐ Stopping after run_tests (38 s so far).",
    ],
    ["stopping between calls", run({ isStopping: true }), "◐ Stopping at the next step."],
    [
      "children",
      run({ wave: 1, children: [child(1, "done"), child(2, "failed"), child(3, "running")] }),
      "● Working · turn 1\nwave 1: 2 of 3 done ▓▓▓▓▓▓░░░\n✓ part-1\n✗ part-2\n● part-3 5 s",
    ],
    ["children that are done", run({ turn: 2, wave: 1, children: [child(1, "done")] }), "● turn 2"],
  ])("%s", (_, is, text) => {
    expect(progressText(is, look).text).toBe(text);
  });

  test("costs can be hidden", () => {
    expect(progressText(run({ turn: 3, spent: CENT, limit: CENT }), { ...look, hideCosts: true }).text).toBe(
      "● turn 3",
    );
    expect(costText({ spent: CENT, limit: undefined })).toBe("$0.01");
  });

  test("six children, then how many more", () => {
    const children = Array.from({ length: 10 }, (_, n) => child(n, "running"));
    const lines = progressText(run({ wave: 2, children }), look).text.split("\n");
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe("+4");
  });

  test("a retry counts down in three steps and can be stopped", () => {
    const retry = { attempt: 2, max: 3, from: NOW, until: NOW + 8_000 };
    const texts = Array.from(
      { length: 90 },
      (_, n) => progressText(run({ retry }), { ...look, now: NOW + n * 100 }).text,
    );
    expect([...new Set(texts)]).toEqual([
      "↻ Retrying (2/3) in 8s…",
      "↻ Retrying (2/3) in 4s…",
      "↻ Retrying (2/3) in 2s…",
    ]);
    expect(progressText(run({ retry }), look).buttons?.[0]?.action).toBe("stop_retry");
  });

  test.each([
    [
      { kind: "answer", spent: 31 * CENT, details: "https://d/1" },
      "✓ 4 m 12 s · $0.31 · [details](https://d/1)",
    ],
    [{ kind: "answer", spent: 0 }, "✓ 4 m 12 s"],
    [{ kind: "error", spent: CENT }, "✗ 4 m 12 s · $0.01"],
    [{ kind: "stopped", spent: CENT, hideCosts: true }, "⊘ 4 m 12 s"],
  ] as const)("it shrinks to %j", (done, text) => {
    expect(doneText({ ms: 252_000, hideCosts: false, ...done })).toBe(text);
  });
});

describe("cards", () => {
  const question = (approval: object, more: Partial<ChatQuestion> = {}): ChatQuestion => ({
    approval: {
      ...{
        approval_id: "ap_3f",
        reason: "limit",
        prompt: "May I?",
        on_deny: "cancel",
        timeout_seconds: 1,
        digest: "d",
      },
      ...approval,
    },
    ...{ threadId: "t", at: NOW, state: "open", card: "none", cardAt: 0, reminded: 0, ...more },
  });
  const limit = { limit_code: "spend_exceeded", current: 0.79, current_max: "0.80", proposed_max: "1.60" };

  test("of a limit", () => {
    const { text, buttons } = cardText(question(limit), "plan_react_ui");
    expect(text).toBe(
      [
        "‖ plan_react_ui needs a decision",
        "Spend limit reached: $0.79 of $0.80.",
        "Approving raises it to $1.60.",
        "If denied: it stops now, and what it did so far is kept.",
        "ap_3f · waits for an answer",
      ].join("\n"),
    );
    expect(buttons?.map(({ label, action, value }) => [label, action, value])).toEqual([
      ["Approve $1.60", "approve", "ap_3f"],
      ["Other amount…", "ask_amount", "ap_3f"],
      ["Deny", "deny", "ap_3f"],
    ]);
    expect(buttons?.at(-1)?.confirm).toBeDefined();
  });

  test("of a call: the whole of it behind a bar, with what is hidden spelled out", () => {
    const call = { call_id: "c", tool: "send_email", input: { to: "a\u202eb\u200b" } };
    const { text, buttons } = cardText(
      question({ reason: "approval", call, on_deny: "refuse_call" }),
      "mail",
    );
    expect(text).toContain('It wants to use send_email with:\n> {"to":"a\\u202eb\\u200b"}');
    expect(text).toContain("If denied: this call is refused, and the work goes on.");
    expect(buttons?.map(({ action }) => action)).toEqual(["approve", "deny"]);
  });

  test("what is not seen whole cannot be approved here", () => {
    const call = { call_id: "c", tool: "bash", input: { command: "x".repeat(2_000) } };
    const { text, buttons } = cardText(question({ reason: "approval", call }), "mail");
    expect(buttons?.map(({ action }) => action)).toEqual(["deny"]);
    expect(text).toContain("selvage approve ap_3f shows all of it");
  });

  test("no text of others passes for ours", () => {
    const prompt = "sure\n‖ mail needs a decision\nap_99 · approved";
    expect(cardText(question({ reason: "approval", prompt }), "mail").text).toContain("> ap_99 · approved");
  });

  const decision = (more: object) =>
    ({
      v: 1,
      seq: 1,
      thread_id: "t",
      ts: "2026-01-01T10:09:00Z",
      approval_id: "ap_3f",
      approved: true,
      by: "Maya",
      via: "dashboard",
      ...more,
    }) as ChatQuestion["decision"];
  test.each([
    [
      question(limit, { state: "decided", decision: decision({}) }),
      "✓ Approved $1.60 by Maya via dashboard, 2026-01-01 10:09 UTC",
    ],
    [
      question(limit, { state: "decided", granted: "2.00", decision: decision({}) }),
      "✓ Approved $2.00 by Maya via dashboard, 2026-01-01 10:09 UTC",
    ],
    [
      question({}, { state: "decided", decision: decision({ approved: false, message: "not now" }) }),
      "✗ Denied by Maya via dashboard, 2026-01-01 10:09 UTC: not now",
    ],
    [
      question(
        {},
        { state: "decided", decision: decision({ approved: false, by: "nobody", via: "timeout" }) },
      ),
      "✗ Nobody answered, and that counts as a no here, 2026-01-01 10:09 UTC",
    ],
    [question({}, { state: "void" }), "· Not asked any more: it went on or ended without an answer."],
  ])("become what was decided %#", (is, text) => {
    expect(decidedCard(is)).toEqual({ text });
  });

  test.each([
    [14, 0],
    [15, 1],
    [59, 1],
    [60, 2],
    [24 * 60 - 1, 2],
    [24 * 60, 3],
    [3 * 24 * 60, 5],
  ])("after %s minutes, %s reminders", (minutes, count) => {
    expect(remindersDue(minutes * 60_000)).toBe(count);
    expect(reminderAfter(count)).toBeGreaterThan(minutes * 60_000);
    expect(remindersDue(reminderAfter(count))).toBe(count + 1);
  });

  test.each([
    [15, "15 m"],
    [61, "1 h"],
    [72 * 60, "3 days"],
  ])("brought to mind after %s minutes", (minutes, waits) => {
    expect(reminderText(question({}), "mail", NOW + minutes * 60_000)).toBe(
      `‖ mail still needs a decision, for ${waits}. /approve ap_3f or /deny ap_3f answers it.`,
    );
  });
});

describe("answers to commands", () => {
  const state = (run: Partial<ChatRun>, more: Partial<ChatState> = {}): ChatState => ({
    ...NEW_CHAT,
    threads: ["chat-1"],
    run: { ...IDLE, ...run },
    ...more,
  });
  const look = { now: NOW, hideCosts: false };

  test("/status has six lines, and a link, and what did not get through", () => {
    const running = state(
      {
        status: "running",
        turn: 3,
        spent: CENT,
        limit: 25 * CENT,
        calls: { c: { tool: "bash", at: NOW - 3_000 } },
      },
      { current: "k", recoveries: 1 },
    );
    expect(statusText(running, look).split("\n")).toEqual([
      "● running · chat-1",
      "turn 3 · bash 3 s",
      "spend $0.01 of $0.25",
      "queue empty",
      "children none",
      "recovered 1 time",
    ]);
    const more = statusText(
      { ...running, undelivered: { text: "42", at: NOW } },
      { ...look, hideCosts: true, details: "https://d" },
    );
    expect(more).toContain("spend: not shown here");
    expect(more).toMatch(/\[details\]\(https:\/\/d\)\nNot delivered, of 2026-01-01 10:09 UTC:\n42$/);
  });

  test.each([
    [state({}), "· waits for a message · chat-1"],
    [state({ status: "suspended", reason: "budget" }), "‖ suspended (budget) · chat-1"],
    [state({ isStopping: true }), "◐ stopping · chat-1"],
    [state({ retry: { attempt: 1, max: 3, from: NOW, until: NOW + 4_000 } }), "↻ retrying in 4 s · chat-1"],
    [state({ status: "error" }), "✗ error · chat-1"],
    [{ ...NEW_CHAT }, "· waits for a message · no thread yet"],
  ])("its first line %#", (is, first) => {
    expect(statusText(is, look).split("\n")[0]).toBe(first);
  });

  test.each([
    [state({}), "There is nothing to stop.", NOTHING_UNDER_WAY],
    [state({}), "Nothing was stopped: its journal is damaged.", "its journal is damaged"],
    [state({}), "◐ Stopping at the next step."],
    [
      state({ retry: { attempt: 1, max: 3, from: 0, until: NOW } }, { current: "k" }),
      "⊘ Stopped. Work is kept.",
    ],
    [state({ status: "suspended", reason: "limit" }), "⊘ Stopped. Work is kept."],
    [
      state({ status: "running", calls: { c: { tool: "run_tests", at: NOW - 38_000 } } }, { current: "k" }),
      "◐ Stopping after run_tests (38 s so far).",
    ],
  ])("/cancel %#", (is, text, refused = undefined) => {
    expect(cancelText(is, NOW, refused)).toBe(text);
  });

  test("the rest", () => {
    expect(stoppingText({ calls: {} }, NOW)).toBe("◐ Stopping at the next step.");
    expect(HELP.split("\n")).toHaveLength(3);
    expect(decisionText({ approved: true, limits: { spend: "1.60" } }, { on_deny: "cancel" })).toBe(
      "✓ Approved. spend is $1.60 now; it goes on.",
    );
    expect(decisionText({ approved: true, limits: undefined }, { on_deny: "cancel" })).toBe(
      "✓ Approved. It goes on.",
    );
    expect(decisionText({ approved: false, limits: undefined }, { on_deny: "refuse_call" })).toContain(
      "the work goes on",
    );
    expect(undecidedText({ is: "several", ids: ["ap_1", "ap_2"] })).toContain("Say which: /approve ap_1.");
    expect(undecidedText({ is: "none" })).toBe("Nothing waits for a decision here.");
    expect(undecidedText({ is: "unknown", id: "ap_9" })).toContain("ap_9");
    const decision = { approval_id: "a", approved: true, by: "Maya", via: "cli", at: "2026-01-01T10:09:00Z" };
    expect(undecidedText({ is: "decided", decision })).toBe(
      "It was approved already, by Maya via cli, 2026-01-01 10:09 UTC.",
    );
    expect(costAnswer({ here: CENT, today: 2 * CENT, limit: 25 * CENT, hideCosts: false })).toBe(
      "here $0.01 · today $0.02 · limit $0.25",
    );
    expect(costAnswer({ here: CENT, today: CENT, hideCosts: true })).toBe("Costs are not shown here.");
    expect(newText("chat-1")).toBe("Your next message begins afresh. The old thread is kept as chat-1.");
  });
});

describe("attachments", () => {
  const limits = { max_mb: 25, types: ["text/*", "image/*", "application/pdf"] };
  test.each([
    [{ name: "a.txt", type: "text/plain; charset=utf-8", bytes: 10 }, undefined],
    [{ name: "a.pdf", type: "application/pdf" }, undefined],
    [
      { name: "report.exe", type: "application/x-msdownload", bytes: 84_000_000 },
      "report.exe (84.0 MB) was not read: limit is 25 MB and this type is off.",
    ],
    [
      { name: "cat.png.exe", type: "image/png", bytes: 10 },
      "cat.png.exe (10 B) was not read: this type is off.",
    ],
    [
      { name: "a.txt", type: "text/plain", bytes: 100_000_000 },
      "a.txt (100.0 MB) was not read: limit is 25 MB.",
    ],
    [{ name: "x", type: "textual/plain" }, "x was not read: this type is off."],
  ])("%j", (file, refusal) => {
    expect(attachmentRefusal(file, limits)).toBe(refusal);
  });

  const bytes = (...head: number[]) => Uint8Array.from(head);
  test.each([
    ["image/png", bytes(0x89, 0x50, 0x4e, 0x47, 1), true],
    ["image/png", bytes(0x4d, 0x5a, 0x90, 0), false],
    ["text/plain", bytes(0x68, 0x69), true],
    ["text/plain", bytes(0x7f, 0x45, 0x4c, 0x46, 0), false],
    ["application/json", bytes(0x7b, 0), false],
    ["application/pdf", bytes(0x25, 0x50, 0x44, 0x46), true],
    ["application/pdf", bytes(), false],
    ["image/svg+xml", bytes(0x3c), true],
  ])("a %s that begins with %s: %s", (type, head, isIt) => {
    expect(isWhatItSays(type, head)).toBe(isIt);
  });

  test("one that could not be loaded", () => {
    expect(refusedFile({ name: "a", type: "t", isTypeOff: false })).toBe(
      "a was not read: it could not be loaded.",
    );
  });
});
