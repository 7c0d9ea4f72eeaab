/**
 * Everything that goes out to a platform goes through here.
 *   O1. In one place things happen in the order in which they were asked for; places do not wait for each other.
 *   O2. A failure is tried again a few times, after as long as the platform asks for; what that means is `chat-failure.ts`.
 *   O3. A place is edited no more often than the platform's manners allow. Of several edits that wait for one message the
 *       newest is made and the others never are; a final one gives way to nothing but another final one.
 *   O4. Nothing waits for ever: neither for a platform that does not answer, nor for one that asks for too long a wait.
 *   O5. A message that may have arrived although it failed is looked for before it is posted again, where the platform lets us.
 * Nothing is remembered here: what was posted where is for others to write down.
 */
import { afterChatFailure, type ChatFailureKind, readChatFailure } from "../../core/chat-failure.ts";
import type { ChatFile, ChatPlace, ChatPlatform, ChatText } from "../../core/chat-platform.ts";
import { isSameText } from "../../core/chat-text.ts";
import type { Clock } from "../../core/world.ts";

/** A platform that has not answered by then is not asked again: what it was sent may still arrive. */
const ANSWER_MS = 60_000;
/** When we stop, nobody waits longer than this for it: whoever comes next looks for it. */
const STOP_MS = 5_000;
/** Clocks differ. What we posted in that time ourselves is known. */
const SKEW_MS = 5_000;
const MOST_KNOWN = 50;
/** From so many places on, those where nothing happens are forgotten. */
const MANY_PLACES = 256;

/** It did not arrive, and will not. The cause is for the operator alone. */
export class Undelivered extends Error {
  readonly kind: ChatFailureKind | "no_answer" | "stopped";
  readonly tries: number;

  constructor(kind: Undelivered["kind"], why: string, tries: number, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.name = "Undelivered";
    this.kind = kind;
    this.tries = tries;
  }
}

/** `overtaken`: a newer text for the same message was asked for before this one was sent. */
export type EditFate = "sent" | "overtaken";

interface Job {
  readonly place: ChatPlace;
  readonly attempt: () => Promise<unknown>;
  /** Of a new message alone: its words. */
  readonly words?: string;
  readonly done: (value: unknown) => void;
  readonly failed: (error: Undelivered) => void;
  /** Of an edit alone. */
  readonly edit?: { readonly messageId: string; readonly isFinal: boolean };
  retries: number;
  isOvertaken: boolean;
  /** When it was first sent, in wall time, and failed in a way in which it may have arrived. */
  mayBeThere?: { readonly sinceMs: number };
}

/** What happens in one place. Times are monotonic. */
interface Line {
  jobs: Job[];
  isAtWork: boolean;
  isSending: boolean;
  notBefore: number;
  editedAt: number;
  wake: AbortController;
  /** What is being sent is not waited for any longer. */
  letGo: () => void;
  /** Messages that are not the one that is looked for. */
  known: string[];
}

export class Delivering {
  readonly #platform: ChatPlatform;
  readonly #clock: Clock;
  readonly #lines = new Map<string, Line>();
  readonly #atWork = new Set<Promise<void>>();
  #isStopped = false;

  constructor(platform: ChatPlatform, clock: Clock) {
    this.#platform = platform;
    this.#clock = clock;
  }

  post(place: ChatPlace, said: ChatText): Promise<{ readonly id: string }> {
    return this.#ask(place, async () => this.#platform.post(place, said), { words: said.text });
  }

  /** Final: the message stays as it is now. */
  edit(place: ChatPlace, messageId: string, said: ChatText, isFinal = false): Promise<EditFate> {
    const attempt = async () => {
      await this.#platform.edit(place, messageId, said);
      return "sent";
    };
    return this.#ask(place, attempt, { edit: { messageId, isFinal } });
  }

  /** False: the platform has no such thing. The same holds below. */
  async react(place: ChatPlace, messageId: string, sign: "seen" | "queued", on: boolean): Promise<boolean> {
    if (!this.#platform.react) return false;
    await this.#ask(place, async () => this.#platform.react?.(place, messageId, sign, on));
    return true;
  }

  async whisper(place: ChatPlace, personId: string, said: ChatText): Promise<boolean> {
    if (!this.#platform.whisper) return false;
    await this.#ask(place, async () => this.#platform.whisper?.(place, personId, said));
    return true;
  }

  async upload(place: ChatPlace, file: ChatFile, said?: ChatText): Promise<{ readonly id: string } | false> {
    if (!this.#platform.upload) return false;
    const words = said?.text ?? "";
    return this.#ask(place, async () => this.#platform.upload?.(place, file, said), { words });
  }

  async hand(place: ChatPlace, personId: string, file: ChatFile, said?: ChatText): Promise<boolean> {
    if (!this.#platform.hand) return false;
    await this.#ask(place, async () => this.#platform.hand?.(place, personId, file, said));
    return true;
  }

  /** In its turn like the rest: what was asked for before is there, or has failed. */
  async recent(
    place: ChatPlace,
    sinceMs: number,
  ): Promise<readonly { readonly id: string; readonly text: string; readonly at: number }[] | false> {
    if (!this.#platform.recent) return false;
    return this.#ask(place, async () => this.#platform.recent?.(place, sinceMs));
  }

  /** Until nothing waits and nothing is under way. */
  async settled(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  /** Nothing more is begun; what is under way may end, if it does so soon. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const line of this.#lines.values()) {
      const waiting = line.isSending ? line.jobs.splice(1) : line.jobs.splice(0);
      for (const job of waiting) job.failed(stopped(job));
      line.wake.abort();
    }
    const over = new AbortController();
    const patience = this.#clock.sleep(STOP_MS, over.signal).then(() => {
      for (const line of this.#lines.values()) line.letGo();
    });
    await this.settled();
    over.abort();
    await patience;
  }

  #ask<T>(
    place: ChatPlace,
    attempt: () => Promise<unknown>,
    more: Pick<Job, "edit" | "words"> = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        ...more,
        place,
        attempt,
        done: (value) => resolve(value as T),
        failed: reject,
        retries: 0,
        isOvertaken: false,
      };
      if (this.#isStopped) return job.failed(stopped(job));
      this.#add(this.#line(place), job);
    });
  }

  #line({ platform, chat }: ChatPlace): Line {
    const key = JSON.stringify([platform, chat]);
    const known = this.#lines.get(key);
    if (known) return known;
    if (this.#lines.size >= MANY_PLACES) this.#forgetIdle();
    const line: Line = {
      jobs: [],
      isAtWork: false,
      isSending: false,
      notBefore: Number.NEGATIVE_INFINITY,
      editedAt: Number.NEGATIVE_INFINITY,
      wake: new AbortController(),
      letGo: () => {},
      known: [],
    };
    this.#lines.set(key, line);
    return line;
  }

  #forgetIdle(): void {
    const now = this.#clock.monotonic();
    for (const [key, line] of this.#lines) {
      const isFree = line.notBefore <= now && line.editedAt + this.#platform.manners.editEveryMs <= now;
      if (!line.isAtWork && isFree) this.#lines.delete(key);
    }
  }

  /** O3. */
  #add(line: Line, job: Job): void {
    const { edit } = job;
    const rivals = edit ? line.jobs.filter((other) => other.edit?.messageId === edit.messageId) : [];
    if (edit && !edit.isFinal && rivals.some((other) => other.edit?.isFinal)) return job.done("overtaken");
    for (const rival of rivals) {
      rival.isOvertaken = true;
      // What is being sent cannot be called back; it is only not tried again.
      if (!(line.isSending && line.jobs[0] === rival)) drop(line, rival);
    }
    line.jobs.push(job);
    if (rivals.length > 0) line.wake.abort();
    if (line.isAtWork) return;
    line.isAtWork = true;
    const work = this.#work(line).finally(() => this.#atWork.delete(work));
    this.#atWork.add(work);
  }

  async #work(line: Line): Promise<void> {
    for (let job = line.jobs[0]; job; job = line.jobs[0]) {
      const wait = this.#due(line, job) - this.#clock.monotonic();
      if (wait > 0) await this.#wait(line, wait);
      else await this.#send(line, job);
    }
    line.isAtWork = false;
  }

  #due(line: Line, job: Job): number {
    const { editEveryMs } = this.#platform.manners;
    return job.edit ? Math.max(line.notBefore, line.editedAt + editEveryMs) : line.notBefore;
  }

  async #wait(line: Line, ms: number): Promise<void> {
    if (line.wake.signal.aborted) line.wake = new AbortController();
    await this.#clock.sleep(ms, line.wake.signal);
  }

  async #send(line: Line, job: Job): Promise<void> {
    line.isSending = true;
    const sinceMs = job.mayBeThere?.sinceMs ?? this.#clock.now();
    if (job.edit) line.editedAt = this.#clock.monotonic();
    const outcome = await this.#answer(line, () => this.#once(line, job));
    line.isSending = false;
    if ("isLate" in outcome && this.#isStopped) {
      line.jobs.shift();
      return job.failed(stopped(job));
    }
    if ("value" in outcome) {
      line.jobs.shift();
      remember(line, job, outcome.value);
      return job.done(outcome.value);
    }
    const after = afterSending(outcome, job.retries);
    if ("given_up" in after) {
      line.jobs.shift();
      return job.isOvertaken ? job.done("overtaken") : job.failed(after.given_up);
    }
    line.notBefore = this.#clock.monotonic() + after.afterMs;
    job.retries += 1;
    if (after.isUnsure) job.mayBeThere = { sinceMs };
    if (job.isOvertaken) drop(line, job);
    else if (this.#isStopped) {
      line.jobs.shift();
      job.failed(stopped(job));
    }
  }

  /** O5. */
  async #once(line: Line, { place, words, mayBeThere, attempt }: Job): Promise<unknown> {
    if (words === undefined || !mayBeThere || !this.#platform.recent) return attempt();
    const there = await this.#platform.recent(place, mayBeThere.sinceMs - SKEW_MS);
    const found = there.find(({ id, text }) => !line.known.includes(id) && isSameText(words, text));
    return found ? { id: found.id } : attempt();
  }

  async #answer(line: Line, attempt: () => Promise<unknown>): Promise<Outcome> {
    const over = new AbortController();
    const late = this.#clock.sleep(ANSWER_MS, over.signal).then((): Outcome => ({ isLate: true }));
    line.letGo = () => over.abort();
    const answer = attempt().then(
      (value): Outcome => ({ value }),
      (error: unknown): Outcome => ({ error }),
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      over.abort();
    }
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown } | { readonly isLate: true };

function afterSending(
  outcome: Exclude<Outcome, { readonly value: unknown }>,
  retries: number,
): { readonly afterMs: number; readonly isUnsure: boolean } | { readonly given_up: Undelivered } {
  const tries = retries + 1;
  if ("isLate" in outcome) {
    const why = `the platform did not answer within ${ANSWER_MS / 1_000} s`;
    return { given_up: new Undelivered("no_answer", why, tries) };
  }
  const failure = readChatFailure(outcome.error);
  const after = afterChatFailure(failure, retries);
  if (after.next === "retry") return { afterMs: after.afterMs, isUnsure: failure.kind !== "rate_limited" };
  return { given_up: new Undelivered(failure.kind, after.why, tries, outcome.error) };
}

function remember(line: Line, job: Job, value: unknown): void {
  if (job.words === undefined) return;
  line.known = [...line.known, (value as { readonly id: string }).id].slice(-MOST_KNOWN);
}

function drop(line: Line, job: Job): void {
  line.jobs = line.jobs.filter((other) => other !== job);
  job.done("overtaken");
}

function stopped(job: Job): Undelivered {
  return new Undelivered("stopped", "it was not sent before the bot stopped", job.retries);
}
