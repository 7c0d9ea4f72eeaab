// Whatever happens, in whichever order, with deaths in between: nothing twice, nothing lost unmarked, no bad manners.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { UNDELIVERED, UNSURE } from "../../src/core/chat-texts.ts";
import { Dead, MANNERS, type Stage, stage } from "./delivery-stage.ts";

type Move = readonly [name: string, n: number];
/** What matters most comes most often: an answer, and a death in the middle of telling it. */
const OFTEN = ["ask", "ask", "answer", "answer", "answer", "die", "die", "die", "wait"] as const;
const SELDOM = [
  "queue",
  "take",
  "step",
  "call",
  "result",
  "fail",
  "resume",
  "retry",
  "long",
  "stop",
  "refuse",
] as const;
const move = fc.tuple(fc.constantFrom(...OFTEN, ...SELDOM), fc.nat({ max: 12 }));

function play(moves: readonly Move[], canList: boolean): Stage {
  const chat = stage();
  chat.canList = canList;
  let asked = 0;
  const queue: string[] = [];
  for (const [name, n] of moves) {
    asked += 1;
    if (name === "ask") chat.ask(`q${asked}`);
    if (name === "queue") queue.push(chat.ask(`q${asked}`, { after: "end" }));
    const taken = name === "take" ? queue.shift() : undefined;
    if (taken !== undefined)
      chat.tell({ type: "cognition_in", source: "fake:maya", text: "t", request_id: taken });
    if (name === "step") chat.tell({ type: "step_start", turn: n });
    if (name === "call") chat.tell({ type: "tool_call_start", call_id: `c${n}`, tool: "bash" });
    if (name === "result")
      chat.tell({ type: "tool_call_result", call_id: `c${n}`, tool: "bash", status: "ok", output: "" });
    if (name === "answer" && chat.state.current !== undefined)
      chat.tell({
        type: "message_answered",
        text: `answer number ${asked} of this chat, in words`,
      });
    if (name === "fail")
      chat.tell({ type: "thread_suspended", reason: "error", message: "m", waits_for: { kind: "person" } });
    if (name === "stop") chat.tell({ type: "thread_cancelled", reason: "r", by: "b", report: [] });
    if (name === "resume") chat.tell({ type: "thread_resumed", by: "b", run: 2, nonce: "n" });
    if (name === "retry") {
      const wakeAt = new Date(chat.now + 8_000).toISOString();
      chat.tell({
        type: "auto_retry_start",
        attempt: 1,
        maxAttempts: 3,
        delayMs: 8_000,
        errorMessage: "e",
        wakeAt,
      });
    }
    if (name === "die") chat.fuse = n % 6;
    if (name === "refuse") chat.refuses = n % 3;
    try {
      chat.wait(name === "long" ? n * 4_000 : name === "die" ? 0 : n * 300);
    } catch (error) {
      if (!(error instanceof Dead)) throw error;
      chat.restart(n * 700);
    }
  }
  chat.restart(100);
  chat.refuses = 0;
  chat.tell({ type: "thread_cancelled", reason: "the end", by: "b", report: [] });
  chat.wait(90_000);
  return chat;
}

const story = fc.array(move, { maxLength: 30, size: "max" });

test("no answer is there twice, and none is lost without a mark", () => {
  fc.assert(
    fc.property(story, fc.boolean(), (moves, canList) => {
      const chat = play(moves, canList);
      const answers = chat.journal.flatMap((event) =>
        event.type === "message_answered" ? [event.text] : [],
      );
      const shown = chat.texts();
      for (const answer of answers)
        expect(shown.filter((text) => text === answer).length).toBeLessThanOrEqual(1);
      const missing = answers.filter((answer) => !shown.includes(answer)).length;
      const marks = shown.filter((text) => text === UNSURE || text === UNDELIVERED).length;
      expect(missing).toBeLessThanOrEqual(marks + chat.lostMarks);
      if (canList && !moves.some(([name]) => name === "refuse")) expect(missing).toBe(0);
      // An edit shows an answer where its progress message stood, a post where nothing did: never both.
      for (const answer of answers) {
        const at = new Set(chat.edits.flatMap(({ id, text }) => (text === answer ? [id] : [])));
        const post = chat.posts.filter(({ id, text }) => text === answer && !at.has(id));
        expect(at.size + post.length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 400 },
  );
});

test("no progress message stays at work, and all that is over is forgotten", () => {
  fc.assert(
    fc.property(story, (moves) => {
      const chat = play(moves, true);
      expect(chat.texts().filter((text) => /^[●↻◐‖]/.test(text))).toEqual([]);
      expect(chat.state.works).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("edits keep the manners, and none says what is shown already", () => {
  fc.assert(
    fc.property(story, fc.boolean(), (moves, canList) => {
      const { edits, repeats } = play(moves, canList);
      expect(repeats).toBe(0);
      for (const [index, { at }] of edits.entries()) {
        const before = edits[index - 1];
        if (before) expect(at - before.at).toBeGreaterThanOrEqual(MANNERS.editEveryMs);
      }
    }),
    { numRuns: 400 },
  );
});
