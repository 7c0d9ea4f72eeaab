/** The story of the demo in acts: run, kill, look, recover, prove. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../core/event.ts";
import type { World } from "../../../core/world.ts";
import { counted } from "../moment.ts";
import { type ChildEnd, type ChildPlace, runChild, startChild } from "./child.ts";
import { Narration } from "./narration.ts";
import { CUT_OFF, DIRECTIVE, EFFECTS } from "./project.ts";
import { type Check, prove, redone } from "./proof.ts";

interface Act {
  readonly name: string;
  readonly at_s: number;
  readonly ok: boolean;
}

export interface DemoReport {
  readonly acts: readonly Act[];
  readonly redone: number;
  readonly recovered: number;
  readonly cut_off_calls: number;
  readonly thread_id: string;
  readonly checks: readonly {
    readonly claim: string;
    readonly holds: boolean;
    readonly against: readonly string[];
  }[];
  readonly failures: readonly string[];
}

export interface StageOptions {
  readonly place: ChildPlace;
  readonly world: World;
  readonly tell: (text: string, at?: number) => void;
  /** Between acts, for people. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

const WAIT_MS = 8_000;

export async function playStory(options: StageOptions): Promise<DemoReport> {
  const story = new Story(options);
  const threadId = await story.runUntilTheOven();
  const before = await story.kill(threadId);
  const orphaned = await story.look(threadId);
  const recovered = await story.recover(threadId);
  return story.report(threadId, { before, orphaned, recovered });
}

class Story {
  readonly #options: StageOptions;
  readonly #start: number;
  readonly #acts: Act[] = [];
  readonly #narration: Narration;
  #child: ReturnType<typeof startChild> | undefined;

  constructor(options: StageOptions) {
    this.#options = options;
    this.#start = options.world.clock.monotonic();
    this.#narration = new Narration({ tell: (text) => this.#tell(text), say: (text) => this.#say(text) });
  }

  async runUntilTheOven(): Promise<string> {
    const { place, world } = this.#options;
    this.#tell(`● selvage run ${DIRECTIVE}`);
    this.#child = startChild(place, ["run", DIRECTIVE]);
    const isRunning = async () => {
      const [row] = await world.store.find({ limit: 1 });
      if (!row) return undefined;
      const { events } = await world.store.load(row.thread_id);
      this.#narration.follow(events);
      return this.#effects().includes(CUT_OFF) ? row.thread_id : undefined;
    };
    const threadId = await this.#until("the oven to be heated", isRunning);
    this.#tell(`● turn 3   bash   ${CUT_OFF} … running`);
    this.#act("run", true);
    return threadId;
  }

  /** A real SIGKILL, in the middle of a tool whose effect has happened and whose result has not come. */
  async kill(threadId: string): Promise<readonly Event[]> {
    const { world } = this.#options;
    await this.#pause();
    this.#narration.follow((await world.store.load(threadId)).events);
    const child = this.#child;
    if (!child) throw new Error("there is nothing to kill");
    this.#tell(`✖ kill -9 ${child.process.pid}        ← the process is really gone, its tool was running`);
    child.process.kill("SIGKILL");
    const end = await child.ended;
    const { events } = await world.store.load(threadId);
    const results = events.filter(({ type }) => type === "tool_call_result").length;
    const starts = events.filter(({ type }) => type === "tool_call_start").length;
    this.#say(
      `what is on disk:  ${counted(events.length, "event")} · ${counted(starts, "call")} started · ${counted(results, "result")}`,
    );
    this.#act("kill", end.signal === "SIGKILL");
    return events;
  }

  async look(threadId: string): Promise<boolean> {
    await this.#pause();
    const ended = await this.#selvage(["ps", "--json"]);
    const listed = parse(ended)?.data?.threads?.find((thread) => thread.thread_id === threadId);
    const isOrphaned = listed?.view === "orphaned";
    this.#say(
      `what \`ps\` says:   ! ${threadId} ${listed?.view ?? "?"} (pid ${listed?.host?.pid ?? "?"} is gone)`,
    );
    this.#act("look", isOrphaned);
    return isOrphaned;
  }

  async recover(threadId: string): Promise<number> {
    const { world } = this.#options;
    await this.#pause();
    this.#tell("selvage recover --all");
    const ended = await this.#selvage(["recover", "--all", "--json"]);
    const recovered = parse(ended)?.data?.recovered?.length ?? 0;
    const { events } = await world.store.load(threadId);
    this.#narration.follow(events);
    this.#act("recover", ended.code === 0 && recovered === 1);
    return recovered;
  }

  async report(
    threadId: string,
    facts: { before: readonly Event[]; orphaned: boolean; recovered: number },
  ): Promise<DemoReport> {
    const { world } = this.#options;
    const { events: after } = await world.store.load(threadId);
    const evidence = { before: facts.before, after, effects: this.#effects() };
    const checks = prove(evidence);
    this.#tell("the proof, from the journal and from what really happened");
    for (const check of checks) this.#say(`${check.against.length === 0 ? "✓" : "✗"} ${check.claim}`);
    this.#act(
      "proof",
      checks.every(({ against }) => against.length === 0),
    );
    return {
      acts: this.#acts,
      redone: redone(evidence),
      recovered: facts.recovered,
      cut_off_calls: after.filter((event) => event.type === "tool_call_result" && event.status === "unknown")
        .length,
      thread_id: threadId,
      checks: checks.map(({ claim, against }) => ({ claim, holds: against.length === 0, against })),
      failures: [
        ...this.#acts.flatMap(({ name, ok }) => (ok ? [] : [`act "${name}" went wrong`])),
        ...checks.flatMap(failure),
      ],
    };
  }

  #effects(): string[] {
    const text = readOr(join(this.#options.place.project, EFFECTS), "");
    return text.split("\n").filter((line) => line !== "");
  }

  async #selvage(args: readonly string[]): Promise<ChildEnd> {
    return runChild(this.#options.place, args);
  }

  /** Waits for a fact, never for a time. */
  async #until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const { clock } = this.#options.world;
    const deadline = clock.monotonic() + WAIT_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const ended = this.#child?.process.exitCode ?? null;
      if (this.#options.signal.aborted) throw new Error("interrupted");
      if (ended !== null)
        throw new Error(
          `the run ended (exit ${ended}) before ${what}: ${(await this.#child?.ended)?.stderr}`,
        );
      if (clock.monotonic() > deadline) throw new Error(`waited too long for ${what}`);
      await clock.sleep(15, this.#options.signal);
    }
  }

  async #pause(): Promise<void> {
    const { world, pauseMs, signal } = this.#options;
    await world.clock.sleep(pauseMs, signal);
    if (signal.aborted) throw new Error("interrupted");
  }

  #seconds(): number {
    return Math.round((this.#options.world.clock.monotonic() - this.#start) / 100) / 10;
  }

  #act(name: string, ok: boolean): void {
    this.#acts.push({ name, at_s: this.#seconds(), ok });
  }

  #tell(text: string): void {
    this.#options.tell(text, this.#seconds());
  }

  #say(text: string): void {
    this.#options.tell(text);
  }
}

function failure({ claim, against }: Check): string[] {
  return against.length === 0 ? [] : [`not true that ${claim}: ${against.join("; ")}`];
}

interface Printed {
  readonly data?: {
    readonly threads?: readonly { thread_id: string; view: string; host?: { pid?: number } | null }[];
    readonly recovered?: readonly string[];
  };
}

function parse({ stdout }: ChildEnd): Printed | undefined {
  try {
    return JSON.parse(stdout) as Printed;
  } catch {
    return undefined; // the act is then told to have gone wrong
  }
}

function readOr(path: string, fallback: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : fallback;
}
