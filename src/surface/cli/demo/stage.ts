/** The stage of the demo: its clock, its lines, its acts, and who sits in front of it. */

import { stripControls } from "../../../core/text.ts";
import type { Clock } from "../../../core/world.ts";
import { VIEWS } from "../glyph.ts";
import type { Colours, Terminal } from "../terminal.ts";
import type { Keys } from "./keys.ts";
import { placed, signOf } from "./line.ts";
import type { Recording } from "./recording.ts";

export interface Act {
  readonly name: string;
  readonly at_s: number;
  readonly ok: boolean;
}

export interface StageOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Somebody who presses keys; nobody off a terminal. */
  readonly keys?: Keys | undefined;
  readonly isStepping: boolean;
  readonly recording?: Recording | undefined;
}

/** Somebody pressed Ctrl-C: not a failure of the story. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}

export class Stage {
  readonly acts: Act[] = [];
  readonly keys: Keys | undefined;
  readonly signal: AbortSignal;
  readonly #options: StageOptions;
  readonly #start: number;
  #air = "";

  constructor(options: StageOptions) {
    this.#options = options;
    this.keys = options.keys;
    this.signal = options.signal;
    this.#start = options.clock.monotonic();
  }

  /** A line with the time in front. */
  tell(text: string): void {
    this.#line(stripControls(text), this.#seconds());
  }

  /** A line that belongs to the one above. */
  say(text: string): void {
    this.#line(stripControls(text));
  }

  /** Air before the next line. */
  rest(): void {
    this.#air = "\n";
  }

  /** A line without a place in time. */
  heading(text: string): void {
    this.#record(text);
    this.#print(text);
  }

  act(name: string, ok: boolean): void {
    this.acts.push({ name, at_s: Math.round(this.#seconds() * 10) / 10, ok });
  }

  async pause(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.signal);
    this.check();
  }

  /** Before an act: who wanted to press a key for each presses one. */
  async curtain(next: string, ms: number): Promise<void> {
    const { isStepping, terminal } = this.#options;
    if (!isStepping || !this.keys) return this.pause(ms);
    terminal.say(terminal.err.dim(`       press a key: ${next}`));
    await this.keys.press(this.signal);
    this.check();
  }

  check(): void {
    if (this.signal.aborted) throw new Interrupted();
  }

  #seconds(): number {
    return (this.#options.clock.monotonic() - this.#start) / 1000;
  }

  #line(text: string, at?: number): void {
    const { terminal } = this.#options;
    const line = placed(text, at);
    this.#record(line);
    if (terminal.look.format === "jsonl")
      return terminal.record({ v: 1, kind: "demo.line", at_s: at === undefined ? null : round(at), text });
    const time = line.slice(0, line.length - text.length);
    this.#print(`${terminal.out.dim(time)}${painted(text, terminal.out)}`);
  }

  #print(text: string): void {
    this.#options.terminal.print(`${this.#air}${text}`);
    this.#air = "";
  }

  #record(line: string): void {
    const { recording } = this.#options;
    if (this.#air !== "") recording?.line("", this.#seconds());
    recording?.line(line, this.#seconds());
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

const LOUD = { "✖": "red", "?": "yellow" } as const;

function painted(text: string, colours: Colours): string {
  const sign = signOf(text);
  if (sign === undefined) return text;
  const view = Object.values(VIEWS).find(({ glyph }) => glyph === sign);
  const colour = view?.colour ?? LOUD[sign as keyof typeof LOUD];
  return `${colours[colour](sign)}${text.slice(sign.length)}`;
}
