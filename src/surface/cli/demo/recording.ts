/** A recording of the demo, line by line with its times: asciicast v2, which players of terminal sessions read. */
import { appendFileSync, writeFileSync } from "node:fs";
import { Problem } from "../../../core/problem.ts";

const SIZE = { width: 120, height: 48 };

export class Recording {
  readonly #file: string;

  /** Made at once: a file that cannot be written is told before anything is played. */
  constructor(file: string, now: number) {
    this.#file = file;
    const head = { version: 2, ...SIZE, timestamp: Math.floor(now / 1000), title: "selvage demo" };
    try {
      writeFileSync(file, `${JSON.stringify(head)}\n`);
    } catch (cause) {
      throw new Problem("E_DISK", {
        what: `The recording cannot be written to ${file}.`,
        why: cause instanceof Error ? cause.message : String(cause),
        next: [{ cmd: "selvage demo --record demo.cast", why: "a file in this folder" }],
        cause,
      });
    }
  }

  line(text: string, seconds: number): void {
    appendFileSync(this.#file, `${JSON.stringify([Number(seconds.toFixed(3)), "o", `${text}\r\n`])}\n`);
  }
}
