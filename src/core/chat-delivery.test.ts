import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatAction, type ChatView, nextDelivery } from "./chat-delivery.ts";
import type { ChatEvent, Note } from "./chat-events.ts";
import { requestIdOf } from "./chat-intake.ts";
import { BEGUN } from "./chat-progress.ts";
import { postedAlready } from "./chat-reply.ts";
import { type ChatState, foldChat, NEW_CHAT } from "./chat-state.ts";
import { RESTARTED, UNDELIVERED, UNSURE } from "./chat-texts.ts";

const T0 = Date.parse("2026-01-01T00:00:00.000Z");
const THREAD = "chat-1-aaaaaa";
const PLACE = { platform: "fake", chat: "C1" };
const MANNERS = { editEveryMs: 1_500, longestText: 4_000, largestFile: 1_000_000 };
const HOUR = 3_600_000;

type Fields = Readonly<Record<string, unknown>> & { readonly type: ChatEvent["type"] };

class Dead extends Error {}

interface Posted {
  readonly id: string;
  readonly at: number;
  text: string;
  readonly mentions: readonly string[];
}

/** A journal, a platform and an actor that may die between any two things it does. */
class Stage {
  now = T0;
  readonly journal: ChatEvent[] = [];
  readonly posts: Posted[] = [];
  readonly edits: { at: number; id: string; text: string }[] = [];
  readonly reactions: string[] = [];
  canList = true;
  /** Steps until it dies. */
  fuse = Number.POSITIVE_INFINITY;
  view: Partial<ChatView> = {};
  #startedAt = T0;
  #lastEditAt = T0;
  #shown: ChatView["shown"];
  #reactions = new Map<string, "seen" | "queued">();

  /** Posts that the platform does not take. */
  refuses = 0;
  lostMarks = 0;
  repeats = 0;
  #folded: ChatState = NEW_CHAT;
  #seen = 0;

  get state(): ChatState {
    for (const event of this.journal.slice(this.#seen)) this.#folded = foldChat(this.#folded, event);
    this.#seen = this.journal.length;
    return this.#folded;
  }

  tell(fields: Fields, thread = THREAD): void {
    const envelope = {
      v: 1,
      seq: this.journal.length + 1,
      ts: new Date(this.now).toISOString(),
      thread_id: thread,
    };
    this.journal.push({ ...envelope, ...fields } as unknown as ChatEvent);
  }

  born(limits = { spend: "0.25" }): void {
    this.tell({ type: "thread_created", limits, directive: "chat" });
    this.tell({ type: "thread_started", run: 1 });
  }

  ask(id: string, more: object = {}): string {
    const request_id = requestIdOf(PLACE, id);
    this.tell({ type: "message_received", request_id, by: "fake:maya", text: `say ${id}`, ...more });
    return request_id;
  }

  look(): ReturnType<typeof nextDelivery> {
    return nextDelivery(this.state, {
      ...{
        now: this.now,
        platform: "fake",
        manners: MANNERS,
        startedAt: this.#startedAt,
        lastEditAt: this.#lastEditAt,
      },
      ...{ shown: this.#shown, reactions: this.#reactions, hideCosts: false, showsProgress: true },
      nameOf: () => "chat",
      ...this.view,
    });
  }

  /** Asks and does until nothing is to be done now. */
  settle(): void {
    for (let round = 0; round < 50; round += 1) {
      const { actions } = this.look();
      if (actions.length === 0) return;
      for (const action of actions) this.do(action);
    }
    throw new Error("it never comes to rest");
  }

  wait(ms: number, stepMs = 500): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now = Math.min(end, this.now + stepMs);
      this.settle();
    }
  }

  restart(afterMs = 0): void {
    this.now += afterMs;
    this.fuse = Number.POSITIVE_INFINITY;
    this.#startedAt = this.now;
    this.#lastEditAt = this.now;
    this.#shown = undefined;
    this.#reactions = new Map();
    this.#folded = NEW_CHAT;
    this.#seen = 0;
  }

  #step(): void {
    this.fuse -= 1;
    if (this.fuse < 0) throw new Dead();
  }

  #note(note: Note): void {
    this.#step();
    this.tell({ type: "delivery_noted", ...note });
  }

  do(action: ChatAction): void {
    switch (action.kind) {
      case "react":
        this.#step();
        this.reactions.push(`${action.on ? "+" : "-"}${action.sign} ${action.messageId}`);
        if (action.on) this.#reactions.set(requestIdOf(PLACE, action.messageId), action.sign);
        return;
      case "note":
        return this.#note(action.note);
      case "post": {
        this.#note({ ...action.target, state: "intended" });
        this.#step();
        if (this.refuses > 0) {
          this.refuses -= 1;
          if (action.target.what === "notice") this.lostMarks += 1;
          return this.#note({ ...action.target, state: "given_up" });
        }
        const id = `m${this.posts.length + 1}`;
        this.posts.push({ id, at: this.now, text: action.said.text, mentions: action.said.mentions ?? [] });
        if (action.target.what === "progress") this.#shown = { messageId: id, text: action.said.text };
        this.#note({ ...action.target, state: "posted", message_id: id });
        return;
      }
      case "edit":
        return this.#edit(action);
      case "look": {
        const found = this.canList
          ? postedAlready(action.text, [...this.posts].reverse(), action)
          : undefined;
        if (found !== undefined) return this.#note({ ...action.target, state: "posted", message_id: found });
        for (const next of this.canList ? action.absent : action.unknown) this.do(next);
      }
    }
  }

  #edit({ messageId, said, target }: ChatAction & { kind: "edit" }): void {
    const isAnswer = target?.what === "answer";
    if (isAnswer) this.#note({ ...target, state: "intended", message_id: messageId });
    this.#step();
    this.edits.push({ at: this.now, id: messageId, text: said.text });
    if (this.#shown?.messageId === messageId && this.#shown.text === said.text) this.repeats += 1;
    const post = this.posts.find(({ id }) => id === messageId);
    if (post) post.text = said.text;
    this.#lastEditAt = this.now;
    this.#shown = { messageId, text: said.text };
    if (target) this.#note({ ...target, state: "posted", ...(isAnswer ? { message_id: messageId } : {}) });
  }

  texts(): string[] {
    return this.posts.map(({ text }) => text);
  }
}

const stage = (): Stage => {
  const made = new Stage();
  made.born();
  return made;
};

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
    chat.wait(1_999, 1);
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
    chat.wait(252_000, 4_000);
    chat.tell({ type: "cognition_out", turn: 1, bill: { hold: "h", amount: 310_000_000 } });
    chat.tell({ type: "message_answered", text: "42" });
    chat.wait(5_000);
    expect(chat.texts()).toEqual(["✓ 4 m 12 s · $0.31", "42"]);
    expect(chat.posts[1]?.mentions).toEqual(["maya"]);
    expect(chat.state.works).toEqual([]);
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

  test("a post that was cut off is found where the platform lists our messages", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.posts.push({ id: "m1", at: chat.now, text: "42", mentions: [] });
    chat.restart(1_000);
    chat.settle();
    expect(chat.texts()).toEqual(["42"]);
    expect(chat.state.works).toEqual([]);
  });

  test("and is marked where nobody can look", () => {
    const chat = stage();
    const key = chat.ask("1");
    chat.tell({ type: "message_answered", text: "42" });
    chat.tell({ type: "delivery_noted", for: key, what: "answer", state: "intended" });
    chat.canList = false;
    chat.restart(1_000);
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

describe("whatever happens, in whichever order, with deaths in between", () => {
  type Move = readonly [name: string, n: number];
  const move = fc.tuple(
    fc.constantFrom(
      "ask",
      "queue",
      "take",
      "step",
      "call",
      "result",
      "answer",
      "fail",
      "resume",
      "retry",
      "wait",
      "long",
      "die",
      "stop",
    ),
    fc.nat({ max: 12 }),
  );

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
      if (name === "die") chat.fuse = n;
      if (name === "refuse") chat.refuses = n % 3;
      try {
        chat.wait(name === "long" ? n * 4_000 : n * 300, 400);
      } catch (error) {
        if (!(error instanceof Dead)) throw error;
        chat.restart(n * 700);
      }
    }
    chat.restart(100);
    chat.refuses = 0;
    chat.tell({ type: "thread_cancelled", reason: "the end", by: "b", report: [] });
    chat.wait(20_000);
    return chat;
  }

  const story = fc.array(move, { maxLength: 25 });

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
      { numRuns: 250 },
    );
  });

  test("no progress message stays at work, and all that is over is forgotten", () => {
    fc.assert(
      fc.property(story, (moves) => {
        const chat = play(moves, true);
        expect(chat.texts().filter((text) => /^[●↻◐‖]/.test(text))).toEqual([]);
        expect(chat.state.works.filter(({ startedAt }) => startedAt !== undefined)).toEqual([]);
      }),
      { numRuns: 250 },
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
      { numRuns: 250 },
    );
  });
});
