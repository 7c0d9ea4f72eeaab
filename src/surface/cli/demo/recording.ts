/** A recording of the demo, line by line with its times: asciicast v2, which players of terminal sessions read. */
import { appendFileSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { diskWhy } from "../../../core/disk-error.ts";
import { Problem } from "../../../core/problem.ts";

const SIZE = { width: 120, height: 48 };

export class Recording {
  readonly #file: string;

  /** Made at once: a file that cannot be written is told before anything is played. */
  constructor(file: string, now: number) {
    this.#file = file;
    const head = { version: 2, ...SIZE, timestamp: Math.floor(now / 1000), title: "selvage demo" };
    this.#write(() => writeFileSync(file, `${JSON.stringify(head)}\n`));
  }

  line(text: string, seconds: number): void {
    const line = JSON.stringify([Number(seconds.toFixed(3)), "o", `${text}\r\n`]);
    this.#write(() => appendFileSync(this.#file, `${line}\n`));
  }

  #write(act: () => void): void {
    try {
      act();
    } catch (cause) {
      // Half a recording helps nobody. What could not even be opened is not ours.
      if ((cause as NodeJS.ErrnoException).syscall === "write") this.#remove();
      throw new Problem("E_DISK", {
        what: `The recording cannot be written to ${this.#file}.`,
        why: diskWhy(cause),
        next: [{ cmd: "selvage demo --record demo.cast", why: "a file in this folder" }],
        cause,
      });
    }
  }

  /** Neither a device nor a pipe, which may be recorded to as well. */
  #remove(): void {
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.isFile()) rmSync(this.#file, { force: true });
  }
}
