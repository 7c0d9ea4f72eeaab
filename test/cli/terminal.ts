// A terminal in which somebody sits, made by `script`, which the test set-up installs.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./cli.ts";
import { until } from "./cli.ts";

export class TestTerminal {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #place: Place;
  #shown = "";

  /** Runs a line of shell in it; `selvage` is the command line under test. */
  constructor(place: Place, line: string) {
    this.#place = place;
    const cli = join(import.meta.dirname, "../../dist/cli.js");
    const shell = `selvage() { '${process.execPath}' '${cli}' "$@"; }; ${line}`;
    this.#child = spawn("script", ["-qfec", shell, "/dev/null"], {
      cwd: place.root,
      env: { ...place.env, TERM: "xterm", SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdout?.on("data", (bytes) => {
      this.#shown += bytes;
    });
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  shows(text: string): Promise<boolean> {
    return until(() => this.#shown.includes(text));
  }

  /** All that stood on it. */
  get shown(): string {
    return this.#shown;
  }

  /** What a command wrote into a file. */
  file(name: string): string {
    return readFileSync(join(this.#place.root, name), "utf8");
  }
}
