/**
 * The Esc key, heard only while there is something it can end.
 *   K1. The terminal is raw only between `listen` and `release`, and `release` is safe at any time.
 *   K2. Ctrl-C, Ctrl-Z and Ctrl-\ mean what they always mean: raw mode would swallow them, so they are passed on.
 *   K3. A key that begins with Esc (an arrow, Alt and a letter) is not Esc: it comes in one piece, and is longer.
 *   K4. A job in the background does not touch the terminal: the system would stop it for that.
 */
import { readFileSync } from "node:fs";

const ESCAPE = "\u001b";
const SIGNALS = { "\u0003": "SIGINT", "\u001a": "SIGTSTP", "\u001c": "SIGQUIT" } as const;

export class EscapeKey {
  readonly #onEscape: () => void;
  readonly #hear = (bytes: Buffer) => this.#press(bytes.toString("latin1"));
  readonly #atExit = () => this.release();
  #isRaw = false;

  constructor(onEscape: () => void) {
    this.#onEscape = onEscape;
  }

  /** Whether somebody is there to press it. */
  static get isThere(): boolean {
    return process.stdin.isTTY === true && typeof process.stdin.setRawMode === "function";
  }

  listen(): void {
    if (this.#isRaw || !EscapeKey.isThere || !isInForeground()) return;
    this.#isRaw = true;
    process.stdin.setRawMode(true);
    process.stdin.on("data", this.#hear).resume();
    process.once("exit", this.#atExit);
  }

  release(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    process.off("exit", this.#atExit);
    process.stdin.off("data", this.#hear).pause();
    process.stdin.setRawMode(false);
  }

  #press(keys: string): void {
    if (keys === ESCAPE) return this.#onEscape();
    for (const [key, signal] of Object.entries(SIGNALS)) {
      if (!keys.includes(key)) continue;
      this.release();
      process.kill(process.pid, signal);
    }
  }
}

/** Whether the terminal's foreground group is ours; taken for granted where the system does not tell. */
function isInForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name before it may hold anything, spaces and brackets too.
    const [, , , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 1).split(" ");
    return group === undefined || group === foreground;
  } catch {
    return true;
  }
}
