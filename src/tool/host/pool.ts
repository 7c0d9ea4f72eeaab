/**
 * The tool hosts of a project. A call has a host to itself, so that stopping it harms no other; as a rule one host
 * serves them all in turn, and only calls at the same time make more. One that may reach the network serves no call
 * that may not.
 */
import { type HostOptions, ToolHost } from "./process.ts";

const MOST_HOSTS = 4;

export class HostPool {
  readonly #options: HostOptions;
  readonly #idle: ToolHost[] = [];
  readonly #all = new Set<ToolHost>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  async use<Result>(
    work: (host: ToolHost) => Promise<Result>,
    { signal, network = false }: { readonly signal: AbortSignal; readonly network?: boolean },
  ): Promise<Result> {
    while (this.#taken >= MOST_HOSTS) await this.#turn(signal);
    this.#taken += 1;
    const host = this.#take(network);
    try {
      return await work(host);
    } finally {
      this.#taken -= 1;
      if (host.isUsable) this.#idle.push(host);
      else await host.end();
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((host) => host.end()));
  }

  #take(network: boolean): ToolHost {
    const at = this.#idle.findLastIndex((host) => host.network === network);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (idle) return idle.isUsable ? idle : this.#take(network); // it may have died in the meantime
    const host = new ToolHost({ ...this.#options, network });
    this.#all.add(host);
    host.ended.then(() => this.#all.delete(host));
    return host;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(onTurn), 1);
        reject(signal.reason);
      };
      const onTurn = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(onTurn);
    });
  }
}
