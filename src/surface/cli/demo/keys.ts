/** One key of somebody at a terminal. The terminal is raw only while one is waited for; Ctrl-C means what it always means. */
import { createInterface } from "node:readline/promises";
import type { Clock } from "../../../core/world.ts";

const CTRL_C = "\u0003";

export class Keys {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: nobody pressed one in time, or it was Ctrl-C. */
  async press(signal: AbortSignal, timeoutMs?: number): Promise<string | undefined> {
    const { stdin } = process;
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener("abort", stop);
    let hear = (_: Buffer) => {};
    const pressed = new Promise<string | undefined>((resolve) => {
      over.signal.addEventListener("abort", () => resolve(undefined));
      hear = (bytes) => resolve(bytes.toString("latin1"));
    });
    stdin.setRawMode(true);
    stdin.on("data", hear).resume();
    if (timeoutMs !== undefined) this.#clock.sleep(timeoutMs, over.signal).then(stop);
    if (signal.aborted) stop();
    try {
      const key = await pressed;
      if (key?.includes(CTRL_C)) process.kill(process.pid, "SIGINT");
      return key?.includes(CTRL_C) ? undefined : key?.charAt(0).toLowerCase();
    } finally {
      over.abort();
      signal.removeEventListener("abort", stop);
      stdin.off("data", hear).pause();
      stdin.setRawMode(false);
    }
  }

  /** A line; empty when Ctrl-C or Ctrl-D ended it. */
  async line(question: string, signal: AbortSignal): Promise<string> {
    const asker = createInterface({ input: process.stdin, output: process.stderr });
    const closed = new Promise<string>((resolve) => asker.once("close", () => resolve("")));
    asker.once("SIGINT", () => {
      asker.close();
      process.kill(process.pid, "SIGINT");
    });
    const stop = () => asker.close();
    signal.addEventListener("abort", stop);
    try {
      return (await Promise.race([asker.question(question), closed])).trim();
    } finally {
      signal.removeEventListener("abort", stop);
      asker.close();
    }
  }
}
