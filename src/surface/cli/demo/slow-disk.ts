/**
 * A disk that is slow for one file: the tool that writes it does not get on, so that it is surely running when the kill
 * comes, however long somebody takes to press a key. When the demo is gone it is slow for a minute at most.
 */
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SLOW } from "./project.ts";

const EVERY_MS = 5_000;

export class SlowDisk {
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;

  constructor(project: string, path: string) {
    this.#file = join(project, SLOW);
    writeFileSync(this.#file, path);
    this.#timer = setInterval(() => this.#stillSlow(), EVERY_MS);
    this.#timer.unref();
  }

  repair(): void {
    clearInterval(this.#timer);
    rmSync(this.#file, { force: true });
  }

  #stillSlow(): void {
    try {
      const now = new Date();
      utimesSync(this.#file, now, now);
    } catch {
      // Somebody took the file away: then the disk is not slow any more.
    }
  }
}
