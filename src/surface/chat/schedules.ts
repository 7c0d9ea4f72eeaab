/**
 * Tells the prompts of chat.yaml when they are due.
 *   S1. Nothing is remembered here: a prompt is told under a name made of its schedule and its time, and what has that name in
 *       the store is told no second time, whoever tells it, and however often the clock passes that time.
 *   S2. Schedules do not wait for one another. One that cannot be told is tried again with the next look, as long as it is owed.
 *   S3. Of places in which nobody speaks here, nothing is told: whoever speaks there does it.
 */
import type { ChatSchedule } from "../../core/chat-file.ts";
import { type ChatPlace, placeOf } from "../../core/chat-platform.ts";
import { owedAt, promptDueAt, quietFor, type ScheduledPrompt } from "../../core/chat-schedule.ts";
import type { Clock } from "../../core/world.ts";

export interface SchedulesNeeds {
  readonly clock: Clock;
  readonly schedules: readonly ChatSchedule[];
  speaksIn(place: ChatPlace): boolean;
  /** Resolves when it is stored; told twice, it is the same. */
  tell(place: ChatPlace, prompt: ScheduledPrompt): Promise<void>;
  /** For the operator. */
  trouble(message: string): void;
}

interface Entry {
  readonly schedule: ChatSchedule;
  readonly place: ChatPlace;
  /** The name of the last one that is known to be stored: the store is not asked about it at every look. */
  stored?: string;
  /** What was complained about, so that it is said once. */
  complaint?: string;
  underWay?: Promise<void> | undefined;
}

export class Schedules {
  readonly #needs: SchedulesNeeds;
  readonly #entries: readonly Entry[];
  readonly #stopping = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(needs: SchedulesNeeds) {
    this.#needs = needs;
    this.#entries = needs.schedules.flatMap((schedule) => {
      const place = placeOf(schedule.place);
      return place && needs.speaksIn(place) ? [{ schedule, place }] : [];
    });
  }

  start(): void {
    if (this.#entries.length > 0) this.#looking ??= this.#look();
  }

  async stop(): Promise<void> {
    this.#stopping.abort("stopped");
    await this.#looking;
    await Promise.all(this.#entries.map(({ underWay }) => underWay));
  }

  async #look(): Promise<void> {
    const { clock } = this.#needs;
    const { signal } = this.#stopping;
    const schedules = this.#entries.map(({ schedule }) => schedule);
    while (!signal.aborted) {
      for (const entry of this.#entries) this.#tellOwed(entry);
      await clock.sleep(quietFor(schedules, clock.now()), signal);
    }
  }

  /** S2. */
  #tellOwed(entry: Entry): void {
    const { schedule } = entry;
    const due = owedAt(schedule, this.#needs.clock.now());
    if (due === undefined || entry.underWay) return;
    const prompt = promptDueAt(schedule, due);
    if (entry.stored === prompt.messageId) return;
    entry.underWay = this.#tell(entry, prompt).finally(() => {
      entry.underWay = undefined;
    });
  }

  async #tell(entry: Entry, prompt: ScheduledPrompt): Promise<void> {
    try {
      await this.#needs.tell(entry.place, prompt);
      entry.stored = prompt.messageId;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const complaint = `schedule ${entry.schedule.id} could not be told: ${why}`;
      if (entry.complaint !== complaint) this.#needs.trouble(complaint);
      entry.complaint = complaint;
    }
  }
}
