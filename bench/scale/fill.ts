/** Stores as years of work leave them, written without walking a thread. */
import type { NewEvent } from "../../src/core/event.ts";
import type { Birth, Store } from "../../src/core/store.ts";
import { realClock, realMachine, sha256 } from "../../src/machine/index.ts";
import { openSqliteStore } from "../../src/store/stores/sqlite.ts";
import { MODEL } from "../model.ts";
import { PROMPT, SYSTEM, TOOL_NAME } from "../payload.ts";
import type { ScaleReplies } from "./orders.ts";

function openFor(path: string): Store {
  const { ownerState } = realMachine();
  const needs = { now: realClock.now, sha256, newId: () => "bench", ownerState };
  return openSqliteStore({ path, durability: "relaxed", ...needs });
}

function birthOf(id: string, model: string, events: readonly NewEvent[]): Birth {
  const created: NewEvent = {
    type: "thread_created",
    directive: "bench",
    inputs: {},
    model,
    system: SYSTEM,
    tools: [TOOL_NAME],
    limits: {},
    chain_root_id: id,
    root_id: id,
    parent_id: null,
    run: 1,
    nonce: "n",
  };
  const said: NewEvent = { type: "cognition_in", source: "directive", text: PROMPT };
  return {
    threadId: id,
    events: [created, said, { type: "thread_started", run: 1 }, ...events],
    requests: [],
  };
}

/** It waits for a person. */
const PARKED: NewEvent = {
  type: "thread_suspended",
  reason: "error",
  message: "It waits.",
  waits_for: { kind: "person", what: "an answer", who: "anybody", how: "selvage recover" },
};

const idOf = (index: number) => `bench-1700000000-${String(index).padStart(6, "0")}`;

/** Threads that wait for a person. */
export async function fillParked(path: string, threads: number): Promise<ScaleReplies["park"]> {
  const store = openFor(path);
  const births = Array.from({ length: threads }, (_, index) => birthOf(idOf(index), "bench/none", [PARKED]));
  await Promise.all(births.map((birth) => store.create(birth)));
  await store.close();
  return { threads };
}

/** Threads as old stores have them: nearly all ended, one in a hundred waits for a person. */
export async function fillStore(path: string, threads: number): Promise<{ threads: number }> {
  const store = openFor(path);
  const births = Array.from({ length: threads }, (_, index) =>
    birthOf(idOf(index), MODEL, [index % 100 === 0 ? PARKED : { type: "thread_completed", text: "Done." }]),
  );
  await Promise.all(births.map((birth) => store.create(birth)));
  await store.close();
  return { threads };
}

/** Threads whose process was killed while their model was at work. */
export async function fillOrphans(path: string, threads: number): Promise<ScaleReplies["orphans"]> {
  const store = openFor(path);
  const dead = deadOwner();
  const ids = Array.from({ length: threads }, (_, index) => idOf(index));
  await Promise.all(
    ids.map((id) => store.create(birthOf(id, "scripted/death", [{ type: "step_start", turn: 1 }]))),
  );
  await Promise.all(ids.map((threadId) => store.claim({ threadId, owner: dead, seenEpoch: 0 })));
  await store.close();
  return { threads };
}

/** Our own name with another start: a process of this machine that is gone. */
function deadOwner(): string {
  const { owner, ownerState } = realMachine();
  const dead = owner.replace(/(\d+)(?!.*\d)/, (last) => String(Number(last) + 1));
  if (ownerState(dead) !== "dead") throw new Error(`${dead} is not dead`);
  return dead;
}

const TURNS_A_THREAD = 100;
const THREADS_AT_ONCE = 8;

/** Ended threads with this many bytes of text, a tenth of it Cyrillic. */
export async function fillJournal(path: string, bytes: number): Promise<ScaleReplies["journal"]> {
  const store = openFor(path);
  const author = new Author();
  let events = 0;
  for (let thread = 0; author.written < bytes; thread += THREADS_AT_ONCE) {
    const births = Array.from({ length: THREADS_AT_ONCE }, (_, index) => {
      const turns = Array.from({ length: TURNS_A_THREAD }, (__, turn) => turnOf(turn + 1, author)).flat();
      return birthOf(idOf(thread + index), "bench/none", [
        ...turns,
        { type: "thread_completed", text: "Done." },
      ]);
    });
    events += births.reduce((sum, birth) => sum + birth.events.length, 0);
    await Promise.all(births.map((birth) => store.create(birth)));
  }
  await store.close();
  return { events };
}

function turnOf(turn: number, author: Author): NewEvent[] {
  const call_id = `call_${author.word()}_${turn}`;
  const input = { command: author.text(200) };
  const said = { at: 0, block: { type: "text" as const, text: author.text(400) } };
  const content = [
    { type: "journaled" as const, at: 1 },
    { type: "text" as const, text: author.text(1_500) },
  ];
  const usage = { input: 100, cache_read: 1_000, cache_write: 0, output: 400 };
  return [
    { type: "step_start", turn },
    {
      ...{ type: "tool_call_start", turn, call_id, at: 1, tool: "bash", input, effect: "manual" },
      preceding: [said],
    },
    {
      ...{ type: "tool_call_result", turn, call_id, tool: "bash", status: "ok", source: "run" },
      ...{ output: author.text(turn % 50 === 0 ? 90_000 : 16_000), duration_ms: 12 },
    },
    { type: "cognition_out", turn, attempt: 1, content, stop: "end_turn", truncated: false, usage },
    { type: "step_finish", turn, duration_ms: 900 },
  ];
}

const SYLLABLES = [
  "an",
  "ti",
  "re",
  "so",
  "la",
  "men",
  "do",
  "kur",
  "se",
  "ta",
  "ver",
  "im",
  "pos",
  "net",
  "ful",
  "ing",
];
const CYRILLIC = ["пра", "ви", "ло", "на", "ро", "дом", "ст", "ко", "ре", "та"];

/** The same words in every run: a generator of our own, seeded. */
class Author {
  written = 0;
  #state = 42;
  readonly #lines: readonly string[] = Array.from({ length: 4_000 }, (_, index) =>
    this.#line(index % 10 === 0),
  );

  /** Of lines that were made before, so that a gigabyte takes no minutes. */
  text(length: number): string {
    let text = "";
    while (text.length < length) text += this.#lines[this.#next(this.#lines.length)];
    this.written += Buffer.byteLength(text);
    return text;
  }

  word(): string {
    return this.#word(SYLLABLES);
  }

  #line(isCyrillic: boolean): string {
    const words = Array.from({ length: 6 + this.#next(10) }, () =>
      this.#word(isCyrillic ? CYRILLIC : SYLLABLES),
    );
    return `${words.join(" ")}${this.#next(4) === 0 ? ' "task":' : ""} ${this.#next(100_000)}\n`;
  }

  #word(syllables: readonly string[]): string {
    const count = 1 + this.#next(4);
    return Array.from({ length: count }, () => syllables[this.#next(syllables.length)]).join("");
  }

  #next(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }
}
