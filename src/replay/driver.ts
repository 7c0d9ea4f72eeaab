/**
 * Plays the journal of one thread again (X5): the same activation, with everything from outside fed as it was recorded.
 *   D1. Input is what models, tools, hooks and people said, what became of children and processes, who died, chance and
 *       the time. Everything else has to come out of the code.
 *   D2. Nothing is fed before it is asked for, and of several things that wait, the one that the journal tells of next.
 *   D3. Nothing is executed.
 */
import { Problem } from "../core/problem.ts";
import type { Replayed } from "../core/replayed.ts";
import { needsNoLoad } from "../core/request.ts";
import { hasEnded } from "../core/status.ts";
import { activate } from "../runtime/activation.ts";
import { type Active, HostStops } from "../runtime/active.ts";
import { interrupt } from "../runtime/interrupting.ts";
import type { Claimed } from "../runtime/opening.ts";
import { memoryDisk, openMemoryStore } from "../store/stores/memory.ts";
import { type Created, openingBooks } from "./below.ts";
import { Feeder } from "./feeder.ts";
import { Life } from "./life.ts";
import { type Policies, replayWorld } from "./ports.ts";
import { Alone, Recorder, type RecorderNeeds } from "./recorder.ts";
import { fieldsOf } from "./same.ts";
import type { Tape } from "./tape.ts";

export interface DriverNeeds extends Pick<RecorderNeeds, "tape" | "relatives" | "isLenient"> {
  readonly policies: Policies;
  /** The first event of another thread of the tree. */
  readonly createdOf: (threadId: string) => Created | undefined;
}

/** Moves without an event between them: far more than any activation needs. */
const MOST_MOVES = 200;

export async function playTape(needs: DriverNeeds): Promise<Pick<Replayed, "divergences" | "parted">> {
  const driver = new Driver(needs);
  await driver.run();
  const { divergences, parted } = driver.recorder;
  return { divergences, parted };
}

class Driver {
  readonly recorder: Recorder;
  readonly #needs: DriverNeeds;
  readonly #disk = memoryDisk();
  readonly #store;
  #life: Life | undefined;
  #aloneAt = -1;
  /** What the last one that had to be taken for dead was at, and where. */
  #left = { at: -1, doing: "" };

  constructor(needs: DriverNeeds) {
    this.#needs = needs;
    const { tape, policies, relatives, isLenient } = needs;
    this.#store = openMemoryStore(this.#disk, {
      now: () => tape.now,
      sha256: policies.sha256,
      newId: () => "replay",
      ownerState: () => "dead",
    });
    this.recorder = new Recorder({ tape, disk: this.#disk, memory: this.#store, relatives, isLenient });
  }

  async run(): Promise<void> {
    const { tape } = this.#needs;
    await this.#beBorn();
    for (let moves = 0, at = tape.at; !tape.isOver && !this.recorder.parted; moves += 1) {
      if (at !== tape.at) [moves, at] = [0, tape.at];
      const moved = moves < MOST_MOVES && (await this.#move());
      if (!moved) return this.recorder.part(undefined, [], this.#instead());
      await settled();
      if (this.#life?.isOver || this.#life?.isDead) this.#bury(this.#life);
    }
  }

  /** What it would do where the journal has something else. */
  #instead(): string {
    const { ask, hooks, calls } = this.#life ?? {};
    const { next, at } = this.#needs.tape;
    const [hook] = hooks ?? [];
    if (!this.#life && this.#left.at === at) return this.#left.doing;
    if (ask && next?.type === "tool_call_start" && next.at < ask.fed)
      return `this call of ${next.tool} would not start yet: a hook or a person would be asked first`;
    if (hook) return `the hook ${hook.hook.id} (${hook.hook.where}) would be asked`;
    if (ask) return "the model would be asked";
    if (calls && calls.size > 0) return "a tool would run";
    const { waits_for: waits, status } = this.#disk.rows.get(this.#needs.tape.threadId) ?? {};
    if (waits?.kind === "person" || waits?.kind === "message") return `it would wait for ${waits.what}`;
    if (waits)
      return waits.kind === "timer" ? "it would wait for its next try" : "it would wait for its children";
    return status === undefined ? "it would not be there" : `it would be ${status}, and nothing would follow`;
  }

  /** Its first events came from whoever started it. */
  async #beBorn(): Promise<void> {
    const { tape, createdOf } = this.#needs;
    const [created, second] = tape.span(0, 2);
    if (created?.type !== "thread_created") return this.recorder.part();
    openingBooks(this.#disk, created, createdOf);
    const handed = created.continuation_of !== undefined && second?.type === "thread_started" ? 1 : 0;
    const count = handed > 0 ? 2 : tape.placeOf(({ type }) => type !== "cognition_in", 1);
    const events = tape.span(0, count).map(fieldsOf);
    await this.#store.create({ threadId: tape.threadId, events, requests: [] });
    tape.play(count);
  }

  async #move(): Promise<boolean> {
    const { tape } = this.#needs;
    const life = this.#life;
    if (!life) return this.#begin();
    if (tape.next?.type === "crash_detected") return this.#kill(life);
    const feeder = new Feeder(life, this.#needs, this.recorder);
    if (feeder.feed()) return true;
    if (this.#isStopped(life)) return true;
    const [soonest] = [...life.sleeps].sort((left, right) => left.ms - right.ms);
    if (soonest) {
      soonest.wake();
      return true;
    }
    // Its process went without a word, and somebody else took what came next.
    if (!life.isAtWork) return false;
    if (this.#left.at !== tape.at) this.#left = { at: tape.at, doing: this.#instead() };
    return this.#kill(life);
  }

  #kill(life: Life): boolean {
    life.isDead = true;
    this.#life = undefined;
    return true;
  }

  /** A stop that reached what was under way: asked for by somebody, or by a host that left. */
  #isStopped(life: Life): boolean {
    if (life.isInterrupted || !life.active || !life.ask || life.calls.size > 0) return false;
    const asked = this.recorder.asked(0);
    if (!asked || !STOPS.includes(asked.request.kind) || this.#needs.tape.thread.step?.hold) return false;
    stopLife(life, this.recorder, 0);
    life.ask.end({ type: "failure", failure: { kind: "aborted", message: "the request was stopped" } });
    life.ask = undefined;
    return true;
  }

  /** Somebody takes the thread up. */
  async #begin(): Promise<boolean> {
    const { tape } = this.#needs;
    const row = this.#disk.rows.get(tape.threadId);
    if (!row || hasEnded(row.status)) {
      const isContinued = tape.next?.type === "thread_continued" && tape.next.why === "user";
      // Written by whoever made its successor.
      if (row && isContinued) tape.play(1);
      return isContinued;
    }
    const place = this.#afterRepair();
    const asked = this.recorder.asked(place);
    // An end that was asked for by then would have been answered before the repair.
    const cameLater = place > 0 && asked !== undefined && needsNoLoad(asked.request.kind);
    if (!cameLater) this.recorder.supply(place);
    const requests = await this.#store.openRequests(row.chain_root_id);
    const isDue = this.#disk.timers.has(row.chain_root_id);
    const died = tape.next?.type === "crash_detected" || this.#isLoop();
    const isFree = row.status === "running" && row.waits_for === null;
    const reason = died
      ? "dead"
      : requests.length > 0
        ? "request"
        : isDue
          ? "timer"
          : isFree
            ? "free"
            : undefined;
    if (reason === undefined) return false;
    const seenEpoch = row.epoch;
    const claimed = await this.#store.claim({ threadId: tape.threadId, owner: "replay", seenEpoch });
    if ("refused" in claimed) return false;
    this.#walk(this.#asThen(claimed, died), reason);
    return true;
  }

  /** What was in flight is dealt with before anything that was asked. */
  #afterRepair(): number {
    const { tape } = this.#needs;
    const { next } = tape;
    if (next?.type !== "crash_detected" && next?.type !== "crash_recovered") return 0;
    return tape.placeOf(
      (event) =>
        !["crash_detected", "crash_recovered", "process_stopped"].includes(event.type) &&
        !(event.type === "tool_call_result" && event.source !== "run"),
    );
  }

  /** Who owned it, and how often owners died, is for the journal to say. */
  #asThen(claimed: Claimed, died: boolean): Claimed {
    const { tape } = this.#needs;
    const { tookFrom: _tookFrom, row, ...rest } = claimed;
    const found = died ? tape.coming("crash_detected") : undefined;
    const strikes = this.#isLoop() ? [tape.now, tape.now, tape.now] : [];
    const took = found ? { tookFrom: { owner: found.owner, epoch: found.epoch } } : {};
    return { ...rest, ...took, row: { ...row, strikes } };
  }

  #isLoop(): boolean {
    const { tape } = this.#needs;
    const at = tape.span(0, 20).findIndex(({ type }) => type === "crash_detected");
    const next = tape.ahead(at + 1);
    return at >= 0 && next?.type === "thread_suspended" && next.reason === "crash_loop";
  }

  #walk(claimed: Claimed, reason: string): void {
    const { tape, policies } = this.#needs;
    const isAlone = this.#aloneAt === tape.at || this.#isOnlyNoted();
    const life = new Life(reason, isAlone);
    this.#life = life;
    const store = this.recorder.storeFor(life);
    const world = {
      ...replayWorld(life, tape, store, policies),
      hooks: async () => hooksThen(tape, policies),
    };
    const onActive = (active: Active) => {
      life.active = active;
      timeAtWork(active, tape);
    };
    const options = { timerFired: reason === "timer", patienceMs: 0, onlyRequests: isAlone, onActive };
    activate(world, claimed, options).then(
      () => {
        life.isOver = true;
      },
      (error: unknown) => {
        life.isOver = true;
        life.error = error;
      },
    );
  }

  /** A death that was only noted: who took the thread wanted something else of it. */
  #isOnlyNoted(): boolean {
    const { tape } = this.#needs;
    const [first, second] = tape.span(0, 2);
    if (first?.type !== "crash_detected" || first.in_flight.length === 0) return false;
    return second !== undefined && second.type !== "crash_recovered";
  }

  #bury(life: Life): void {
    this.#life = undefined;
    if (life.error === undefined || life.isDead) return;
    if (!(life.error instanceof Alone)) throw life.error;
    this.#aloneAt = this.#needs.tape.at;
  }
}

/** What is asked for with these ends what is under way. */
const STOPS: readonly string[] = ["cancel", "stop"];

/** The request that comes next, from a place on, reaches everything that is under way; without one, the host leaves. */
export function stopLife(life: Life, recorder: Recorder, place: number | undefined): void {
  const request = place === undefined ? undefined : recorder.supply(place);
  if (!life.active) return;
  const isPatient = request?.kind === "cancel" && request.after_tool === true;
  interrupt(life.active, request ?? new HostStops(), isPatient ? "all but tools" : "all");
}

/** Hooks that could not be read then are not read now. */
function hooksThen(tape: Tape, { hooks }: Policies): Policies["hooks"] {
  const stopped = tape.span(0, 4).find((event) => event.type === "thread_suspended");
  const words = stopped?.type === "thread_suspended" ? stopped.message : "";
  const [, why] = /^Its hooks cannot be read: (.*)$/s.exec(words) ?? [];
  if (why !== undefined) throw new Problem("E_CONFIG_INVALID", { what: why });
  return hooks;
}

/** How long the open step has taken is what its end says. */
function timeAtWork(active: Active, tape: Tape): void {
  Object.defineProperty(active, "work", {
    get: () => ({ carriedMs: tape.coming("step_finish")?.duration_ms ?? 0, since: 0 }),
    set: () => {},
  });
}

/** Everything that can go on has gone on: no port of this world takes a turn of the event loop. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
