/** Tells on stderr what happens in threads that this process hosts, or follows; on a terminal with a few live lines below it. */
import type { Statement } from "../../core/bookkeeping.ts";
import type { Event } from "../../core/event.ts";
import type { ThreadRow } from "../../core/row.ts";
import { isTerminal } from "../../core/status.ts";
import { oneLine } from "../../core/text.ts";
import type { Notice, World } from "../../core/world.ts";
import { newRequestId, postRequest } from "../../runtime/index.ts";
import { EscapeKey } from "./escape-key.ts";
import { LogLines } from "./event-line.ts";
import type { Frame } from "./frame.ts";
import { LiveBlock, moneyLine } from "./live-block.ts";
import { logText } from "./log-text.ts";
import { duration, shortTime } from "./moment.ts";
import { person } from "./person.ts";
import { RetryWaits } from "./retry-wait.ts";
import type { Session } from "./session.ts";
import { shortId } from "./short-id.ts";
import { ThreadNames } from "./thread-names.ts";
import { WaitingHost } from "./waiting-host.ts";

const REDRAW_MS = 200;
/** Silence is a bug: off a terminal somebody waits for a sign of life. */
const HEARTBEAT_MS = 60_000;

export class Narrator {
  readonly #session: Session;
  readonly #world: World;
  readonly #lines = new Map<string, LogLines>();
  readonly #names: ThreadNames;
  readonly #isLive: boolean;
  readonly #retries = new RetryWaits();
  readonly #waiting: WaitingHost;
  readonly #escape: EscapeKey | undefined;
  readonly #block = new LiveBlock();
  readonly #frame: Frame;
  readonly #startedAt: number;
  readonly #root: string | undefined;
  #account: Statement | undefined;
  #isMoneyOld = true;
  #timer: NodeJS.Timeout | undefined;
  #doing = "starting";
  #since: number;
  #lastWord: number;

  constructor(
    session: Session,
    world: World,
    threadIds: readonly string[],
    role: "host" | "client" = "host",
  ) {
    this.#session = session;
    this.#world = world;
    this.#waiting = new WaitingHost(world.settings.retry.max_wait_ms);
    this.#names = new ThreadNames(threadIds);
    this.#since = world.clock.monotonic();
    this.#lastWord = this.#since;
    this.#startedAt = this.#since;
    [this.#root] = threadIds;
    this.#frame = session.terminal.frame();
    const isQuiet = session.flags.quiet === true;
    this.#isLive = session.terminal.isLive && !session.terminal.isMachine && !session.flags.plain && !isQuiet;
    const hasKeys = this.#isLive && session.flags.input !== false && EscapeKey.isThere;
    this.#escape = hasKeys ? new EscapeKey(() => this.#stopRetries()) : undefined;
    session.listen((notice) => this.#hear(notice));
    session.interruption().signal.addEventListener("abort", () =>
      // Who only follows leaves, and nothing stops.
      role === "host"
        ? this.tell(`Stopping (${this.#doing}); everything finished is stored. Once more leaves at once.`)
        : undefined,
    );
    if (isQuiet) return;
    this.#timer = setInterval(() => this.#tick(), this.#isLive ? REDRAW_MS : HEARTBEAT_MS / 4);
    this.#timer.unref();
  }

  /** Clears the live line; nothing is told any more. */
  end(): void {
    clearInterval(this.#timer);
    this.#escape?.release();
    this.#session.listen(() => {});
    this.#frame.clear();
  }

  /**
   * Learns what happened before in a whole tree, so that a result can be named after its call. Of each thread, what
   * came after the event that was told last is told. Returns the last event known of each.
   */
  async prime(
    rootId: string,
    toldOf: (row: ThreadRow) => number = () => Infinity,
  ): Promise<Map<string, number>> {
    const { store } = this.#world;
    const known = new Map<string, number>();
    for (const row of (await store.find({ rootId, onlyHeads: true })).toReversed()) {
      this.#names.add(row.thread_id, row.parent_id);
      known.set(row.thread_id, row.seq);
      const told = toldOf(row);
      if (isTerminal(row.status) && row.seq <= told) continue;
      const { events } = await store.load(row.thread_id);
      known.set(row.thread_id, events.at(-1)?.seq ?? 0);
      const lines = new LogLines();
      this.#lines.set(row.thread_id, lines);
      for (const event of events) {
        if (event.seq > told) this.show(event);
        else {
          lines.line(event);
          this.#retries.note(event);
        }
      }
    }
    return known;
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
    this.#frame.clear();
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
      case "held":
        this.tell(
          `${notice.threadId} waits ${duration(notice.ms)} before it asks ${oneLine(notice.model, 60)}: this key was rate limited.`,
        );
        return;
      case "fenced":
        this.#session.warn(`${notice.threadId} was taken over by another process; it goes on there.`);
        return;
      case "process_reaped":
        this.#session.warn(
          `${notice.handle} had been left behind by ${notice.threadId}, which is over: stopped.`,
        );
        return;
      case "walk_failed":
        this.#session.warn(`${notice.threadId} could not be walked: ${oneLine(notice.message, 200)}.`);
        return;
      case "export_failed":
        return;
    }
  }

  #event(event: Event): void {
    const lines = this.#lines.get(event.thread_id) ?? new LogLines();
    this.#lines.set(event.thread_id, lines);
    this.#names.note(event);
    this.#note(event);
    const line = lines.line(event);
    const name = this.#names.of(event.thread_id);
    if (line) this.tell(logText(event.ts, line, { colours: this.#session.terminal.err, name }));
    const wait = this.#waiting.note(event, this.#world.clock.now());
    if (wait !== undefined) this.tell(wait);
  }

  #note(event: Event): void {
    const now = this.#world.clock.monotonic();
    const doing = doingIn(event, this.#world.clock.now());
    const since = event.type === "auto_retry_start" ? now + event.delayMs : now;
    if (doing !== undefined) this.#now(`${this.#who(event.thread_id)}${doing}`, since);
    this.#block.note(event, doing, since);
    this.#isMoneyOld = true;
    this.#retries.note(event);
    this.#listenWhileWaiting();
  }

  /** Esc means something only while a retry is waited for; the rest of the time the terminal is left alone. */
  #listenWhileWaiting(): void {
    const isWaiting = this.#retries.waiting(this.#world.clock.now()).length > 0;
    if (isWaiting) this.#escape?.listen();
    else this.#escape?.release();
  }

  #stopRetries(): void {
    for (const threadId of this.#retries.waiting(this.#world.clock.now())) {
      const asked = { request_id: newRequestId(this.#world), thread_id: threadId, by: person() };
      // Should it have gone on in this very moment, there is nothing left to stop.
      postRequest(this.#world, { ...asked, kind: "retry", action: "stop" }).catch(() => {});
    }
  }

  #now(doing: string, since: number): void {
    this.#doing = doing;
    this.#since = since;
  }

  #tick(): void {
    this.#listenWhileWaiting();
    if (this.#isLive) return this.#draw();
    const now = this.#world.clock.monotonic();
    if (now - this.#lastWord >= HEARTBEAT_MS) this.tell(`still at work: ${this.#status(now)}`);
  }

  #who(threadId: string): string {
    return this.#names.of(threadId) === undefined ? "" : `${shortId(threadId)} · `;
  }

  #draw(): void {
    const { clock } = this.#world;
    const { err } = this.#session.terminal;
    const now = clock.monotonic();
    const threads = this.#block.lines(now, {
      name: (id) => this.#who(id),
      retrying: (id) => {
        const label = this.#retries.labelOf(id, clock.now());
        return label && `${label}${this.#escape ? " (esc to cancel)" : ""}`;
      },
      paint: err,
    });
    const money = moneyLine(this.#account, now - this.#startedAt);
    const lines = threads.length > 0 ? threads : [err.dim(`● ${this.#status(now)}`)];
    this.#frame.draw([...lines, ...(money === undefined ? [] : [err.dim(money)])]);
    this.#readMoney();
  }

  /** Of the whole tree, which its root pays for; read again only when something happened. */
  #readMoney(): void {
    if (!this.#isMoneyOld || this.#root === undefined) return;
    this.#isMoneyOld = false;
    const { store } = this.#world;
    store
      .find({ threadId: this.#root, limit: 1 })
      .then(([row]) => row && store.balance(row.root_id))
      .then((found) => {
        this.#account = found ?? this.#account;
      })
      // A figure that cannot be read now is not shown; what matters is told elsewhere.
      .catch(() => {});
  }

  #status(now: number): string {
    const retrying = this.#retries.label(this.#world.clock.now());
    return retrying ?? `${this.#doing} ${duration(Math.max(0, now - this.#since))}`;
  }
}

/** What a thread is at from this event on; undefined when it is what it was. */
function doingIn(event: Event, now: number): string | undefined {
  switch (event.type) {
    case "step_start":
      return `turn ${event.turn} · model`;
    case "tool_call_start":
      return `turn ${event.turn} · ${event.tool}`;
    case "auto_retry_start":
      return "asking again";
    case "thread_suspended":
      return waitText(event, now);
    default:
      return undefined;
  }
}

/** A host stays while a time is near: it says which. */
function waitText({ waits_for }: Event<"thread_suspended">, now: number): string {
  const until = waits_for.kind === "person" ? waits_for.until : undefined;
  return until === undefined ? "suspended" : `suspended until ${shortTime(until, now)}`;
}
