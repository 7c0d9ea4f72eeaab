/** Tells on stderr what happens while this process hosts threads; on a terminal with one live last line. */
import type { Event } from "../../core/event.ts";
import type { Notice, World } from "../../core/world.ts";
import { LogLines } from "./event-line.ts";
import { logText } from "./log-text.ts";
import { duration } from "./moment.ts";
import type { Session } from "./session.ts";

const REDRAW_MS = 200;
/** Silence is a bug: off a terminal somebody waits for a sign of life. */
const HEARTBEAT_MS = 60_000;

export class Narrator {
  readonly #session: Session;
  readonly #world: World;
  readonly #lines = new Map<string, LogLines>();
  readonly #manyThreads: boolean;
  readonly #isLive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #doing = "starting";
  #since: number;
  #lastWord: number;

  constructor(session: Session, world: World, threadIds: readonly string[]) {
    this.#session = session;
    this.#world = world;
    this.#manyThreads = threadIds.length > 1;
    this.#since = world.clock.monotonic();
    this.#lastWord = this.#since;
    const isQuiet = session.flags.quiet === true;
    this.#isLive = session.terminal.isLive && !session.terminal.isMachine && !session.flags.plain && !isQuiet;
    session.listen((notice) => this.#hear(notice));
    session
      .interruption()
      .signal.addEventListener("abort", () =>
        this.tell(`Stopping (${this.#doing}); everything finished is stored. Once more leaves at once.`),
      );
    if (isQuiet) return;
    this.#timer = setInterval(() => this.#tick(), this.#isLive ? REDRAW_MS : HEARTBEAT_MS / 4);
    this.#timer.unref();
  }

  /** Clears the live line; nothing is told any more. */
  end(): void {
    clearInterval(this.#timer);
    this.#session.listen(() => {});
    if (this.#isLive) this.#session.terminal.redraw("");
  }

  /** Learns what happened before, so that a result can be named after its call. */
  async prime(threadId: string): Promise<void> {
    const lines = new LogLines();
    for (const event of (await this.#world.store.load(threadId)).events) lines.line(event);
    this.#lines.set(threadId, lines);
  }

  /** Events that were stored before anybody listened. */
  async catchUp(threadId: string): Promise<void> {
    const { events } = await this.#world.store.load(threadId);
    for (const event of events) this.show(event);
  }

  show(event: Event): void {
    this.#hear({ type: "event", event });
  }

  tell(text: string): void {
    if (this.#session.flags.quiet) return;
    if (this.#isLive) this.#session.terminal.redraw("");
    this.#session.terminal.say(text);
    this.#lastWord = this.#world.clock.monotonic();
    if (this.#isLive) this.#draw();
  }

  #hear(notice: Notice): void {
    const { terminal } = this.#session;
    switch (notice.type) {
      case "event":
        if (terminal.look.format === "jsonl") terminal.record(notice.event);
        else this.#event(notice.event);
        return;
      case "live":
        if (terminal.look.format === "jsonl") terminal.record(notice.event);
        return;
      case "storage":
        this.#session.warn(`The store does not take writes: ${notice.message}. Nothing further is started.`);
        return;
      case "damaged":
        this.#session.warn(
          `${notice.threadId} is damaged after event ${notice.damage.last_good}: ${notice.damage.why}.`,
        );
        return;
      case "fenced":
        this.#session.warn(`${notice.threadId} was taken over by another process; it goes on there.`);
        return;
      case "export_failed":
        return;
    }
  }

  #event(event: Event): void {
    const lines = this.#lines.get(event.thread_id) ?? new LogLines();
    this.#lines.set(event.thread_id, lines);
    this.#note(event);
    const line = lines.line(event);
    if (!line) return;
    const threadId = this.#manyThreads ? event.thread_id : undefined;
    this.tell(logText(event.ts, line, { colours: this.#session.terminal.err, threadId }));
  }

  #note(event: Event): void {
    const now = this.#world.clock.monotonic();
    if (event.type === "step_start") this.#now(`turn ${event.turn} · model`, now);
    else if (event.type === "tool_call_start") this.#now(`turn ${event.turn} · ${event.tool}`, now);
    else if (event.type === "auto_retry_start") this.#now("waiting for another try", now);
  }

  #now(doing: string, since: number): void {
    this.#doing = doing;
    this.#since = since;
  }

  #tick(): void {
    if (this.#isLive) return this.#draw();
    const now = this.#world.clock.monotonic();
    if (now - this.#lastWord >= HEARTBEAT_MS) this.tell(`still at work: ${this.#status(now)}`);
  }

  #draw(): void {
    const { err } = this.#session.terminal;
    this.#session.terminal.redraw(err.dim(`● ${this.#status(this.#world.clock.monotonic())}`));
  }

  #status(now: number): string {
    return `${this.#doing} ${duration(now - this.#since)}`;
  }
}
