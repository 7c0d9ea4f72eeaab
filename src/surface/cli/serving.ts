/**
 * Hosting everything in a project, until told to stop (R2).
 *   S1. One thread that misbehaves ends neither the others nor the host; a host that fails as a whole begins again.
 *   S2. Told to stop, it takes up nothing more, lets what is being written be written, and is gone within 5 s.
 *   S3. Nothing depends on that: killed at any place and started again, nothing is lost.
 */

import { Problem } from "../../core/problem.ts";
import type { HostRow } from "../../core/store.ts";
import { oneLine } from "../../core/text.ts";
import type { World } from "../../core/world.ts";
import { host } from "../../runtime/index.ts";
import { doorFolder, removeAddress, writeAddress } from "../host/address.ts";
import { type Door, openDoor } from "../host/door.ts";
import { hostCommands, statusReader } from "../host/host-commands.ts";
import { SystemdNotifier } from "../host/notify.ts";
import { capLog } from "../host/serve-log.ts";
import type { Answer } from "./answer.ts";
import { envelope } from "./answer.ts";
import { hostedBy } from "./host-text.ts";
import type { OpenProject } from "./house.ts";
import { counted } from "./moment.ts";
import type { ServeChat } from "./serve-chat.ts";
import { ServeLines } from "./serve-lines.ts";
import type { Recoverable } from "./serve-recovery.ts";
import type { Session } from "./session.ts";

/** Tools get their time to end; with what follows it stays below 5 s. */
const STOP_MS = 4_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const CAP_EVERY_MS = 60_000;
/** Of systemd's patience, so that a busy moment costs no restart. */
const SIGNS_PER_WATCHDOG = 3;
const STATUS_EVERY_MS = 30_000;

export class Serving {
  readonly #session: Session;
  readonly #project: OpenProject;
  readonly #recoverable: Recoverable;
  readonly #lines: ServeLines;
  readonly #notifier: SystemdNotifier;
  readonly #shutdown = new AbortController();
  readonly #since: string;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #chat: ServeChat | undefined;
  /** Only a person can mend it. */
  #wrong: Problem | undefined;
  #door: Door | undefined;
  #isReady = false;

  constructor(session: Session, project: OpenProject, recoverable: Recoverable, chat?: ServeChat) {
    this.#chat = chat;
    this.#session = session;
    this.#project = project;
    this.#recoverable = recoverable;
    this.#lines = new ServeLines(session);
    this.#since = new Date(project.world.clock.now()).toISOString();
    this.#notifier = new SystemdNotifier((why) =>
      this.#lines.trouble(`systemd is not told how we are, since systemd-notify does not work: ${why}`),
    );
  }

  async run(): Promise<Answer> {
    const interruption = this.#session.interruption();
    const signal = AbortSignal.any([interruption.signal, this.#shutdown.signal]);
    interruption.onForced((exit) => this.#lastWord(exit));
    this.#session.listen((notice) => {
      this.#lines.hear(notice);
      this.#chat?.hear(notice);
    });
    signal.addEventListener("abort", () => this.#onStop());
    try {
      const over = new AbortController();
      await Promise.race([this.#both(signal), this.#stopped(signal, over.signal)]);
      over.abort();
    } finally {
      await this.#close();
    }
    if (this.#wrong) throw this.#wrong;
    return this.#answer(interruption.exit ?? 0);
  }

  get #world(): World {
    return this.#project.world;
  }

  /** People may talk for as long as somebody hosts what they say. */
  async #both(signal: AbortSignal): Promise<void> {
    const stopping = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(this.#chat?.stop()), { once: true });
    });
    try {
      await this.#host(signal);
    } finally {
      await (signal.aborted ? stopping : this.#chat?.stop());
    }
  }

  /** S1. */
  async #host(signal: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const end = await host(this.#world, {
          ...{ scope: "*", stays: true, signal, patienceMs: Number.POSITIVE_INFINITY },
          mayRecover: (row) => this.#recoverable.mayRecover(row),
          prepare: () => this.#ready(),
        });
        if (end.type === "refused") throw hosted(this.#project.root, end.by);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem) throw error;
        this.#lines.trouble(`Hosting failed and begins again: ${oneLine(String(error), 300)}`);
      }
      await this.#world.clock.sleep(pauseMs, signal);
    }
  }

  async #stopped(signal: AbortSignal, over: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await this.#world.clock.sleep(STOP_MS, over);
  }

  /** The project is ours: others may come, and are told where. */
  async #ready(): Promise<void> {
    if (this.#isReady) return;
    await this.#open();
    const { text } = await statusReader(this.#world)();
    this.#lines.say(`Hosting ${this.#project.root} as pid ${process.pid}: ${text}.`);
    this.#notifier.tell({ READY: "1", STATUS: this.#statusLine(text) });
    this.#keepTelling();
    this.#isReady = true;
    this.#chat?.begin((problem) => {
      this.#wrong = problem;
      this.#shutdown.abort();
    });
  }

  async #open(): Promise<void> {
    const { root } = this.#project;
    const { version } = this.#session.house;
    const { owner } = this.#world.machine;
    const chat = this.#chat?.names;
    const desk = { world: this.#world, version, since: this.#since, chat: () => this.#chat?.states() };
    const allow = (chains: readonly string[]) => this.#allow(chains);
    const shutDown = () => this.#shutdown.abort();
    this.#door ??= await openDoor(doorFolder(root), hostCommands({ ...desk, allow, shutDown }));
    const socket = this.#door?.path;
    const isFound =
      socket !== undefined &&
      writeAddress(root, { owner, socket, since: this.#since, version, ...(chat && { chat: [...chat] }) });
    if (!isFound)
      this.#lines.trouble("Others cannot ask this host anything: its socket could not be made here.");
  }

  #keepTelling(): void {
    const { watchdogMs, isOn } = this.#notifier;
    const every = (ms: number, act: () => void) => this.#timers.push(setInterval(act, ms).unref());
    if (watchdogMs !== undefined)
      every(watchdogMs / SIGNS_PER_WATCHDOG, () => this.#notifier.tell({ WATCHDOG: "1" }));
    if (isOn) {
      const read = statusReader(this.#world);
      every(STATUS_EVERY_MS, () =>
        read().then(
          ({ text }) => this.#notifier.tell({ STATUS: this.#statusLine(text) }),
          () => {}, // the next look tries again
        ),
      );
    }
    every(CAP_EVERY_MS, () => capLog(this.#project.root));
  }

  #statusLine(text: string): string {
    return this.#chat ? `${text}, chat: ${this.#chat.text}` : text;
  }

  async #allow(chains: readonly string[]): Promise<void> {
    this.#recoverable.allow(chains);
    const { store, machine } = this.#world;
    for (const { owner, scope, socket } of await store.hosts())
      if (owner === machine.owner && scope === "*" && socket) machine.ring(socket);
  }

  #onStop(): void {
    this.#notifier.tell({ STOPPING: "1" });
    this.#lines.say("Stopping: nothing more is taken up, and everything finished is stored.");
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#door?.close();
    removeAddress(this.#project.root, this.#world.machine.owner);
  }

  async #answer(exit: number): Promise<Answer> {
    const live = (await this.#world.store.candidates("*")).length;
    const rest = live === 0 ? "" : ` ${counted(live, "thread")} not yet ended: the next host goes on.`;
    return { kind: "serve", exit, data: this.#data(live), text: `Stopped.${rest}` };
  }

  #data(live: number | null) {
    return { pid: process.pid, since: this.#since, live };
  }

  /** A second signal: the stream still gets its one last record. */
  #lastWord(exit: number): void {
    const { terminal } = this.#session;
    if (terminal.isMachine) terminal.final(envelope({ kind: "serve", exit, data: this.#data(null) }));
  }
}

export function hosted(root: string, by: HostRow): Problem {
  return new Problem("E_HOSTED", {
    what: `${root} is hosted already.`,
    why: `${hostedBy(root, by, Date.now())}, and is alive. Nothing was touched.`,
    next: [
      { cmd: "selvage ps", why: "what it does" },
      { cmd: "selvage serve --stop", why: "ends it; threads under way go on with the next host" },
    ],
  });
}
