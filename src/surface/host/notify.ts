/**
 * Telling systemd how we are (`sd_notify`). Its socket takes datagrams, which Node cannot send to a path, so the
 * program that comes with systemd says it: `systemd-notify`, which also knows sockets without a file (`@…`).
 *   N1. Nothing here may hold the host up or end it: who cannot be told is not told.
 *   N2. One at a time and in order; what was to be said meanwhile is said once, as it is then.
 *   N3. What we start does not inherit the socket: a tool could speak in our name.
 */
import { spawn } from "node:child_process";

const MOST_MS = 5_000;

export class SystemdNotifier {
  /** How often systemd wants a sign of life; undefined when it wants none. */
  readonly watchdogMs: number | undefined;
  readonly #socket: string | undefined;
  readonly #onFailure: (why: string) => void;
  readonly #open = new Map<string, string>();
  #running: Promise<void> | undefined;
  #failed = false;

  constructor(onFailure: (why: string) => void, environment: NodeJS.ProcessEnv = process.env) {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: pid } = environment;
    this.#socket = socket || undefined;
    this.#onFailure = onFailure;
    const isMeant = pid === undefined || pid === String(process.pid);
    const ms = Number(usec) / 1_000;
    this.watchdogMs = this.#socket && isMeant && ms > 0 ? ms : undefined;
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete environment[name];
  }

  get isOn(): boolean {
    return this.#socket !== undefined;
  }

  /** Such as `{ READY: "1" }`. */
  tell(said: Readonly<Record<string, string>>): void {
    if (!this.isOn) return;
    for (const [name, value] of Object.entries(said)) this.#open.set(name, value.replaceAll("\n", " "));
    this.#running ??= this.#sayAll();
  }

  /** Until everything is said, or it was tried. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #sayAll(): Promise<void> {
    while (this.#open.size > 0) {
      const words = [...this.#open].map(([name, value]) => `${name}=${value}`);
      this.#open.clear();
      await this.#say(words);
    }
    this.#running = undefined;
  }

  #say(words: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const env = { ...process.env, NOTIFY_SOCKET: this.#socket };
      const teller = spawn("systemd-notify", words, { env, stdio: "ignore", timeout: MOST_MS });
      const over = (why?: string) => {
        if (why !== undefined && !this.#failed) this.#onFailure(why);
        this.#failed = why !== undefined;
        resolve();
      };
      teller.once("error", (error) => over(error.message));
      teller.once("exit", (code) => over(code === 0 ? undefined : `it ended with ${code ?? "a signal"}`));
    });
  }
}
